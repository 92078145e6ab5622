"""The mutants of a sweep, the points that they run at and their runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tla2py.errors import InputError, reason_of
from tla2py.model.mutation import MutationSection
from tla2py.model.run import ModuleText, Run, digest_text
from tla2py.mutation.budget import budgeted, with_budget
from tla2py.mutation.mutant import Mutant, chosen_mutants, given_mutants, in_order, model_mutants
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax.tokens import without_comments


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationChoice:
    """Which mutants to make, and at which points they run; ``given`` is a file of proposed mutants.

    ``budget`` is how many times the original's states and time a mutant may take.
    """

    operators: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    given: Path | None = None
    points: str | None = None
    budget: int = 3


def file_choice(sweep: Sweep) -> MutationChoice:
    """The choice that a sweep file makes in ``[mutation]``."""
    section = sweep.file.mutation or MutationSection()
    return MutationChoice(
        operators=tuple(section.operators),
        sample=section.sample,
        seed=sweep.options.seed,
        points=",".join(map(str, section.points)) or None,
        budget=section.budget,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The mutants of a sweep.

    places: the places in the plan of the points that they may run at.
    reach: for each mutant, by id, the places whose models reach its definition.
    duplicates: the mutants with the same text as an earlier one.
    total: the number of mutants before a sample was drawn.
    budget: how many times the original's states and time a mutant may take.
    """

    sweep: Sweep
    plan: Plan
    places: tuple[int, ...]
    mutants: tuple[Mutant, ...]
    reach: Mapping[str, frozenset[int]]
    duplicates: frozenset[str]
    total: int
    budget: int

    def run(
        self, mutants: Sequence[Mutant], place: int, budget: int | None = None
    ) -> tuple[Run, dict[str, str]]:
        """The run with the changes of mutants at a place, and the texts of its changed modules by sha256.

        It looks at about ``budget`` distinct states at most. The modules lack their comments, so a comment that changes on
        its own lines leaves the run as it was.
        """
        run, texts = self._uncommented(self.plan.runs[place], mutants)
        edits = [(each.module, each.edit.apply) for each in mutants]
        if budget is not None:
            root = self.sweep.spec(self.plan.points[place].parameters).root.name
            edits.append((root, partial(with_budget, states=budget)))
            run = budgeted(run)
        for module, change in edits:
            run = self._changed(run, f"{module}.tla", change, texts)
        return run, texts

    def _uncommented(self, run: Run, mutants: Sequence[Mutant]) -> tuple[Run, dict[str, str]]:
        """A run without comments in its modules, and their texts by sha256."""
        sources, texts = self.plan.sources, dict[str, str]()
        # A change that somebody proposes may begin or end a comment.
        kept = {f"{each.module}.tla" for each in mutants if each.operator == "given"}
        # The lines of a translation made on the fly are found by the text around it.
        originals = dict(run.originals)
        for name, sha256 in run.modules:
            lines = sources[sha256].count("\n")
            if name not in kept and sources[originals.get(name, sha256)].count("\n") == lines:
                run = self._changed(run, name, without_comments, texts)
        return run, texts

    def modules(self, mutant: Mutant, place: int) -> dict[str, str]:
        """The texts of a mutant's modules by the names of their files."""
        texts = {name: self.plan.sources[sha256] for name, sha256 in self.plan.runs[place].modules}
        file = f"{mutant.module}.tla"
        return texts | {file: mutant.edit.apply(texts[file])}

    def _changed(self, run: Run, file: str, change: Callable[[str], str], texts: dict[str, str]) -> Run:
        """A run with a changed module; ``texts`` gets its text."""
        before = next(sha256 for name, sha256 in run.modules if name == file)
        text = change(texts.get(before) or self.plan.sources[before])
        after = digest_text(text)
        if after == before:
            return run
        texts[after] = text
        originals = run.originals
        if all(name != file for name, _ in originals):
            originals = (*originals, ModuleText(file, before))
        return replace(
            run,
            modules=tuple(ModuleText(n, after if n == file else sha256) for n, sha256 in run.modules),
            originals=originals,
            inputs=replace(run.inputs, outputs=()),
        )


def prepare_trial(sweep: Sweep, plan: Plan, choice: MutationChoice) -> Trial:
    """The mutants of a sweep. Raises InputError as ``chosen_mutants``, ``given_mutants`` and ``chosen_places`` do."""
    places = chosen_places(choice.points, len(plan.points))
    reach: dict[str, set[int]] = {}
    mutants: dict[str, Mutant] = {}
    known: dict[tuple[object, ...], list[Mutant]] = {}
    given = _given(sweep, choice.given) if choice.given is not None else None
    for place in places:
        point = plan.points[place]
        if plan.runs[place].refused is not None:
            continue
        model = sweep.model(point)
        config = model.config
        replaced = dict(config.substitutions) | dict(model.replacements)
        behaviour = (config.specification, config.init, config.next, config.invariants)
        key = (id(model.spec), *behaviour, tuple(sorted(replaced.items())))
        if key not in known:
            names = {module.name for module in model.spec.modules}
            known[key] = (
                model_mutants(model.spec, config, replaced)
                if given is None
                else [each for each in given if each.module in names]
            )
        for each in known[key]:
            mutants[each.mutant] = each
            reach.setdefault(each.mutant, set()).add(place)
    every = chosen_mutants(in_order(mutants.values()), operators=choice.operators, actions=choice.actions)
    chosen = chosen_mutants(every, sample=choice.sample, seed=choice.seed)
    return Trial(
        sweep=sweep,
        plan=plan,
        places=places,
        mutants=tuple(chosen),
        reach={name: frozenset(found) for name, found in reach.items()},
        duplicates=_duplicates(sweep, chosen),
        total=len(every),
        budget=choice.budget,
    )


def chosen_places(text: str | None, points: int) -> tuple[int, ...]:
    """The places of points written as ``1,3-5``, all without a text. Raises InputError (``no-point``, ``usage``)."""
    if text is None:
        return tuple(range(points))
    found: dict[int, None] = {}
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        if bounds is None:
            raise InputError("usage", f"not a list of points: {text}", hint="example: --points 1,3-5")
        for number in range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1):
            if not 1 <= number <= points:
                hint = f"choose points from 1 to {points}"
                raise InputError("no-point", f"the sweep has no point {number}", hint=hint)
            found[number - 1] = None
    return tuple(found)


def _given(sweep: Sweep, file: Path) -> list[Mutant]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "mutants-unreadable",
            f"cannot read {file}: {reason_of(error)}",
            hint="a file of mutants has a JSON object on each line",
        ) from error
    return given_mutants(sweep.specs.values(), lines, str(file))


def _duplicates(sweep: Sweep, mutants: Sequence[Mutant]) -> frozenset[str]:
    texts = {module.name: module.text for spec in sweep.specs.values() for module in spec.modules}
    seen: set[tuple[str, str]] = set()
    found = set()
    for each in mutants:
        key = (each.module, digest_text("".join(each.edit.apply(texts[each.module]).split())))
        if key in seen:
            found.add(each.mutant)
        seen.add(key)
    return frozenset(found)
