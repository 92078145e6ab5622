"""How often ``--why`` names what was changed: ``python -m benchmarks.why EXAMPLES [--jar JAR] [--each N] [--seed N]``.

``EXAMPLES`` is a copy of github.com/tlaplus/Examples. The mutants are drawn by the seed from the specifications and operators
below, until there are N violations of each kind; every violation that the unchanged specification does not have counts, and
one without an answer is a miss. A hit names the changed action or conjunct, or the action whose fairness was dropped, in one of
the first two causes; an action counts as changed if a definition that it uses is. A cause also names the step that made its
conjunct FALSE, or that last changed what it reads.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.check import Checked, ModelOptions, run_check
from tla2py.execution.sweeps import SweepOptions
from tla2py.model.model import Config
from tla2py.replay.confirm import confirm_trace
from tla2py.replay.query import Origin
from tla2py.replay.why import explain_trace
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import formula_parts, leads, splits
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply
from tla2py.tlc.config.read import read_config
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.tools.community import load_specification
from tla2py.tlc.tools.toolchain import find_toolchain

SUBJECTS = (
    "ewd840/EWD840",
    "ewd998/AsyncTerminationDetection",
    "allocator/SimpleAllocator",
    "allocator/SchedulingAllocator",
    "allocator/AllocatorRefinement",
    "locks_auxiliary_vars/Peterson",
    "locks_auxiliary_vars/LockHS",
    "barriers/Barrier",
    "barriers/Barriers",
    "DiningPhilosophers/DiningPhilosophers",
    "CigaretteSmokers/CigaretteSmokers",
    "Prisoners/Prisoners",
    "SpecifyingSystems/Liveness/LiveHourClock",
    "SpecifyingSystems/TLC/MCAlternatingBit",
    "transaction_commit/TwoPhase",
)
_EARLIER_STEP = re.compile(r", (?:after|by|reached by) (\w+)")
KINDS = ("action_property", "temporal_property", "deadlock")
OPERATORS = {
    "fairness dropped": "a WF or SF becomes TRUE",
    "guard dropped": "a conjunct about the state becomes TRUE",
    "guard blocked": "a conjunct about the state becomes FALSE",
    "effect dropped": "x' = e becomes x' = x",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A change of a subject: text in the place of an expression; ``names`` are the actions changed by it."""

    subject: str
    operator: str
    module: str
    expr: Expression
    text: str
    names: frozenset[str]


@deeply
def mutants(subject: str, spec: ModuleGraph) -> Iterator[Mutant]:
    """All mutants of a subject."""
    levels = Levels(spec.resolver)
    for module in spec.modules:
        scope = spec.scope_of(module)
        for each in module.definitions:
            entity = scope.find(each.name)
            if entity is None or each.body is None or module in spec.installed:
                continue
            for expr in each.body.walk():
                if expr.operator in ("WF_", "SF_"):
                    names = frozenset(_actions(expr.arguments[1], scope))
                    yield Mutant(
                        subject=subject,
                        operator="fairness dropped",
                        module=module.name,
                        expr=expr,
                        text="TRUE",
                        names=names,
                    )
            if levels.of_entity(entity) == Level.ACTION:
                yield from _of_action(subject, module.name, each, scope, levels, spec)


def _of_action(
    subject: str, module: str, definition: Definition, scope: Scope, levels: Levels, spec: ModuleGraph
) -> Iterator[Mutant]:
    assert definition.body is not None
    pending = [(definition.body, scope, frozenset(definition.parameters))]
    while pending:
        expr, here, names = pending.pop()
        inside = spec.resolver.let(here, expr) if expr.shape == "let" else here
        within = names.union(*(each.names for each in expr.bounds))
        parts = formula_parts(expr)
        pending += [(each, inside, within) for each in parts]
        for each in parts if expr.operator == "/\\" else ():
            level = levels.of_expression(each, inside, within)
            made = {"guard dropped": "TRUE", "guard blocked": "FALSE"} if level == Level.STATE else {}
            if each.operator == "=" and each.arguments[0].operator == "'":
                name = each.arguments[0].arguments[0].operator
                made = {"effect dropped": f"{name}' = {name}"}
            for operator, text in made.items():
                yield Mutant(
                    subject=subject,
                    operator=operator,
                    module=module,
                    expr=each,
                    text=text,
                    names=frozenset({definition.name}),
                )


def _actions(expr: Expression, scope: Scope, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is not None and entity.body is not None and expr.operator not in seen:
        yield expr.operator
        yield from _actions(entity.body, entity.scope, seen | {expr.operator})
    for each in formula_parts(expr):
        yield from _actions(each, scope, seen)


def changed(text: str, mutant: Mutant) -> str:
    """The text of a module with the change; all else stays in its line and column."""
    lines, span = text.split("\n"), mutant.expr.span
    end = lines[span.end_line - 1][span.end_column :]
    lines[span.begin_line - 1] = lines[span.begin_line - 1][: span.begin_column - 1] + f"({mutant.text})"
    for number in range(span.begin_line, span.end_line):
        lines[number] = ""
    pad = "" if span.end_line == span.begin_line else " " * span.end_column
    last = span.end_line - 1
    lines[last] = lines[last] + pad + end
    return "\n".join(lines)


def unchanged(subject: str, folder: Path, jar: Path | None) -> tuple[Config, bool]:
    """What a subject satisfies as it is: its config without other properties, and whether it has no deadlock."""
    config = read_config((folder / "specifications" / f"{subject}.tla").with_suffix(".cfg")).config
    config, deadlock = replace(config, invariants=(), symmetry=None), True
    for _ in range(len(config.properties) + 2):
        violations = run(subject, folder, jar, config, deadlock=deadlock).result.violations
        names = {each.name for each in violations}
        config = replace(config, properties=tuple(each for each in config.properties if each not in names))
        deadlock = deadlock and "deadlock" not in {each.kind for each in violations}
    return config, deadlock


def run(
    subject: str,
    folder: Path,
    jar: Path | None,
    config: Config,
    *,
    deadlock: bool,
    mutant: Mutant | None = None,
) -> Checked:
    """The check of a subject, or of a mutant of it."""
    source = folder / "specifications" / f"{subject}.tla"
    with tempfile.TemporaryDirectory() as scratch:
        for each in source.parent.glob("*.tla"):
            shutil.copy(each, scratch)
        if mutant is not None:
            file = Path(scratch) / f"{mutant.module}.tla"
            file.write_text(changed(file.read_text("utf-8"), mutant), "utf-8")
        (Path(scratch) / "mutant.cfg").write_text(render_config(config, default_template()))
        options = SweepOptions(tla2tools=jar, no_lint=True, timeout="60s")
        model = ModelOptions(config=Path(scratch) / "mutant.cfg", check_deadlock=deadlock)
        return run_check(Path(scratch) / source.name, model, options)


def measure(
    mutant: Mutant,
    folder: Path,
    jar: Path | None,
    known: dict[str, tuple[Config, bool]],
    specs: dict[str, ModuleGraph],
) -> dict[str, object] | None:
    """What ``--why`` says of a mutant's violation; None for a violation of another kind."""
    if mutant.subject not in known:
        known[mutant.subject] = unchanged(mutant.subject, folder, jar)
    config, deadlock = known[mutant.subject]
    checked = run(mutant.subject, folder, jar, config, deadlock=deadlock, mutant=mutant)
    trace = next((each for each in checked.traces if each.kind in KINDS), None)
    if trace is None:
        return None
    origin = Origin(record=checked.record, sources=checked.sources, toolchain=find_toolchain(jar))
    begun = os.times()
    found = explain_trace(trace, origin)
    between = os.times()
    with contextlib.suppress(InputError):
        confirm_trace(trace, origin)
    ended = os.times()
    first = [each.action for each in found.causes[:2] if each.action]
    # A sentence also names the step that made a guard FALSE, or that last changed what a formula reads.
    for cause in found.causes[:2]:
        first += _EARLIER_STEP.findall(cause.says)
    # The new text is in parentheses; an expression begins after its own.
    span = mutant.expr.span
    place = f"{mutant.module}:{span.begin_line}:{span.begin_column + 1}"
    return {
        "kind": trace.kind,
        "subject": mutant.subject,
        "operator": mutant.operator,
        "place": place,
        "changed": sorted(mutant.names),
        "first": [each.says for each in found.causes[:2]],
        "reason": found.reason,
        "why_cpu": round(_cpu(between) - _cpu(begun), 2),
        "verify_cpu": round(_cpu(ended) - _cpu(between), 2),
        "hit": any(_changes(each, mutant, specs[mutant.subject]) for each in first)
        or place in [each.place for each in found.causes[:2]],
    }


def _changes(action: str, mutant: Mutant, spec: ModuleGraph) -> bool:
    """Whether an action was changed: itself, or a definition that it uses. A choice among actions does not count."""
    entity = spec.scope.find(action)
    if action in mutant.names or entity is None or entity.body is None:
        return action in mutant.names
    if splits(entity.body, entity.scope, spec.resolver, Levels(spec.resolver)):
        return False
    return any(leads(entity.body, each, entity.scope, spec.resolver) for each in mutant.names)


def _cpu(times: os.times_result) -> float:
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    """Print a JSON object for each violation, then the shares of hits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--jar", type=Path)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=41)
    given = parser.parse_args()
    drawn: list[Mutant] = []
    specs = {each: load_specification(given.examples / "specifications" / f"{each}.tla") for each in SUBJECTS}
    for subject, spec in specs.items():
        drawn += mutants(subject, spec)
    random.Random(given.seed).shuffle(drawn)  # noqa: S311 - no secret
    count, hits, ratios = Counter[object](), Counter[object](), list[float]()
    known = dict[str, tuple[Config, bool]]()
    for mutant in drawn:
        if all(count[kind] >= given.each for kind in KINDS):
            break
        row = measure(mutant, given.examples, given.jar, known, specs)
        if row is None or count[row["kind"]] >= given.each:
            continue
        count[row["kind"]] += 1
        hits[row["kind"]] += row["hit"] is True
        ratios.append(float(str(row["why_cpu"])) / max(float(str(row["verify_cpu"])), 0.01))
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    for kind in KINDS:
        sys.stdout.write(f"{kind}: {hits[kind]} of {count[kind]}\n")
    sys.stdout.write(f"CPU time of --why to that of --verify: {statistics.median(ratios):.2f}, the median\n")


if __name__ == "__main__":
    main()
