"""Draw specifications, let TLC find what violates them, and check each sentence about that."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import tla2py
from tests.explained.drawing import KINDS, Specification, SpecificationKind, draw_specification
from tests.explained.meaning import Context, read_module
from tests.explained.sentences import Behaviour, FalseSentenceError, check_sentence
from tla2py.analysis.questions import trace_with_origin
from tla2py.analysis.view import StoreView
from tla2py.replay.why import explain_trace
from tla2py.tlc.process.pool import close_hosts

# So many specifications are checked by one sweep.
_BATCH = 25

_MODELS: dict[SpecificationKind, str] = {
    "temporal": 'properties = ["Check"]\ncheck_deadlock = false\n',
    "step": 'properties = ["Check"]\ncheck_deadlock = false\n',
    "invariant": 'invariants = ["Check"]\ncheck_deadlock = false\n',
    "deadlock": "check_deadlock = true\n",
}


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence about a counterexample: its form, or None and the problem if it is not true."""

    text: str
    form: str | None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A specification whose check is violated, and what is said of that; ``reason`` is that for no cause."""

    specification: Specification
    states: str
    sentences: tuple[Sentence, ...]
    reason: str | None

    @property
    def false_sentences(self) -> list[Sentence]:
        """The sentences that are not true."""
        return [each for each in self.sentences if each.form is None]


def explain_drawn(seed: int, count: int, folder: Path, jar: Path) -> Iterator[Trial]:
    """Yield a trial for each of so many drawn specifications of which TLC finds a violation."""
    number = found = 0
    try:
        while found < count:
            for kind in sorted(set(KINDS)):
                size = min(_BATCH, max(count - found, 2) * 2) * KINDS.count(kind) // len(KINDS) + 1
                names = [f"M{number + place}" for place in range(size)]
                number += size
                drawn = [draw_specification(Random(f"{seed} {name}"), name, kind) for name in names]
                for trial in _explain_batch(drawn, folder / names[0], jar):
                    if found < count:
                        found += 1
                        yield trial
    finally:
        close_hosts()


def _explain_batch(drawn: Sequence[Specification], folder: Path, jar: Path) -> Iterator[Trial]:
    """Yield a trial for each violation among specifications of one kind."""
    folder.mkdir(parents=True)
    for each in drawn:
        (folder / f"{each.name}.tla").write_text(each.root)
        (folder / f"{each.part_name}.tla").write_text(each.part)
    modules = json.dumps([f"{each.name}.tla" for each in drawn])
    model = _MODELS[drawn[0].kind]
    (folder / "sweep.toml").write_text(
        f'module = {modules}\n[model]\nspecification = "Spec"\n{model}[tlc]\nfind = "first"\n'
    )
    view = tla2py.run_sweep(folder / "sweep.toml", folder / "store", executor="local", tla2tools=jar)
    for point, each in enumerate(drawn, 1):
        if view.trace_list(point):
            yield _explain(view, point, each, jar)


def _explain(view: StoreView, point: int, specification: Specification, jar: Path) -> Trial:
    trace, origin = trace_with_origin(view, point, 1, jar)
    because = explain_trace(trace, origin, warm=True)
    modules = {
        specification.name: read_module(specification.root),
        specification.part_name: read_module(specification.part),
    }
    context = Context(modules=modules, module=specification.name)
    behaviour = Behaviour.of_trace(trace)
    sentences = []
    for cause in because.causes:
        try:
            form = check_sentence(cause, behaviour, context)
        except FalseSentenceError as error:
            sentences.append(Sentence(text=cause.says, form=None, problem=str(error)))
        else:
            sentences.append(Sentence(text=cause.says, form=form))
    states = ", ".join(f"{number}: {dict(each)}" for number, each in enumerate(behaviour.states, 1))
    return Trial(
        specification=specification,
        states=f"{states}, then {behaviour.loop}",
        sentences=tuple(sentences),
        reason=because.reason,
    )


def describe_false_sentences(trial: Trial) -> str:
    """Return the specification of a trial with its false sentences."""
    lines = [trial.specification.root, trial.specification.part, trial.states]
    for each in trial.false_sentences:
        lines.append(f"  FALSE: {each.text}\n    {each.problem}")
    return "\n".join(lines)


def describe_figures(trials: Sequence[Trial]) -> str:
    """Return how many specifications were explained by how many sentences of which form."""
    forms = Counter(each.form or "not true" for trial in trials for each in trial.sentences)
    reasons = Counter(trial.reason for trial in trials if trial.reason is not None)
    lines = [f"{number:5} {form}" for form, number in sorted(forms.items())]
    lines += [
        f"{number:5} specifications without a cause: {reason}" for reason, number in sorted(reasons.items())
    ]
    wrong = sum(bool(trial.false_sentences) for trial in trials)
    total = sum(forms.values())
    lines.append(
        f"{len(trials)} specifications, {total} sentences, {wrong} specifications with a false sentence"
    )
    return "\n".join(lines)
