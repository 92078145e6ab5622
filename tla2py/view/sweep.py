"""What a terminal shows of a sweep: the plan of a dry run, the table of points, where and when it breaks."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.analysis.explanation import LAW_POINTS, telling_laws
from tla2py.analysis.points import Answers, disabled_actions, minimal_violating, property_answers
from tla2py.analysis.view import StoreView
from tla2py.execution.result import SweepResult
from tla2py.model.model import filled_text
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow, collision_notes
from tla2py.model.trace_text import runs_of, step_changes, trace_end
from tla2py.store.read import FIRST_COUNTS, run_notes
from tla2py.store.refresh import table_files
from tla2py.store.store import ManifestPoint
from tla2py.sweep.judge import ALL_EXCLUDED, NO_STATES, TRUSTED
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep, overridden_text
from tla2py.text import counted, cut, listed, parameter_text, points_text, value_shown
from tla2py.view.layout import VERDICT_STYLES, FittedTable, IndentedText, WrappedLines, number, seconds
from tla2py.view.tools import points_without_answer


def planned(sweep: Sweep, plan: Plan, known: Container[str], most: int | None = None) -> Iterator[str]:
    """The lines of a dry run; ``known`` holds the ids of the runs that are cached.

    With ``most``, only so many points are listed, and the values of each parameter are counted instead.
    """
    listed = len(plan.points) if most is None else min(most, len(plan.points))
    width = len(str(len(sweep.points)))
    runs = len({*plan.runs.ids})
    first: dict[str, int] = {}
    for place, run_id in enumerate(plan.runs.ids[:listed]):
        point = plan.points[place]
        # Most sweeps have as many runs as points.
        same = first.setdefault(run_id, point.index) if runs < len(plan.points) else point.index
        state = f"as point {same}" if same != point.index else "cached" if run_id in known else "to run"
        yield f"{point.index:>{width}}  {_format_parameters(point.parameters)}  {state}"
    if listed < len(plan.points):
        yield f"and {len(plan.points) - listed:,} more points; into a file or a pipe goes a line for each"
        for name in sweep.points.names:
            texts = [_line(text) for text in dict.fromkeys(sweep.points.column(name))]
            ends = f"{texts[0]} ... {texts[-1]}" if texts[2:] else ", ".join(texts)
            yield f"  {name}: {counted(len(texts), 'value')}, {ends}"
    for each in sweep.selection.excluded:
        yield f"left out by {each.reason}"
        yield from (f"  {_format_parameters(parameters)}" for parameters in each.first)
        if each.count > len(each.first):
            yield f"  and {each.count - len(each.first):,} more"
    for unread in sweep.selection.unread:
        yield f"{unread.model} cannot be run: {unread.error.line}"
    if sweep.selection.left_out:
        yield f"left out: {', '.join(sweep.selection.left_out)}"
    excluded = sum(each.count for each in sweep.selection.excluded)
    missing = len(plan.runs.missing(known))
    yield (
        f"{sweep.name}: {sweep.limited_text if sweep.selection.is_limited else counted(len(plan.points), 'point')}, "
        f"{counted(excluded, 'combination')} left out; "
        f"{counted(runs, 'run')}, {runs - missing:,} cached, {missing:,} to execute"
    )


def _format_parameters(parameters: Mapping[str, str]) -> str:
    pairs = (f"{name} = {_line(text)}" for name, text in parameters.items())
    return ", ".join(pairs) or "the model"


def _line(text: str) -> str:
    return " ".join(text.split()) or "none"


# A longer table shows only the points that do not hold.
_MOST_ROWS = 60
_MOST_ACTIONS = 12
# Of results that are not as expected, and of smallest violating points.
_MOST_LINES = 10


def sweep_summary(view: StoreView) -> RenderableType:
    """The table of points, the smallest violating points with their shortest traces, and the commands to type next."""
    runs = view.run_rows
    # Of very many points few are read again and again.
    notable = [run for run in runs if run.verdict is not Verdict.HOLDS]
    parts: list[RenderableType] = [_points_table(view, runs, notable), ""]
    parts += points_without_answer(view, notable)
    minimal = smallest(view, notable)
    if minimal and not _is_folder(view):
        smaller = "smaller point"
        if len(runs) < len(view.points):
            smaller = f"smaller point of the {len(runs):,} that ran"
        parts.append(Text(f"Where it starts to break (no {smaller} violates the same)", "bold"))
        for point, names in minimal[:_MOST_LINES]:
            parts += [_minimal_line(view, point, names), *_why(view, point, names)]
        if len(minimal) > _MOST_LINES:
            parts.append(Text(f"  and {len(minimal) - _MOST_LINES:,} more"))
        parts.append("")
        if len(runs) > LAW_POINTS:
            laws = [f"tla2py explain {shlex.quote(str(view.store.path))}"]
        else:
            laws = telling_laws(view)
        if laws:
            parts += [Text("When it breaks", "bold"), WrappedLines([f"  {line}" for line in laws]), ""]
    disabled = disabled_actions(view)
    if disabled:
        parts.append(Text("Actions that never fired", "bold"))
        for action in disabled[:_MOST_ACTIONS]:
            where = f"point{'s' * (len(action.disabled) > 1)} {listed(action.disabled, 8)}"
            line = Text(f"  {action.name}  ", "bold red" if action.never_enabled else "")
            line.append(f"{action.module}:{action.line}  ", "dim")
            parts.append(line.append("at any point" if action.never_enabled else f"at {where}"))
        if len(disabled) > _MOST_ACTIONS:
            parts.append(Text(f"  and {len(disabled) - _MOST_ACTIONS} more, see the table coverage"))
        parts.append("")
    for parameter in view.manifest.parameters:
        if parameter.column != parameter.name:
            parts.append(Text(f"The column of {parameter.name} in the tables is {parameter.column}"))
    store = shlex.quote(str(view.store.path))
    parts.append(Text.assemble(("Store  ", "bold"), str(view.store.path)))
    traced = next((point.point for point, _ in minimal if view.trace_list(point.point)), None)
    if traced is not None:
        following = f"tla2py trace {store} {traced}"
    elif any(run.verdict is Verdict.BROKEN for run in notable):
        following = "fix what is broken and repeat the command: it reruns the affected points (all, if a module changed)"
    else:
        following = f"tla2py report {store}"
    parts.append(Text.assemble(("Next   ", "bold"), following))
    parts.append(Text(f'       tla2py query {store} "SELECT * FROM runs"'))  # noqa: S608 - shown, not run
    return Group(*parts)


def _is_folder(view: StoreView) -> bool:
    """Whether the points are configs of a folder, none of which is smaller than another."""
    parameters = view.manifest.parameters
    differing = [each for each in parameters if view.points.different(each) > 1] or parameters
    return bool(differing) and all(each.kind in ("module", "config") for each in differing)


def smallest(view: StoreView, runs: Sequence[RunRow]) -> list[tuple[ManifestPoint, Sequence[str]]]:
    """The minimal violating points, each with the definitions that no smaller point violates."""
    violating = [run for run in runs if run.violated]
    points = view.points.some(run.point for run in violating)
    found = minimal_violating((run, points[run.point].parameters) for run in violating)
    return [(points[number], names) for number, names in sorted(found.items())]


def _points_table(view: StoreView, runs: Sequence[RunRow], notable: Sequence[RunRow]) -> RenderableType:
    # A parameter with one value would only take room.
    alone = len(view.points) == 1
    parameters = [each for each in view.manifest.parameters if alone or view.points.different(each) > 1]
    shown = runs if len(runs) <= _MOST_ROWS else notable[:_MOST_ROWS]
    points = view.points.some(run.point for run in shown)
    chosen = [points[run.point].parameters for run in shown]
    pairs = {(each["config"], each["module"]) for each in chosen if each.keys() >= {"config", "module"}}
    if len(shown) == len(runs) and len(pairs) == len({config for config, _ in pairs}) > 0:
        # Each config has its module, as in a folder.
        parameters = [each for each in parameters if each.name != "module"]
    rows = []
    for run in shown:
        answered = run.verdict not in (Verdict.INCONCLUSIVE, Verdict.BROKEN)
        verdict = Text(run.verdict_words if answered else run.unanswered, VERDICT_STYLES[run.verdict])
        if run.violated:
            lengths = ((name, view.shortest_traces.get((run.run_id, name))) for name in run.violated_names)
            names = (f"{name} in {trace.length}" if trace else name for name, trace in lengths)
            verdict.append(": " + ", ".join(names))
        given = (value_shown(points[run.point].parameters[p.name]) for p in parameters)
        mark = "*" * (run.executions > 1)
        numbers = ((n, number(n, least=run.unfinished)) for n in (run.generated, run.distinct, run.depth))
        found = [text + mark * (n is not None) for n, text in numbers]
        after = (*found, seconds(run.wall_seconds))
        rows.append([Text(str(run.point)), *map(Text, given), verdict, *map(Text, after)])
    figures = ("generated", "distinct", "depth", "time")
    table = FittedTable(
        columns=("point", *(p.name for p in parameters), "verdict", *figures),
        rows=rows,
        right=frozenset(("point", *figures)),
        dispensable=("depth", "generated"),
    )
    parts: list[RenderableType] = [table] if rows else []
    if any(run.executions > 1 for run in shown):
        parts.append(Text(f"* {FIRST_COUNTS}", "dim"))
    if len(shown) == len(runs):
        return Group(*parts)
    verdicts = Counter(run.verdict for run in notable)
    verdicts[Verdict.HOLDS] = len(runs) - len(notable)
    counts = ", ".join(f"{verdicts[each]} {each.value}" for each in VERDICT_STYLES if verdicts[each])
    return Group(*parts, Text(f"{len(runs)} points: {counts}; points that hold are not shown", "dim"))


def _minimal_line(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> IndentedText:
    known = ((name, view.shortest_traces.get((point.run_id, name))) for name in names)
    violations = (f"{name} in {counted(trace.length, 'state')}" if trace else name for name, trace in known)
    head, place = f"{parameter_text(point.parameters)}  ", f"  (point {point.point})"
    return IndentedText(Text.assemble(head, (", ".join(violations), "red"), place), 2)


def _why(view: StoreView, point: ManifestPoint, names: Sequence[str]) -> list[RenderableType]:
    """The actions that lead to the shortest violation, and the changes of the last one; TLC's message without a trace."""
    known = [row for name in names if (row := view.shortest_traces.get((point.run_id, name)))]
    if not known:
        run = next(run for run in view.run_rows if run.point == point.point)
        said = run.untold.splitlines()
        return [IndentedText(Text(cut(line, 300), "dim"), 4) for line in said]
    trace = view.trace(point.point, min(known, key=lambda row: (row.length, row.trace)).trace)
    lines: list[RenderableType] = []
    if len(trace.states) > 1:
        steps = runs_of([state.action or "" for state in trace.states[1:]])
        last = "; ".join(step_changes(*trace.states[-2:]))
        lines.append(IndentedText(Text.assemble("steps: ", (steps, "dim")), 4))
        lines.append(IndentedText(Text.assemble("last step: ", (cut(last, 300), "dim")), 4))
    if end := trace_end(trace):
        lines.append(IndentedText(Text(end, "dim"), 4))
    return lines


def overview(views: Sequence[StoreView]) -> FittedTable:
    """A table of sweeps: what each checked, how often it was violated, and the smallest violating points.

    ``distinct`` sums the distinct states of a sweep's runs, ``time`` their wall-clock times; a run that several points
    share counts once.
    """
    figures = ("trace length", "distinct", "time")
    return FittedTable(
        columns=("sweep", "points", "checked", "verdict", "smallest violating point", *figures),
        rows=[row for view in views for row in _sweep_rows(view)],
        right=frozenset(figures),
        dispensable=("distinct", "trace length", "time"),
    )


def _sweep_rows(view: StoreView) -> Iterator[list[Text]]:
    runs = view.run_rows
    excluded = sum(run.verdict is Verdict.EXCLUDED for run in runs)
    head = [view.manifest.name, f"{len(runs)}" + f", {excluded} excluded" * bool(excluded)]
    costs = {run.run_id: run for run in runs}.values()
    distinct = number(sum(run.distinct or 0 for run in costs), least=any(run.unfinished for run in costs))
    tail = [distinct, seconds(sum(run.wall_seconds or 0.0 for run in costs))]
    minimal = smallest(view, runs)
    answers = [each for each in property_answers(view) if each.of_property]
    for cells in [_check_cells(view, each, minimal) for each in answers] or [[Text()] * 4]:
        yield [*map(Text, head), *cells, *map(Text, tail)]
        head, tail = ["", ""], ["", ""]


def _check_cells(
    view: StoreView, answers: Answers, minimal: Sequence[tuple[ManifestPoint, Sequence[str]]]
) -> list[Text]:
    """What was checked, the verdict, the smallest violating points, and the length of their shortest trace."""
    points = [point for point, names in minimal if answers.name in names]
    if len(points) == 1:
        place = f"{points[0].point}: {parameter_text(points[0].parameters)}"
    else:
        place = f"points {points_text(point.point for point in points)}" if points else ""
    traces = [view.shortest_traces.get((point.run_id, answers.name)) for point in points]
    shortest = min((trace.length for trace in traces if trace is not None), default=None)
    violated, left = sum(each.violated for each in answers.answered), len(answers.unanswered)
    if not answers.answered:
        verdict = Text("undecided", "yellow")
    else:
        of = len(answers.answered) + left
        verdict = Text(f"violated at {violated} of {of}", "bold red") if violated else Text("holds", "green")
        verdict.append(f", undecided at {left}" * bool(left), "yellow")
    return [Text(answers.name), verdict, Text(place), Text(number(shortest) if shortest else "")]


def judgement_lines(result: SweepResult) -> Iterator[Text]:
    """A line for what is accepted, a line per unexpected result, or one line if all points are as expected."""
    sweep, name = result.sweep, result.sweep.name
    if result.searched:
        yield Text(f"{name}: {_search_text(result)}", "yellow")
    elif sweep.selection.is_limited:
        yield Text(f"{name}: {sweep.limited_text}", "yellow")
    if result.findings.accepted:
        yield Text(f"{name}: accepted: {result.findings.accepted_text}")
    if result.plan.filled:
        yield Text(f"{name}: {filled_text(result.plan.filled)}", "dim")
    if text := overridden_text(sweep.expect, sweep.points, sweep.expected_rows):
        yield Text(f"{name}: {text}", "dim")
    ids = [result.plan.runs.ids[number - 1] for number in sweep.numbers]
    if len({*ids}) < len(ids):
        models = f"{counted(len(ids), 'point')} with {counted(len({*ids}), 'different model')}"
        yield Text(f"{name}: {models}; each is run once for all of its points")
    unexpected: dict[str, list[int]] = {}
    for mismatch in result.mismatches:
        # Where nobody wrote an expectation, all are expected to hold.
        text = mismatch.text if sweep.file.sections.expect else mismatch.text.removesuffix(", expected holds")
        unexpected.setdefault(text, []).append(mismatch.point)
    for text, points in list(unexpected.items())[:_MOST_LINES]:
        yield Text(f"{name}, {_at(points)}: {text}", "bold red")
    if others := sum(map(len, list(unexpected.values())[_MOST_LINES:])):
        yield Text(f"{name}: and {others:,} more results that are not as expected", "bold red")
    for unread in sweep.selection.unread:
        yield Text(f"{name}: {unread}", "bold red")
    if empty := result.empty_points:
        yield Text(f"{name}, {_at(empty)}: {NO_STATES}", "yellow")
    for note in run_notes(table_files(result.store, "diagnostics"), result.runs):
        yield Text(f"{name}, {note}", "yellow")
    for note in collision_notes(result.runs):
        yield Text(f"{name}: {note}", "yellow")
    if sweep.selection.limits.trust:
        yield Text(f"{name}: {TRUSTED}", "yellow")
    if result.unchecked:
        yield Text(f"{name}: {ALL_EXCLUDED}", "bold red")
    elif result.runs and sweep.file.sections.expect is not None and not result.mismatches:
        count = len(result.runs)
        every = "the one point is" if count == 1 else f"all {count} points are"
        yield Text(f"{name}: {every} as expected", "green")


def _at(points: Sequence[int]) -> str:
    return f"point{'s' * (len(points) > 1)} {points_text(points)}"


def interrupted_line(left: int) -> Text:
    """The line for an interrupted sweep with runs left."""
    return Text(f"interrupted with {counted(left, 'run')} left; repeat the command to run them", "yellow")


def _search_text(result: SweepResult) -> str:
    """How many points a search ran, and what the others would take."""
    run, of = len(result.runs), len(result.sweep.points)
    search = result.store.manifest().search
    text = f"{run:,} of {counted(of, 'point')} run"
    if search is not None and search.left is not None and run < of:
        text += f"; the other {of - run:,} would take {_between(search.left, seconds)}"
        if search.left_states is not None:
            text += f" and have {_between(search.left_states, _about)} states"
    laws = search.laws if search is not None else []
    if not all(law.finished for law in laws):
        return f"{text}; the budget is spent, and a second start goes on"
    long = [law.title for law in laws if not law.settled]
    return f"{text}; no short law fits {', '.join(long)}" if long else text


def _between(bounds: tuple[float, float], show: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys(map(show, bounds)))


def _about(number: float) -> str:
    """A predicted number, by two digits."""
    return f"{float(f'{number:.2g}'):,.0f}"
