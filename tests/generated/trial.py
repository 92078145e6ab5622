"""Draw models and compare each with its reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.generated.assumptions import draw_assumption
from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner
from tests.generated.instances import draw_instance
from tests.generated.mutants import draw_mutant
from tests.generated.simulations import draw_simulation
from tests.generated.values import draw_value
from tests.generated.views import draw_view

KINDS: Mapping[str, Callable[[Random], GeneratedModel]] = {
    "view": draw_view,
    "value": draw_value,
    "instance": draw_instance,
    "assumption": draw_assumption,
    "simulation": draw_simulation,
    "mutant": draw_mutant,
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A model with its comparison; ``number`` and the seed draw it again."""

    number: int
    model: GeneratedModel
    comparison: Comparison


def draw_models(seed: int, count: int, kinds: Sequence[str]) -> Iterator[GeneratedModel]:
    """Draw models, the kinds in turn; each depends on the seed and its number alone."""
    for number in range(count):
        kind = kinds[number % len(kinds)]
        yield KINDS[kind](Random(f"{seed} {kind} {number}"))


def compare_models(
    seed: int, count: int, folder: Path, jar: Path, kinds: Sequence[str] = tuple(KINDS)
) -> Iterator[Trial]:
    """Compare models one after the other; ``folder`` gets a folder for each."""
    for number, model in enumerate(draw_models(seed, count, kinds)):
        bench = MutantRunner(folder=folder / str(number), jar=jar)
        yield Trial(number=number, model=model, comparison=model.compare(bench))


def describe_difference(trial: Trial) -> str:
    """Return what differs, and the model."""
    return f"model {trial.number} ({trial.model.kind}) differs: {trial.comparison.detail}\n    {trial.model}"


def describe_figures(trials: Sequence[Trial]) -> str:
    """Return how many models of which kind had which answer, a line each."""
    answers = Counter((trial.model.kind, trial.comparison.answer) for trial in trials)
    lines = [f"{number:4} {kind}: {answer}" for (kind, answer), number in sorted(answers.items())]
    differing = sum(not trial.comparison.agrees for trial in trials)
    return "\n".join([*lines, f"{len(trials)} models, {differing} differ"])
