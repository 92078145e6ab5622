"""What stops a sweep before TLC runs, and what its results show to be doubtful."""

from __future__ import annotations

import glob
import zipfile
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError, Place, Tla2pyError, ToolchainError
from tla2py.execution.listener import Listener
from tla2py.execution.vacuity import PROBE_CODES, probe_findings
from tla2py.lint.rules import lint_file
from tla2py.lint.subject import finding, read_dialect, result_warning
from tla2py.model.finding import Finding, Findings, Severity, alike_findings, apply_acceptance
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.read import ActionRow, action_rows
from tla2py.store.refresh import table_files
from tla2py.store.store import Store
from tla2py.sweep.checks import config_facts, config_problems
from tla2py.sweep.folder import module_of_config
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.load import load_sweep, sweep_of_configs, without_models
from tla2py.sweep.options import Loading
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.rules import lint_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.text import parameter_text
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Span
from tla2py.tlc.config.read import config_expectation, read_config
from tla2py.tlc.config.statements import MISTAKE_CODES
from tla2py.tlc.process.os_facts import on_linux
from tla2py.tlc.process.sandbox import NO_WALLS, remedy
from tla2py.tlc.tools.community import check_classes, community_suits
from tla2py.tlc.tools.jar import Jar, check_needs
from tla2py.tlc.tools.toolchain import Toolchain, check_readable

ACCEPT_UNUSED = "accept-unused"
# The reason of what an option accepts.
GIVEN = "--accept"


def sweep_findings(
    sweep: Sweep, plan: Plan, store: Store, runs: Sequence[RunRow], linted: Iterable[Finding]
) -> Findings:
    """The findings on a sweep whose runs are in a store; ``linted`` are lint's.

    An entry of ``[accept]`` that accepts none of them is a finding too.
    """
    ids = plan.runs.ids
    rows = [row for row in runs if row.point <= len(ids) and ids[row.point - 1] == row.run_id]
    results = [row for row in rows if row.verdict is not Verdict.EXCLUDED]
    complete = len(rows) == len(plan.points) and all(_is_whole(sweep, row) for row in results)
    actions = [each for each in action_rows(table_files(store, "coverage")) if complete]
    # With a single state, that is what explains which actions are never enabled.
    have = {each.run_id for each in actions}
    counted = any(row.distinct != 1 for row in results) and all(row.run_id in have for row in results)
    found = [*linted, *(() if sweep.selection.is_limited else _single_states(sweep, results))]
    if sweep.selection.vacuity:
        found += probe_findings(sweep, plan, store, runs)
    if counted:
        found += _never_enabled(sweep, results, actions)
    findings = apply_acceptance(found, sweep.file.sections.accept)
    # Only a gate that was asked knows of a self-test.
    unknown = {"self-test"} if sweep.selection.vacuity else {"self-test", *PROBE_CODES}
    unknown |= {code for code, known in ((_SINGLE_STATE, complete), (_NEVER_ENABLED, counted)) if not known}
    unused = _unused_entries(sweep, findings, unknown)
    return Findings(open=(*unused, *findings.open), accepted=findings.accepted)


_SINGLE_STATE = "single-state"
_NEVER_ENABLED = "never-enabled"


def _is_whole(sweep: Sweep, row: RunRow) -> bool:
    """Whether a run saw all that can happen; neither a random walk nor a search that stopped early does."""
    return row.verdict is Verdict.HOLDS and sweep.selection.options.mode == "check"


def _single_states(sweep: Sweep, results: Iterable[RunRow]) -> Iterator[Finding]:
    """A finding on each module and config whose points all have a single distinct state."""
    keys = list(sweep.points.keys(("module", "config")))
    groups = defaultdict[tuple[str, ...], list[RunRow]](list)
    for row in results:
        groups[keys[row.point - 1]].append(row)
    for rows in groups.values():
        parameters = sweep.points[rows[0].point - 1].parameters
        spec, config = sweep.spec(parameters), parameters.get("config")
        if spec.variables and all(row.distinct == 1 and _is_whole(sweep, row) for row in rows):
            named = f" of {config}" if config else ""
            yield result_warning(
                _SINGLE_STATE,
                spec.root.where(),
                f"TLC found a single distinct state at every point{named}: nothing ever happens",
                "look for constants that leave the actions nothing to do, or a constraint that the first state violates",
                spec.root.name,
            )


def _never_enabled(
    sweep: Sweep, results: Iterable[RunRow], actions: Sequence[ActionRow]
) -> Iterator[Finding]:
    """A finding on each action that was enabled at none of the points."""
    specs = {row.run_id: sweep.spec(sweep.points[row.point - 1].parameters) for row in results}
    generated: dict[tuple[str, str], int] = {}
    lines: dict[tuple[str, str], tuple[ModuleGraph, int]] = {}
    for each in actions:
        if each.kind == "action" and each.run_id in specs:
            key = (each.module, each.name)
            generated[key] = generated.get(key, 0) + each.generated
            lines.setdefault(key, (specs[each.run_id], each.begin_line))
    for (module, name), count in generated.items():
        spec, line = lines[module, name]
        files = {file.name: file for file in spec.modules}
        file = files.get(module, spec.root)
        # The translator adds it to algorithms of which only some processes end.
        if count or (name == "Terminating" and file.has_pluscal):
            continue
        span = Span(begin_line=line, begin_column=1, end_line=line, end_column=1)
        yield result_warning(
            _NEVER_ENABLED,
            file.where(span if module in files else None),
            f"action {name} is enabled at no point",
            "check its guard and the constants, or accept it",
            name,
        )


def _unused_entries(sweep: Sweep, findings: Findings, unknown: set[str]) -> Iterator[Finding]:
    """The entries of ``[accept]`` without a finding, except for ``unknown`` codes, which the results cannot show."""
    used = {
        name
        for each in findings.accepted
        for name in ((each.finding.code, ""), (each.finding.code, each.finding.subject or ""))
    }
    for code, entry in sweep.file.sections.accept.items():
        for subject, reason in entry.items() if isinstance(entry, Mapping) else (("", entry),):
            if (code, subject) not in used and code not in unknown:
                keys = ("accept", code, subject) if subject else ("accept", code)
                if reason == GIVEN:
                    where, what = next(iter(sweep.specification.modules.values())).root.where(), "option"
                    named = f"{GIVEN} {'.'.join(keys[1:])}"
                else:
                    where, what, named = sweep.file.place(*keys), "entry", " ".join(keys[1:])
                yield result_warning(
                    ACCEPT_UNUSED,
                    where,
                    f"{named} accepts nothing: there is no such finding, or no reason",
                    f"remove the {what}, or correct the name",
                    code,
                )


# tla2py compensates for the first; the run itself reports the second.
_SILENT = frozenset({"check-deadlock", "nothing-checked"})


def _linted(sweep: Sweep, plan: Plan, jar: Jar) -> Iterator[Finding]:
    """What lint finds, with everything checked that this TLC needs to have."""
    specs = sweep.specification.modules.values()
    check_classes(
        sweep.specification.community,
        specs,
        jar,
        plan.sources,
        plan.paths,
        trust=sweep.selection.limits.trust,
    )

    def place(key: str, value: str) -> str:
        return sweep.file.place("tlc", key, value=value)

    for spec in specs:
        if spec.root.name in sweep.specification.logs.literal:
            # Its logs are modules.
            spec = replace(spec, standard=tuple(name for name in spec.standard if name not in _READING))
        try:
            check_needs([spec], sweep.selection.options, jar, place)
        except InputError as error:
            # A config that needs a newer TLC does not stop the others below its folder.
            if not sweep.selection.is_folder:
                raise
            where = Place.parse(error.where or "")
            yield finding(error.code, where, error.message, error.hint, severity=Severity.NOTE)
        yield from _unevaluated_assumptions(spec, sweep, jar)
    yield from lint_sweep(sweep, plan, read_dialect(jar))


# The versions that evaluate no ASSUME in simulation (tlaplus#496); 1.7.4 and 2.20 do.
_WITHOUT_ASSUME = ("2.15",)


def _unevaluated_assumptions(spec: ModuleGraph, sweep: Sweep, jar: Jar) -> Iterator[Finding]:
    """Yield a note where this TLC simulates a module without evaluating what it assumes."""
    if sweep.selection.options.mode == "check" or jar.version not in _WITHOUT_ASSUME or not spec.assumptions:
        return
    text = f"{jar.tlc} evaluates no ASSUME in simulation: points that the module excludes run like the others"
    yield finding("tlc-lacks", Place.parse(spec.root.where()), text, jar.newer, severity=Severity.NOTE)


def checked_plan(
    sweep: Sweep, tools: Toolchain | Jar, listener: Listener
) -> tuple[Sweep, Plan, tuple[Finding, ...]]:
    """A sweep as its TLC can read its logs, its plan, and what lint found, after every check before TLC runs.

    What lint found are its warnings, and errors that are ignored; the listener is told of those that are not accepted.
    They do not stop a folder's sweep, whose configs need not be the user's own. With a jar alone only what needs no Java
    is checked.

    Raises InputError for a finding that is an error, and as ``plan_sweep``, ``check_classes``, ``check_needs``,
    ``check_expectations`` and ``check_readable`` do.
    """
    jar = tools if isinstance(tools, Jar) else tools.jar
    sweep = with_readable_logs(sweep, jar)
    plan = plan_sweep(sweep, jar.sha256)
    linted = dict.fromkeys(_linted(sweep, plan, jar))
    found = tuple(each for each in linted if each.place.file not in sweep.idle_files)
    left = apply_acceptance(found, sweep.file.sections.accept).open
    errors = [each for each in left if each.refuses]
    warned = [each for each in left if not each.refuses and each.code not in _SILENT]
    for first, *same in alike_findings((*warned, *(errors if sweep.selection.is_folder else errors[:-1]))):
        listener.warned(first, *same)
    if errors and not sweep.selection.is_folder:
        raise errors[-1].to_error()
    check_expectations(sweep, plan)
    if isinstance(tools, Toolchain):
        # A module that TLC cannot read does not stop the others below its folder either.
        if not sweep.selection.is_folder:
            check_readable(plan.sources, plan.paths, tools)
        if not sweep.selection.limits.trust and not on_linux() and not _told:
            _told.append(listener)
            listener.told(f"{NO_WALLS}: {remedy()}")
    return sweep, plan, lasting_findings(found)


# Who was told that no wall stands around runs, once in this process.
_told: list[Listener] = []


def file_errors(file: Path, libraries: Sequence[Path], how: Loading) -> list[Tla2pyError]:
    """The errors of a sweep file, or of a config with its module, found without running TLC.

    Without a module for a config, only the config's text is checked.
    """
    try:
        return list(_file_errors(file, libraries, how))
    except Tla2pyError as error:
        return [error]


def check_facts(file: Path, sweep: Sweep, plan: Plan, ignored: Container[str] = ()) -> None:
    """Raise InputError (``config-proves-nothing``) for a point whose config checks nothing.

    ``ignored`` are names of findings.
    """
    for point, run in plan.samples():
        facts = config_facts(run, sweep.spec(point.parameters))
        for _, problem, _ in config_problems(facts, sweep.file.sections.accept, ignored):
            raise InputError(
                "config-proves-nothing",
                f"the config checks nothing useful for {parameter_text(point.parameters)}: {problem}",
                where=str(file),
                hint=f"'tla2py cfg {file}' shows the config of each point",
            )


def _file_errors(file: Path, libraries: Sequence[Path], how: Loading) -> Iterator[Tla2pyError]:
    if file.suffix == ".cfg":
        config_expectation(read_config(file, MISTAKE_CODES if how.no_lint else ()).text, file)
        module = module_of_config(file, libraries)
        if module is None:
            yield from _only_errors(lint_file(file, None) if not how.no_lint else ())
            return
        sweep = sweep_of_configs(module, glob.escape(str(file)), libraries, how)
    else:
        sweep = load_sweep(file, how=how)
    for config in sweep.specification.configs.values():
        if config.problem is not None:
            read_config(config.path)
    plan = plan_sweep(sweep, "")
    yield from plan.errors
    check_expectations(sweep, plan)
    found = lint_sweep(sweep, plan)
    errors = list(_only_errors(found))
    yield from errors
    if not errors:
        check_facts(file, sweep, plan, {each.name for each in found if each.ignored})


def _only_errors(findings: Iterable[Finding]) -> Iterator[Tla2pyError]:
    return (each.to_error() for each in findings if each.refuses)


def lasting_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that belong to a sweep's results: warnings, and errors that the user ignores."""
    return tuple(
        each
        for each in findings
        if each.severity is not Severity.NOTE and not each.refuses and each.code not in _SILENT
    )


# The modules that read a log, and the classes that do it.
_READING = ("Json", "IOUtils")
_CLASSES = ("tlc2/overrides/{}.class", "tlc2/module/{}.class")


def with_readable_logs(sweep: Sweep, jar: Jar) -> Sweep:
    """Return the sweep as this TLC can read its logs."""
    specification = sweep.specification
    places = [jar.path, *(override.copy for override in specification.overrides)]
    if specification.community is not None and community_suits(jar):
        places.append(specification.community.copy)
    lacking = {name for name in _READING if not any(_has_class(place, name) for place in places)}
    return literal_logs(sweep, lacking)


def literal_logs(sweep: Sweep, lacking: Iterable[str] = _READING) -> Sweep:
    """The sweep with logs as modules for those of its modules that need one of these."""
    lacks = {*lacking}
    literal = frozenset(
        spec.root.name
        for spec in sweep.specification.modules.values()
        # A module may define the operators itself.
        if spec.root.name in sweep.specification.logs.readers
        and lacks & {*spec.standard, *(m.name for m in spec.modules)}
    )
    if not literal:
        return sweep
    logs = replace(sweep.specification.logs, literal=literal)
    return sweep.with_specification(logs=logs, community=None)


@lru_cache(maxsize=32)
def _has_class(place: Path, name: str) -> bool:
    files = [each.format(name) for each in _CLASSES]
    if place.is_dir():
        return any((place / file).is_file() for file in files)
    with zipfile.ZipFile(place) as archive:
        return not {*archive.namelist()}.isdisjoint(files)


def without_refused(sweep: Sweep, jar: Jar) -> Sweep:
    """A folder's sweep without the points that ``check_classes`` refuses, which are among its ``unread``.

    Raises what ``without_models`` raises.
    """
    refused: dict[str, Tla2pyError] = {}
    for name, spec in sweep.specification.modules.items():
        texts = {module.name: module.text for module in spec.modules}
        paths = {module.name: module.where() for module in spec.modules}
        try:
            check_classes(
                sweep.specification.community, [spec], jar, texts, paths, trust=sweep.selection.limits.trust
            )
        except (InputError, ToolchainError) as error:
            refused[name] = error
    if not refused:
        return sweep
    modules = {point.index: point.parameters["module"] for point in sweep.points}
    errors = {index: refused[name] for index, name in modules.items() if name in refused}
    specs = {name: spec for name, spec in sweep.specification.modules.items() if name not in refused}
    return without_models(sweep, errors).with_specification(modules=specs)
