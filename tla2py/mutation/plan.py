"""A trial: the mutants of a sweep, a choice of them, at which points and as which runs they run; and the figures of its report."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from tla2py.errors import InputError, reason_of
from tla2py.model.logs import MutationSection
from tla2py.model.model import Config, bare_name
from tla2py.model.mutant import STATUSES, MutantReport, MutantRow, Status, one_line
from tla2py.model.row import RunRow
from tla2py.model.run import Limits, ModuleText, Run, digest_text
from tla2py.mutation.generate import Mutant, Walk, mutant_of
from tla2py.mutation.operators import OPERATORS, Text
from tla2py.sweep.options import chosen_places
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import did_you_mean
from tla2py.tla.graph import ModuleGraph, closure
from tla2py.tla.module import Module
from tla2py.tla.nodes import without_comments
from tla2py.tlc.config.render import render_config

_NAME = "tla2pyBudget"
# The module itself may extend neither.
_FORMULA = 'LET Tla2pyTLC == INSTANCE TLC Tla2pyN == INSTANCE Naturals IN Tla2pyN!<(Tla2pyTLC!TLCGet("distinct"), {})'
_END = re.compile(r"={4,}\s*$")
_BEGIN = re.compile(r"\s*-{4,}\s*MODULE\b")


def with_budget(text: str, states: int) -> str:
    """The text of a module with the constraint in the line that ends it, so that all lines stay."""
    lines = text.split("\n")
    depth = 0
    for place, line in enumerate(lines):
        depth += bool(_BEGIN.match(line))
        if depth and _END.match(line.lstrip()):
            depth -= 1
            if not depth:
                lines[place] = f"{_NAME} == {_FORMULA.format(states)} {line.lstrip()}"
                break
    return "\n".join(lines)


def model_mutants(spec: ModuleGraph, config: Config, replaced: Mapping[str, str]) -> list[Mutant]:
    """The mutants of a model, in the order of their places; ``replaced`` are the values of replaced names."""
    named = {name: frozenset(re.findall(r"[\w!]+", value)) for name, value in replaced.items()}
    walk = Walk(spec, closure(named))
    found = walk.behaviour(config.specification, config.init, config.next)
    weakened: dict[str, tuple[Mutant, list[str]]] = {}
    for name in config.invariants:
        for each in walk.checks(name):
            weakened.setdefault(each.mutant, (each, []))[1].append(name)
    return in_order([*found, *(replace(each, checks=tuple(names)) for each, names in weakened.values())])


def in_order(mutants: Iterable[Mutant]) -> list[Mutant]:
    """The mutants by module and place, each once."""
    once = {each.mutant: each for each in mutants}
    return sorted(once.values(), key=lambda m: (m.file, m.edit.span.begin_line, m.edit.span.begin_column))


def chosen_mutants(
    mutants: Sequence[Mutant],
    *,
    operators: Collection[str] = (),
    actions: Collection[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> list[Mutant]:
    """Some of the mutants: those of some operators and definitions, and of these a random sample.

    Raises InputError: ``unknown-operator``, ``unknown-definition``, ``no-mutants``.
    """
    for name in operators:
        if name not in OPERATORS:
            raise InputError(
                "unknown-operator",
                f"no mutation operator {name}",
                hint=did_you_mean(name, list(OPERATORS), f"operators: {', '.join(OPERATORS)}"),
            )
    definitions = list(dict.fromkeys(each.definition for each in mutants))
    for name in actions:
        if name not in definitions:
            hint = did_you_mean(name, definitions, f"definitions with mutants: {', '.join(definitions)}")
            raise InputError("unknown-definition", f"no mutant changes a definition {name}", hint=hint)
    made = (each for each in mutants if not operators or each.operator in operators)
    left = [each for each in made if not actions or each.definition in actions]
    if not left:
        raise InputError(
            "no-mutants",
            "there is nothing to mutate",
            hint="the model's specification reaches no definition that these operators can change",
        )
    if sample is None or sample >= len(left):
        return left
    places = sorted(random.Random(seed).sample(range(len(left)), sample))  # noqa: S311 - a reproducible choice
    return [left[place] for place in places]


def given_mutants(specs: Iterable[ModuleGraph], lines: Iterable[str], source: str) -> list[Mutant]:
    """The mutants that a file proposes, a JSON object on each line: ``module``, ``line``, ``column``, ``before``, ``after``.

    Raises InputError (``bad-mutant``).
    """
    modules = {module.name: module for spec in specs for module in spec.modules if module.path is not None}
    numbered = enumerate(lines, 1)
    return in_order(_given(text, f"{source}:{number}", modules) for number, text in numbered if text.strip())


_EXAMPLE = '{"module": "Lease", "line": 7, "column": 16, "before": "wait = 0", "after": "TRUE"}'


class _Given(msgspec.Struct):
    module: str
    line: int
    column: int
    before: str
    after: str


def _given(text: str, where: str, modules: Mapping[str, Module]) -> Mutant:
    def wrong(message: str, hint: str = f"example: {_EXAMPLE}") -> InputError:
        return InputError("bad-mutant", message, where=where, hint=hint)

    try:
        data = msgspec.json.decode(text, type=_Given)
    except msgspec.MsgspecError as error:
        raise wrong(f"not a mutant: {error}") from error
    module = modules.get(data.module.removesuffix(".tla"))
    if module is None:
        raise wrong(f"no module {data.module}", f"modules: {', '.join(modules)}")
    line, column, before, after = data.line, data.column, data.before, data.after
    lines = module.text.split("\n")
    source = Text(module.text)
    there = lines[line - 1][column - 1 :] if 0 < line <= len(lines) and column > 0 else ""
    begin = source.offset(line, column) if there else 0
    if not before or not there or not module.text.startswith(before, begin):
        raise wrong(
            f"line {line}, column {column} of {module.name} is not {one_line(before)!r}",
            f"there is {there!r}" if there else "lines and columns count from 1",
        )
    span = source.span(begin, begin + len(before))
    around = (each for each in module.definitions if each.span.begin_line <= line <= each.span.end_line)
    return mutant_of(source.rewrite("given", span, after), next(around, None), module)


# A mutant gets at least so many seconds and states.
_LEAST_SECONDS = 120.0
_LEAST_STATES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFigures:
    """How many mutants a check notices, and how many of them no other check notices.

    asked: how many mutants ran where it is checked; None for what no config asks, such as an error of evaluation.
    """

    check: str
    asked: int | None
    kills: int
    alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many mutants are killed, of those that could be: killed and survived."""

    name: str
    killed: int
    of: int


def status_counts(report: MutantReport) -> dict[Status, int]:
    """The number of mutants of each status, without statuses that none has."""
    counts = Counter(each.status for each in report.mutants)
    return {status: counts[status] for status in STATUSES if counts[status]}


def score(report: MutantReport) -> Share:
    """The share of killed mutants."""
    return _share("all", list(report.mutants))


def definition_shares(report: MutantReport) -> list[Share]:
    """The share of killed mutants of each definition, in the order of the modules."""
    groups: dict[tuple[str, str], list[MutantRow]] = {}
    for each in report.mutants:
        groups.setdefault((each.module, each.definition), []).append(each)
    names = Counter(name for _, name in groups)
    shares = (
        _share(f"{module}!{name}" if names[name] > 1 else name, rows)
        for (module, name), rows in groups.items()
    )
    return [share for share in shares if share.of]


def check_figures(report: MutantReport) -> list[CheckFigures]:
    """How many mutants each check notices, the checks in the order of the config.

    A mutant runs only until something notices it, so checks of later points are not asked.
    """
    labels = [{killer.label for killer in each.killed_by} for each in _noticed(report)]
    names = dict.fromkeys([*report.checks, *sorted(set().union(*labels))])
    return [
        CheckFigures(
            check=name,
            asked=report.checks.get(name),
            kills=sum(name in found for found in labels),
            alone=sum(found == {name} for found in labels),
        )
        for name in names
    ]


def sizes(report: MutantReport) -> list[tuple[int, int]]:
    """The points that mutants ran at, the smallest first, each with how many mutants die there."""
    counts = Counter(each.point for each in _noticed(report))
    return [(point, counts[point]) for point in report.points]


def _noticed(report: MutantReport) -> list[MutantRow]:
    """The killed mutants, without those of checks."""
    killed = report.with_status("killed")
    return [each for each in killed if all(killer.kind != "mutant" for killer in each.killed_by)]


def _share(name: str, rows: list[MutantRow]) -> Share:
    killed = sum(each.status == "killed" for each in rows)
    return Share(name=name, killed=killed, of=killed + sum(each.status == "survived" for each in rows))


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
    section = sweep.file.sections.mutation or MutationSection()
    return MutationChoice(
        operators=tuple(section.operators),
        sample=section.sample,
        seed=sweep.selection.options.seed,
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
            config = replace(run.config, constraints=(*run.config.constraints, _NAME))
            run = replace(run, config=config, config_text=render_config(config, run.template))
        for module, change in edits:
            run = self._changed(run, f"{module}.tla", change, texts)
        return run, texts

    def limits(self, original: RunRow) -> Limits:
        """The limits of a mutant where this is the result of the original."""
        limits = self.plan.limits
        seconds = max(self.budget * (original.wall_seconds or 0.0), _LEAST_SECONDS)
        return replace(limits, timeout_seconds=min(seconds, limits.timeout_seconds))

    def states(self, original: RunRow) -> int:
        """The most distinct states of a mutant where this is the result of the original."""
        return max(self.budget * (original.distinct or 0), _LEAST_STATES)

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
    given = _read_given(sweep, choice.given) if choice.given is not None else None
    for place in places:
        point = plan.points[place]
        if plan.runs[place].refused is not None:
            continue
        model = sweep.model(point)
        config = model.config
        replaced = config.replacing_names | {bare_name(name): text for name, text in model.replacements}
        behaviour = (config.specification, config.init, config.next, config.invariants)
        key = (id(model.spec), *behaviour, tuple(sorted(replaced.items())))
        if key not in known:
            names = {module.name for module in model.spec.modules}
            own = [each for each in given or () if each.module in names]
            known[key] = model_mutants(model.spec, config, replaced) if given is None else own
        for each in known[key]:
            mutants[each.mutant] = each
            reach.setdefault(each.mutant, set()).add(place)
    every = chosen_mutants(in_order(mutants.values()), operators=choice.operators, actions=choice.actions)
    chosen = chosen_mutants(every, sample=choice.sample, seed=choice.seed)
    texts = {
        module.name: module.text for spec in sweep.specification.modules.values() for module in spec.modules
    }
    first: dict[tuple[str, str], Mutant] = {}
    for each in chosen:
        changed = digest_text("".join(each.edit.apply(texts[each.module]).split()))
        first.setdefault((each.module, changed), each)
    return Trial(
        sweep=sweep,
        plan=plan,
        places=places,
        mutants=tuple(chosen),
        reach={name: frozenset(found) for name, found in reach.items()},
        duplicates=frozenset(each.mutant for each in chosen) - {each.mutant for each in first.values()},
        total=len(every),
        budget=choice.budget,
    )


def _read_given(sweep: Sweep, file: Path) -> list[Mutant]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "mutants-unreadable",
            f"cannot read {file}: {reason_of(error)}",
            hint="a file of mutants has a JSON object on each line",
        ) from error
    return given_mutants(sweep.specification.modules.values(), lines, str(file))
