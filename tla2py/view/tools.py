"""What commands on modules, configs and tools show: TLC's errors and findings at their place, inspections, jars."""

from __future__ import annotations

import hashlib
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tla2py.analysis.view import StoreView
from tla2py.errors import MOST_LINES, Place
from tla2py.model.finding import Finding, Severity
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Diagnostic, Outcome, Verdict
from tla2py.model.row import RunRow
from tla2py.store.read import first_errors
from tla2py.store.refresh import table_files
from tla2py.text import counted, cut, listed, printable
from tla2py.tlc.tools.installed import community_jar, community_modules, official_classes
from tla2py.tlc.tools.jar import INSTALL_NEWEST
from tla2py.tlc.tools.java import FoundJava
from tla2py.tlc.tools.toolchain import FoundJar
from tla2py.view.layout import plain_table

# Of a longer line, only the part around the place is shown; with its number it fits a terminal of 80 columns.
_WIDTH = 72
# At most this many different errors are shown, and points of each.
_MOST = 3
_POINTS = 8
# Remedies for faults in TLC, by the stack frame that reveals them.
_FAULTS = {
    "tlc2.value.impl.MVPerms.permutationSubgroup": (
        "This TLC fails on a symmetry with only one permutation, such as that of a set with one value; TLC 1.7.4 and "
        'newer do not. symmetry = ["Procs"], which names the constants, omits the symmetry if they have one value.'
    )
}


def points_without_answer(view: StoreView, runs: Sequence[RunRow]) -> list[RenderableType]:
    """TLC's errors at the broken and excluded points, and how to get an answer for the inconclusive ones."""
    parts: list[RenderableType] = []
    for verdict, style in ((Verdict.BROKEN, "bold magenta"), (Verdict.EXCLUDED, "bold")):
        errors = errors_with_points(view, runs, verdict)
        for error, points in list(errors.items())[:_MOST]:
            parts += [Text(points_are(points, verdict.value), style), diagnostic_text(error)]
        if len(errors) > _MOST:
            more = counted(len(errors) - _MOST, "more error")
            parts.append(Text(f"and {more}, see the table diagnostics", "dim"))
    unanswered: dict[Outcome, list[int]] = {}
    for run in runs:
        if run.verdict is Verdict.INCONCLUSIVE and not run.simulated:
            unanswered.setdefault(run.outcome, []).append(run.point)
    for outcome, points in unanswered.items():
        sentence = points_are(points, f"inconclusive: {OUTCOME_WORDS[outcome]}")
        messages = dict.fromkeys(run.message for run in runs if run.point in points and run.message)
        parts += [Text(sentence, "bold yellow"), *map(Text, messages), Text(REMEDIES[outcome])]
    return [*parts, ""] if parts else []


def errors_with_points(
    view: StoreView, runs: Sequence[RunRow], verdict: Verdict
) -> dict[Diagnostic, list[int]]:
    """The first errors of the points with a verdict, each with its points."""
    found: dict[Diagnostic, list[int]] = {}
    concerned = [run for run in runs if run.verdict is verdict]
    first = first_errors(table_files(view.store, "diagnostics")) if concerned else {}
    for run in concerned:
        unknown = Diagnostic(code=0, severity="error", text=run.outcome.value)
        found.setdefault(first.get(run.run_id, unknown), []).append(run.point)
    return found


def points_are(points: Sequence[int], what: str) -> str:
    """A sentence such as ``Points 1, 2 are broken``."""
    shown = listed(points, _POINTS)
    return f"Points {shown} are {what}" if len(points) > 1 else f"Point {shown} is {what}"


def diagnostics_text(found: Sequence[Diagnostic]) -> list[RenderableType]:
    """The messages with their places; a place is not repeated for a message at the same place."""
    befores = [None, *(each.place for each in found)]
    return [
        Text(each.text.strip(), "magenta") if each.place and each.place == before else diagnostic_text(each)
        for each, before in zip(found, befores, strict=False)
    ]


def diagnostic_text(found: Diagnostic) -> RenderableType:
    """The place, TLC's whole message, and the line with a caret."""
    message = Text(found.text.strip(), "magenta")
    if found.place is None:
        known = [Text(remedy) for frame, remedy in _FAULTS.items() if frame in found.text]
        return Group(message, *known)
    return Group(Text.assemble((f"{found.place}: ", "bold"), message), *excerpt_lines(found.place))


def source_line(place: Place) -> list[Text]:
    """The line of a place with a caret under its column, read from its file; empty if there is no such line."""
    try:
        lines = Path(place.file).read_text(encoding="utf-8").splitlines()
        return excerpt_lines(replace(place, excerpt=lines[place.line - 1])) if place.line else []
    except (OSError, ValueError, IndexError):
        return []


def excerpt_lines(place: Place) -> list[Text]:
    """The source line of a place with a caret under its column, or its several lines; empty if they are unknown."""
    line = place.excerpt.replace("\t", " ").rstrip()
    if not line:
        return []
    if "\n" in line:
        # A caret in the first line could point at correct text.
        numbers = [f"{(place.line or 1) + n:>5}" for n in range(MOST_LINES)] + [" " * 5]
        pairs = zip(numbers, line.split("\n"), strict=False)
        return [Text.assemble((f"{number} | ", "dim"), each[:_WIDTH]) for number, each in pairs]
    column = place.column or 0
    start = max(column - _WIDTH // 2, 0) if len(line) > _WIDTH else 0
    shown = line[start : start + _WIDTH]
    gutter = f"{place.line:>5} | " if place.line else "      | "
    lines = [Text.assemble((gutter, "dim"), shown)]
    if column:
        below = (" " * (len(gutter) - 2) + "| ", "dim")
        lines.append(Text.assemble(below, " " * (column - 1 - start), ("^", "bold")))
    return lines


_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


def finding_text(finding: Finding, *same: Finding) -> Text:
    """A finding in a few lines: place, severity, code and what TLC does; below it what would be right, and where else."""
    place, code = printable(str(finding.place)), f"{finding.severity.value}[{finding.code}]"
    said = f" {printable(finding.message)}"
    text = Text.assemble((place, "bold"), ": ", (code, _STYLES[finding.severity]), said)
    for line in source_line(finding.place) if finding.code == "syntax" else ():
        text.append("\n").append(line)
    if finding.hint:
        text.append(f"\n    {printable(finding.hint)}", style="dim")
    if same:
        places = ", ".join(printable(str(each.place)) for each in same)
        text.append(f"\n    the same at {places}", style="dim")
    return text


def findings_summary(
    findings: Sequence[Finding], files: int, unread: int, skipped: int, unreached: int
) -> str:
    """The number of findings of each severity, of files, of those not read whole, of configs without a module, and of findings on what no check reaches."""
    numbers = Counter(each.severity for each in findings)
    counts = [counted(numbers[severity], severity.value) for severity in Severity if numbers[severity]]
    looked = counted(files, "file")
    lost = f", {unread} of which could not be read whole" if unread else ""
    left = f"; {counted(skipped, 'config')} without a module not linted" if skipped else ""
    beyond = f"; {unreached} more in what no check reaches" if unreached else ""
    return f"{', '.join(counts) or 'nothing found'} in {looked}{lost}{left}{beyond}"


# The JSON of ``inspect --json``.
Item = Mapping[str, Any]
# Hides the operators of named instances: there are many, and a config cannot name them.
_HIDDEN_MARK = "!"


def inspection_text(inspection: Item) -> RenderableType:
    """The non-empty sections of what ``inspect_spec`` returns, and the command to type next."""
    found = {name: inspection[name] for name in ("constants", "variables", "assumptions", "operators")}
    shown = [item for item in found["operators"] if _HIDDEN_MARK not in item["name"]]
    sections: dict[str, list[list[Text]]] = {
        "Constants": [[_head(i), _kind(i), _words(i["comment"]), _where(i)] for i in found["constants"]],
        "Variables": [[_head(i), _words(i["comment"]), _where(i)] for i in found["variables"]],
        "Assumptions": [[_words(i["text"]), _where(i)] for i in found["assumptions"]],
        "Operators": [[_head(i), Text(i["level"], "dim"), _words(i["comment"]), _where(i)] for i in shown],
        "Candidates": [
            [Text(key.replace("_", " ")), Text(", ".join(names))]
            for key, names in inspection["candidates"].items()
            if names
        ],
    }
    if hidden := [item["name"] for item in found["operators"] if _HIDDEN_MARK in item["name"]]:
        rest = f"and {len(hidden)} of named instances, such as {hidden[0]}"
        sections["Operators"].append([Text(rest, "dim"), Text(), Text(), Text()])
    parts: list[RenderableType] = [
        Text.assemble((inspection["module"], "bold"), f"  {inspection['file']}"),
        *_modules(inspection),
    ]
    for title, rows in sections.items():
        if rows:
            table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
            # What a name says and all candidates take the rest of the line.
            wide = len(rows[0]) - 2 if title != "Candidates" else 1
            for column in range(len(rows[0])):
                table.add_column(overflow="fold", no_wrap=column != wide)
            for row in rows:
                table.add_row(*row)
            parts += ["", Text(title, "bold"), Padding(table, (0, 0, 0, 2), expand=False)]
    following = f"tla2py init {shlex.quote(inspection['file'])} -o sweep.toml"
    return Group(*parts, "", Text.assemble(("Next   ", "bold"), following))


def _modules(inspection: Item) -> Iterable[Text]:
    """A line per module with a file, and one line for the standard modules."""
    extends = inspection["extends"]
    for each in extends:
        if not each["standard"]:
            yield Text.assemble(("  extends  ", "dim"), f"{each['module']}  ", (str(each["file"]), "dim"))
    standard = [each["module"] for each in extends if each["standard"]]
    if standard:
        yield Text.assemble(("  extends  ", "dim"), ", ".join(standard), ("  (standard)", "dim"))
    for each in inspection["instances"]:
        if not each["standard"]:
            named = (f"{each['name']} = " if each["name"] else "") + f"{each['module']}  "
            yield Text.assemble(("  instance ", "dim"), named, (str(each["file"]), "dim"))
    if inspection["pluscal"]:
        yield Text("  has a PlusCal algorithm", "dim")


def _kind(item: Item) -> Text:
    shown = Text(str(item["kind"]), "green" if item["needs_value"] else "dim")
    return shown.append("" if item["certain"] or not item["needs_value"] else " ?", "yellow")


def _head(item: Item) -> Text:
    """A name with its parameters, as declared."""
    parameters = item.get("parameters") or ["_"] * item.get("arity", 0)
    text = Text(str(item["name"]), "cyan")
    return text.append(f"({', '.join(parameters)})" if parameters else "", "not bold default")


def _words(value: str | None) -> Text:
    return Text(cut(" ".join((value or "").split()), 200))


def _where(item: Item) -> Text:
    """Module and line; ``--json`` gives the whole place."""
    line = str(item["where"]).rsplit(":", 2)[1]
    return Text(f"{item['module']}:{line}", "dim")


_MB = 1e6


def tools_json(jars: Sequence[FoundJar], javas: Sequence[FoundJava]) -> dict[str, object]:
    """All jars and Javas, and the folder of the CommunityModules."""
    community = community_modules()
    facts = ("version", "revision", "date", "sha256")
    return {
        "jars": [
            {
                "name": jar.name,
                "path": str(jar.path),
                **{name: getattr(jar.jar, name, None) for name in facts},
                "used": jar.used,
                "note": jar.note,
            }
            for jar in jars
        ],
        "javas": [
            {"path": str(java.path), "version": java.version, "used": java.used, "note": java.note}
            for java in javas
        ],
        "community_modules": str(community) if community else None,
    }


def community_line() -> str:
    """A line on the installed CommunityModules, or on how to install them."""
    missing = f"not installed; {INSTALL_NEWEST} installs them with a TLC that they work with"
    return f"CommunityModules: {community_found() or missing}"


def community_found() -> str | None:
    """The installed CommunityModules: their number, whether the build is official, digest and folder; None without any."""
    folder, jar = community_modules(), community_jar()
    if folder is None or jar is None:
        return None
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    kind = "an official build" if digest in official_classes() else "not a build that tla2py knows"
    modules = counted(sum(1 for _ in folder.glob("*.tla")), "module")
    return f"{modules} with Java classes, {kind}, sha256 {digest[:12]}, {folder}"


def jars_table(jars: Sequence[FoundJar]) -> Table:
    """One row per jar; the one that runs use is in bold."""
    table = plain_table("tools", "TLC", "revision", "date", "sha256", "path", "")
    for found in jars:
        facts = found.jar
        cells = (facts.version, facts.revision, facts.date, facts.sha256[:12]) if facts else ("", "", "", "")
        table.add_row(found.name, *cells, str(found.path), found.note, style="bold" if found.used else "")
    return table


def javas_table(javas: Sequence[FoundJava]) -> Table:
    """One row per Java; the one that runs use is in bold."""
    table = plain_table("Java", "path", "")
    for java in javas:
        table.add_row(java.version or "?", str(java.path), java.note, style="bold" if java.used else "")
    return table


def download_progress(name: str) -> Callable[[int, int | None], None]:
    """A function that prints how many bytes have arrived: one changing line on a terminal, else a line every two seconds."""
    terminal, due = sys.stderr.isatty(), 0.0

    def report(done: int, total: int | None) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due or done == total:
            due = now + (0.1 if terminal else 2.0)
            of = f" of {total / _MB:.1f}" if total else ""
            end = "\r" if terminal and done != total else "\n"
            sys.stderr.write(f"{name}: {done / _MB:.1f}{of} MB{end}")
            sys.stderr.flush()

    return report
