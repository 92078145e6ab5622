"""Runs the models of a checkout of tlaplus/Examples on Spark and compares TLC's answers with its manifests.

Usage: python scripts/corpus.py CORPUS [--limit 30s] [--tla2tools JAR] [-L DIR]... [-o STORES]

It runs all models of mode exhaustive search, simulate and generate whose recorded runtime is within the limit, and prints how
many verdicts and state counts agree with the manifests, with a table of the differences and their reasons. Results go to a folder
of stores, by default runs/corpus-JAR, one for each mode and its options; a second run executes only what is missing. The exit code is 1 if a difference has any other reason
than something this TLC or a module lacks, or the limits.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from tla2py.analysis.view import open_view
from tla2py.cli.progress import ConsoleListener
from tla2py.errors import Tla2pyError
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.outcome import Outcome, Verdict
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.sweep.load import sweep_of_models
from tla2py.sweep.selection import Unread
from tla2py.sweep.sweep import Sweep
from tla2py.text import parse_duration
from tla2py.tla.module import COMMUNITY_MODULES, STANDARD_MODULES
from tla2py.tlc.config.read import result_of
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.toml import document

SEARCH = "exhaustive search"
# The modes of manifests, as sweep files have them.
MODES = {SEARCH: "check", "simulate": "simulate", "generate": "generate"}
# Until 2025 TLC supports \cdot only with this option.
CDOT = "-Dtlc2.tool.impl.Tool.cdot=true"
REASONS = {
    "lacks": "needs what this TLC lacks",
    "java": "needs Java code of the CommunityModules",
    "absent": "needs modules that are absent",
    "sany": "refused by SANY of this TLC",
    "limits": "no answer within the limits",
    "real": "differs",
}
# TLC's messages about features it lacks, and how the report names them.
_LACKING = (
    (r"TLCGet\((\S+)\) was undefined", 'TLCGet("{}")'),
    (r"The [\w ]+ (ALIAS|POSTCONDITION|CHECK_DEADLOCK) specified in the configuration file", "{} in configs"),
    (r"[Uu]nrecognized option: (-\w+)", "the option {}"),
    (rf"Cannot find source file for module ({'|'.join(STANDARD_MODULES)})\b", "module {}"),
)


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A model in a manifest; ``runtime`` is ``HH:MM:SS`` or unknown, ``path`` starts at the root of the checkout."""

    path: str
    mode: str | dict[str, Any]
    result: str
    runtime: str = "unknown"
    distinct: int | None = msgspec.field(name="distinctStates", default=None)
    generated: int | None = msgspec.field(name="totalStates", default=None)
    workers: int | str = "auto"

    @property
    def kind(self) -> str:
        """The mode: exhaustive search, simulate, generate or symbolic."""
        return self.mode if isinstance(self.mode, str) else next(iter(self.mode), "mode")

    @property
    def seconds(self) -> int | None:
        """The recorded runtime in seconds, if known."""
        found = re.fullmatch(r"(\d+):(\d+):(\d+)", self.runtime)
        return None if found is None else int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3])


class Module(msgspec.Struct, frozen=True, kw_only=True):
    """A module in a manifest."""

    path: str
    models: list[Recorded] = []
    features: list[str] = []


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A ``manifest.json``."""

    modules: list[Module]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model of a manifest with its module."""

    module: Module
    model: Recorded

    @property
    def options(self) -> dict[str, Any]:
        """The keys of ``[tlc]`` in a sweep file with which TLC runs it."""
        found: dict[str, Any] = {}
        if self.model.kind != SEARCH:
            found["mode"] = MODES[self.model.kind]
        if isinstance(self.model.mode, dict) and (count := self.model.mode["simulate"].get("traceCount")):
            found["num"] = int(count)
        if isinstance(self.model.workers, int):
            found["workers"] = self.model.workers
        if "action composition" in self.module.features:
            found["java_options"] = [CDOT]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of the corpus: its manifest entry, its result, and the reason for a difference.

    ``verdict`` and ``counts`` are whether they agree with the manifest; ``counts`` is None if it has no counts.
    """

    entry: Entry
    found: str
    verdict: bool
    counts: bool | None
    reason: str = ""
    detail: str = ""

    @property
    def agrees(self) -> bool:
        """Whether verdict and counts agree."""
        return self.verdict and self.counts is not False


def recorded_models(corpus: Path) -> list[Entry]:
    """The models of all manifests of a checkout. Raises Tla2pyError for a file that is not a manifest."""
    found = []
    for path in sorted(corpus.rglob("manifest.json")):
        try:
            manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
        except msgspec.DecodeError as error:
            raise Tla2pyError("manifest", str(error), where=str(path)) from error
        found += [Entry(module=module, model=model) for module in manifest.modules for model in module.models]
    return found


def within(entries: Sequence[Entry], seconds: float) -> list[Entry]:
    """The models of a known result in one of ``MODES`` whose recorded runtime is within the limit."""
    return [
        entry
        for entry in entries
        if entry.model.kind in MODES
        and entry.model.result != "unknown"
        and entry.model.seconds is not None
        and entry.model.seconds <= seconds
    ]


def sweeps_of(
    entries: Sequence[Entry], corpus: Path, libraries: Sequence[Path], options: SweepOptions
) -> Iterator[Sweep | Unread]:
    """A sweep of the models that have the same options, for each of them; and the models of which none could be read."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        name = "-".join(f"{key}-{value}" for key, value in entry.options.items()) or "search"
        text = document({"name": re.sub(r"[^\w-]+", "-", name).strip("-"), "tlc": entry.options})
        groups.setdefault(text, []).append(entry)
    for text, group in groups.items():
        models = {entry.model.path: entry.module.path for entry in group}
        yield from _sweep(models, text, corpus, libraries, options)


def _sweep(
    models: Mapping[str, str], text: str, corpus: Path, libraries: Sequence[Path], options: SweepOptions
) -> Iterator[Sweep | Unread]:
    try:
        yield options.apply(sweep_of_models(corpus / "corpus.toml", models, libraries, text=text))
    except Tla2pyError as error:
        if len(models) == 1:
            yield Unread(config=next(iter(models)), error=error)
            return
        # None of them can be run, each for its own reason.
        for config, module in models.items():
            yield from _sweep({config: module}, text, corpus, libraries, options)


def compared(swept: SweepResult, entries: Mapping[str, Entry]) -> Iterator[Model]:
    """Every model of the sweep, compared with its manifest entry; ``entries`` are by config."""
    rows = {int(row["point"]): row for row in open_view(swept.store.path).arrow("runs").to_pylist()}
    for point, run in zip(swept.plan.points, swept.plan.runs, strict=True):
        entry = entries[point.parameters["config"]]
        model = _compare(entry, rows[point.index])
        if not model.agrees:
            with swept.store.archive(run.run_id) as archive:
                result = interpret_record(archive.record, archive.stdout)
                streams = archive.stderr(1)
            said = "\n".join(
                [*(each.text for each in result.diagnostics if each.severity == "error"), streams]
            )
            reached = {module.name for module in swept.sweep.spec(point.parameters).modules}
            reason, detail = explain(result.outcome, said, run.config_text, reached)
            model = replace(model, reason=reason, detail=detail or "other counts")
        yield model
    yield from (_unread(each, entries) for each in swept.sweep.selection.unread)


def _compare(entry: Entry, row: Mapping[str, object]) -> Model:
    outcome = Outcome(str(row["outcome"]))
    expected = result_of(entry.model.result)
    verdict = expected in (outcome, Verdict(str(row["verdict"]))) or (
        expected is Verdict.HOLDS and entry.model.kind != SEARCH and outcome is Outcome.BOUNDED_SUCCESS
    )
    recorded = (entry.model.distinct, entry.model.generated)
    found = (row["distinct"], row["generated"])
    counts = None if None in recorded else recorded == found
    text = outcome.value.replace("_", " ")
    return Model(
        entry=entry,
        found=f"{text}, {_counts(*found)}" if counts is False else text,
        verdict=verdict,
        counts=counts,
    )


def _counts(distinct: object, generated: object) -> str:
    return f"{distinct} of {generated} states" if distinct is not None else "no states"


def _unread(unread: Unread, entries: Mapping[str, Entry]) -> Model:
    entry = entries[unread.config]
    missing = (
        re.search(r"module (\w+)", unread.error.message) if unread.error.code == "module-missing" else None
    )
    return Model(
        entry=entry,
        found="not read",
        verdict=False,
        counts=None if entry.model.distinct is None else False,
        reason="absent" if missing else "real",
        detail=missing[1] if missing else unread.error.line,
    )


def explain(outcome: Outcome, said: str, config: str, reached: set[str]) -> tuple[str, str]:
    """Why a model's result differs from its manifest entry: a key of ``REASONS``, and the detail.

    ``said`` is TLC's error output, ``config`` the config it read, ``reached`` the names of the model's modules.
    """
    for pattern, words in _LACKING:
        if found := re.search(pattern, said):
            return "lacks", words.format(found[1])
    if found := re.search(r"configuration file at line (\d+)\s+It was expecting a keyword", said):
        lines = config.splitlines()[: int(found[1])]
        keywords = re.findall(r"^(ALIAS|POSTCONDITION|CHECK_DEADLOCK)\b", "\n".join(lines), re.MULTILINE)
        if keywords:
            return "lacks", f"{keywords[-1]} in configs"
    if found := re.search(r"Cannot find source file for module (\w+)", said):
        return "absent", found[1]
    if outcome is Outcome.ERROR_SPEC_PARSE:
        return "sany", _line(said)
    if outcome in (Outcome.TIMEOUT, Outcome.OUT_OF_MEMORY):
        return "limits", outcome.value.replace("_", " ")
    broken = outcome.value.startswith(("error", "failure")) or outcome is Outcome.VIOLATION_ASSUMPTION
    if broken and (java := sorted(reached & COMMUNITY_MODULES)):
        named = [name for name in java if re.search(rf"\b{name}\b", said)]
        return "java", f"{', '.join(named or java)}: {_line(said)}"
    return "real", _line(said)


def _line(said: str) -> str:
    text = " ".join(said.split())
    return text if len(text) <= 160 else f"{text[:157]}..."


def report(models: Sequence[Model], limit: str, version: str) -> Iterator[str]:
    """The lines of the report, in Markdown."""
    counted = [each for each in models if each.counts is not None]
    yield f"{version}: {len(models)} models are recorded at {limit} or less."
    yield f"Verdicts as recorded: {sum(each.verdict for each in models)} of {len(models)}."
    yield f"Counts of states as recorded: {sum(bool(each.counts) for each in counted)} of {len(counted)}."
    other = [each for each in models if not each.agrees]
    for reason, number in Counter(each.reason for each in other).most_common():
        yield f"- {REASONS[reason]}: {number}"
    if other:
        yield ""
        yield "| model | recorded | found | why |"
        yield "|---|---|---|---|"
    for each in sorted(other, key=lambda each: (list(REASONS).index(each.reason), each.entry.model.path)):
        said = each.entry.model
        recorded = said.result + (
            f", {_counts(said.distinct, said.generated)}" if each.counts is False else ""
        )
        name = said.path.removeprefix("specifications/")
        detail = each.detail.replace("|", "\\|")
        yield f"| {name} | {recorded} | {each.found} | {REASONS[each.reason]}: {detail} |"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the corpus and print the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    parser.add_argument("--limit", default="30s", metavar="DURATION")
    parser.add_argument("--tla2tools", type=Path, metavar="JAR")
    parser.add_argument("-L", "--library", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("-o", "--stores", type=Path)
    parser.add_argument("--master", default="local[2]", metavar="URL")
    parser.add_argument("--executor", type=ExecutorName)
    parser.add_argument("--timeout", default="15m", metavar="DURATION", help="of one run")
    parser.add_argument("--memory", default="3GiB", metavar="SIZE", help="of one run")
    options = parser.parse_args(argv)
    taken = within(recorded_models(options.corpus), parse_duration(options.limit, "--limit"))
    if not taken:
        parser.error(
            f"no manifest below {options.corpus} has a model of TLC recorded at {options.limit} or less"
        )
    entries = {entry.model.path: entry for entry in taken}
    limits = SweepOptions(timeout=options.timeout, memory=options.memory, tla2tools=options.tla2tools)
    found = list(sweeps_of(taken, options.corpus, options.library, limits))
    sweeps = [each for each in found if isinstance(each, Sweep)]
    toolchain = find_toolchain(options.tla2tools)
    stores = options.stores or Path("runs") / f"corpus-{toolchain.jar.sha256[:8]}"
    listener = ConsoleListener()
    executors = choose_executor(options.executor, options.master, listener, only_runs=True)
    # Of a single sweep it would be the store itself.
    store = stores / sweeps[0].name if len(sweeps) == 1 else stores
    swept = run_sweeps(sweeps, toolchain, executors, store=store, listener=listener) if sweeps else []
    models = [model for each in swept for model in compared(each, entries)]
    models += [_unread(each, entries) for each in found if isinstance(each, Unread)]
    for line in report(models, options.limit, toolchain.jar.tlc):
        print(line)
    return int(any(each.reason == "real" for each in models))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Tla2pyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        # The store keeps the finished runs.
        sys.exit(130)
