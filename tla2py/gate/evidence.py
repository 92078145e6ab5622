"""Evidence: what a store's runs were and said in one file for an auditor, and the same runs again from that file alone.

The file is a zip: ``evidence.json``, the facts of each run in ``runs/RUN_ID.json``, the texts of modules in
``sources/SHA256.tla``, and what runs read in ``inputs/SHA256``. Its comment is the sha256 of all bytes before it: that
finds damage. Against forgery only the digest of the whole file helps, kept elsewhere.
"""

from __future__ import annotations

import hashlib
import io
import platform
import random
import re
import stat
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from tla2py.analysis.view import open_view
from tla2py.errors import StoreError, Tla2pyError, writing
from tla2py.execution.execute import RunExecution
from tla2py.execution.executor import default_slots
from tla2py.files import check_report, store_files, write_atomically
from tla2py.gate.second import FOLDER, comparable
from tla2py.model.finding import Findings
from tla2py.model.model import GivenVariable
from tla2py.model.mutant import MutantRow
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import Run, RunRecord
from tla2py.mutation.mutate import mutants_address
from tla2py.store.address import Address, below, folder_of, is_remote
from tla2py.store.read import run_rows
from tla2py.store.record import EPOCH, UNREADABLE, input_file, read_facts
from tla2py.store.refresh import table_files
from tla2py.store.rows import run_row
from tla2py.store.store import Store
from tla2py.sweep.repository import may_forge
from tla2py.text import parameter_text
from tla2py.tlc.config.read import config_of_run
from tla2py.tlc.config.render import default_template
from tla2py.tlc.process.os_facts import this_machine
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.process.sandbox import check_sandbox
from tla2py.tlc.tools.community import recorded_classes
from tla2py.tlc.tools.jar import copied_jar
from tla2py.tlc.tools.java import find_java
from tla2py.tlc.tools.toolchain import Toolchain, jar_of
from tla2py.version import __version__

_FACTS = "evidence.json"
_ENTRY = re.compile(
    rf"{re.escape(_FACTS)}|runs/\w{{1,64}}\.json|sources/[0-9a-f]{{64}}\.tla|inputs/[0-9a-f]{{64}}"
)
# The length of the comment.
_SEAL = 64
# A pack may come from a stranger.
_MOST_ENTRIES = 500_000
_MOST_BYTES = 2 << 30
# An absolute path within a text.
_PATH = re.compile(r"(?<![\w)\]}./])~?(?:/[\w.@+~-]+)+/([\w.@+-]+)")
_HIDDEN = "sha256:"
# Parameters whose values are those of variables.
_SECRET = ("environment.", "java_properties.")


class PackedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point: its parameters and its row of ``runs``, without messages, which name places of one machine."""

    parameters: dict[str, str]
    row: RunRow


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What ``evidence.json`` says.

    ``machine`` is the one that packed. ``grid`` has the parameters of every point of the sweep, in grid order; it is None in
    packs of older versions. ``missing`` are the points without a result.
    """

    format: Literal["tla2py-evidence"] = "tla2py-evidence"
    version: Literal[1] = 1
    name: str
    tla2py_version: str
    packed_at: str
    repeat: str = "tla2py evidence verify FILE.zip --sample all"
    machine: dict[str, str | float]
    sweep_sha256: str
    jars: dict[str, str]
    points: list[PackedPoint]
    grid: list[dict[str, str]] | None = None
    missing: list[int] = []
    findings: Findings
    mutants: list[MutantRow] = []
    second: list[RunRow] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedPoint:
    """What became of a point that ran again; ``text`` are the differences, or why it did not run or has no answer."""

    point: int
    status: Literal["same", "differs", "unanswered", "unrepeatable"]
    text: str = ""


def write_evidence(address: Address, target: Path, *, with_environment: bool = False) -> str:
    """Write the evidence of a store, and return the sha256 of the file.

    Values of environment variables and Java properties are digests unless ``with_environment``. Raises InputError
    (``output-unwritable``, ``output-is-input``), and StoreError as ``open_view`` and ``Store.archive`` do.
    """
    check_report(target, () if is_remote(address) else store_files(target, folder_of(address)))
    view = open_view(address)
    store, manifest = view.store, view.manifest
    parameters = {each.point: each.parameters for each in view.points}
    for each in () if with_environment else parameters.values():
        each.update({name: _digest(text) for name, text in each.items() if name.startswith(_SECRET)})
    files: dict[str, bytes] = {}
    for run_id in dict.fromkeys(row.run_id for row in view.run_rows):
        with store.archive(run_id) as archive:
            record = archive.record
        for _, sha256 in (*record.modules, *record.originals):
            files[f"sources/{sha256}.tla"] = store.source(sha256).encode()
        for _, sha256 in record.inputs.files:
            files[f"inputs/{sha256}"] = input_file(store.storage, sha256).read_bytes()
        kept = _plain_record(record, with_environment=with_environment)
        files[f"runs/{run_id}.json"] = msgspec.json.format(msgspec.json.encode(kept), indent=1)
    of_second: Sequence[RunRow] = ()
    mutants: list[MutantRow] = []
    with suppress(StoreError):
        if (report := Store.open(mutants_address(store.path)).mutants()) is not None:
            mutants = list(report.mutants)
    with suppress(StoreError):
        of_second = [*run_rows(table_files(Store.open(below(store.path, FOLDER)), "runs"))]
    rows, second = (
        [replace(row, message=None, message_place=None) for row in each]
        for each in (view.run_rows, of_second)
    )
    findings = _plain_text(msgspec.json.encode(store.findings()).decode())
    machine = this_machine()
    facts = Facts(
        name=manifest.name,
        tla2py_version=__version__,
        packed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine={
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": machine.cores,
            "memory_bytes": machine.memory_bytes,
        },
        sweep_sha256=hashlib.sha256(manifest.sweep.encode()).hexdigest(),
        jars={row.jar_sha256: row.tlc or "" for row in (*rows, *second) if row.jar_sha256},
        points=[PackedPoint(parameters=parameters[row.point], row=row) for row in rows],
        grid=[parameters[point] for point in sorted(parameters)],
        missing=sorted({*parameters} - {row.point for row in rows}),
        findings=msgspec.json.decode(findings, type=Findings),
        mutants=mutants,
        second=second,
    )
    files[_FACTS] = msgspec.json.format(msgspec.json.encode(facts), indent=1)
    data = _sealed(files)
    with writing(target):
        write_atomically(target, lambda sink: sink.write(data))
    return hashlib.sha256(data).hexdigest()


def _plain_record(record: RunRecord, *, with_environment: bool) -> RunRecord:
    """A record without what names places of the machine that ran it."""
    inputs, log = record.inputs, record.inputs.log
    if not with_environment:
        environment, properties = _hidden(inputs.environment), _hidden(inputs.java_properties)
        inputs = replace(inputs, environment=environment, java_properties=properties)
    if log is not None:
        named = tuple(each._replace(path=_plain_text(each.path)) for each in log.files)
        inputs = replace(inputs, log=replace(log, path=_plain_text(log.path), files=named))
    executions = tuple(replace(each, argv=()) for each in record.executions)
    content = record.content
    if content is not None and content.first_silent is not None:
        content = replace(content, first_silent=_plain_text(content.first_silent))
    return replace(record, inputs=inputs, executions=executions, remarks=(), content=content)


def _hidden(given: tuple[GivenVariable, ...]) -> tuple[GivenVariable, ...]:
    return tuple(GivenVariable(name, _digest(value)) for name, value in given)


def _digest(value: str) -> str:
    return _HIDDEN + hashlib.sha256(value.encode()).hexdigest()


def _plain_text(text: str) -> str:
    return _PATH.sub(r"\1", text)


def _sealed(files: Mapping[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), files[name], zipfile.ZIP_DEFLATED)
        archive.comment = b"0" * _SEAL
    data = sink.getvalue()[:-_SEAL]
    return data + hashlib.sha256(data).hexdigest().encode()


class EvidencePack(NamedTuple):
    """A pack that was read: its sha256, its facts, and the content of its other entries by name."""

    sha256: str
    facts: Facts
    files: Mapping[str, bytes]


def read_pack(path: Path) -> EvidencePack:
    """A pack; nothing of it is written anywhere.

    Raises StoreError (``pack-damaged``) for a file that has changed since it was written, or that is no pack.
    """
    data = path.read_bytes()
    sealed, seal = data[:-_SEAL], data[-_SEAL:]
    if hashlib.sha256(sealed).hexdigest().encode() != seal:
        raise _damaged(path, "its content is not that of its seal")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_ENTRIES or sum(each.file_size for each in entries) > _MOST_BYTES:
                raise _damaged(path, "it unpacks to more than a pack can have")
            for each in entries:
                if _ENTRY.fullmatch(each.filename) is None or stat.S_ISLNK(each.external_attr >> 16):
                    raise _damaged(path, f"it has an entry {each.filename!r}")
            if len({each.filename for each in entries}) < len(entries):
                raise _damaged(path, "it has two entries of one name")
            files = {each.filename: archive.read(each) for each in entries}
        facts = msgspec.json.decode(files.pop(_FACTS), type=Facts)
        for name, content in files.items():
            digest = name.partition("/")[2].removesuffix(".tla")
            if name.startswith("sources/"):
                content.decode()
            if not name.startswith("runs/") and hashlib.sha256(content).hexdigest() != digest:
                raise _damaged(path, f"{name} has another digest")
    except StoreError:
        raise
    except UNREADABLE as error:
        raise _damaged(path, error) from error
    return EvidencePack(hashlib.sha256(data).hexdigest(), facts, files)


def _damaged(path: Path, why: object) -> StoreError:
    hint = "compare its sha256 with the one that was printed when it was written"
    return StoreError("pack-damaged", f"{path} is not a whole pack of evidence: {why}", hint=hint)


def repeat_points(pack: EvidencePack, sample: int | None) -> list[RepeatedPoint]:
    """What became of ``sample`` of a pack's points that ran again, of all if it is None.

    Nothing in a pack is trusted: runs have the walls around them, and a jar of this machine with the same digest. Raises
    StoreError (``pack-damaged``), and ToolchainError as ``find_java`` does.
    """
    points = pack.facts.points
    if sample is not None:
        # The same ones each time, which nobody could choose beforehand.
        points = random.Random(pack.sha256).sample(points, min(sample, len(points)))  # noqa: S311 - no secret
    java, cancelled = find_java(), threading.Event()
    jars = {sha256: jar for sha256 in pack.facts.jars if (jar := jar_of(sha256)) is not None}
    tools = {sha256: Toolchain(java=java, jar=copied_jar(jar)) for sha256, jar in jars.items()}
    # The pack may say 0, or have no points.
    workers = max([1, *(_record(pack, each.row.run_id).options.workers for each in points)])
    with scratch_folder("tla2py-evidence-") as folder, ThreadPoolExecutor(default_slots(workers)) as threads:
        for name, content in pack.files.items():
            if name.startswith("inputs/"):
                (folder / name.removeprefix("inputs/")).write_bytes(content)
        try:
            return list(threads.map(lambda each: _again(pack, each, tools, folder, cancelled), points))
        except BaseException:
            cancelled.set()
            threads.shutdown(cancel_futures=True)
            raise


def _record(pack: EvidencePack, run_id: str) -> RunRecord:
    """The record of a run. Raises StoreError (``pack-damaged``)."""
    try:
        return read_facts(pack.files[f"runs/{run_id}.json"])
    except UNREADABLE as error:
        raise _damaged(Path(pack.facts.name), f"run {run_id}: {error}") from error


def _again(
    pack: EvidencePack,
    point: PackedPoint,
    tools: Mapping[str, Toolchain],
    folder: Path,
    cancelled: threading.Event,
) -> RepeatedPoint:
    record, row = _record(pack, point.row.run_id), point.row
    run, toolchain = _run_of(record), tools.get(record.jar_sha256)
    tlc = pack.facts.jars.get(record.jar_sha256, "")
    missing = f"no jar here has the sha256 {record.jar_sha256[:12]} of its TLC {tlc}"
    why = missing if toolchain is None else _unrepeatable(run, record, pack)
    if toolchain is None or why:
        return RepeatedPoint(point=row.point, status="unrepeatable", text=why)
    sources = {sha256: pack.files[f"sources/{sha256}.tla"].decode() for _, sha256 in run.modules}
    toolchain = replace(toolchain, overrides=recorded_classes(record.options, toolchain.jar))
    try:
        check_sandbox(run.limits, strange=True)
        execution = RunExecution(run, sources, toolchain, cancelled=cancelled, input_file=folder.joinpath)
        with execution.executed() as executed:
            now = run_row(executed.record, executed.result, row.point)
    except Tla2pyError as error:
        return RepeatedPoint(point=row.point, status="unrepeatable", text=error.line)
    if row.outcome is not now.outcome and now.verdict is Verdict.INCONCLUSIVE:
        return RepeatedPoint(point=row.point, status="unanswered", text=now.unanswered)
    differences = [*_other_parameters(pack, point, record), *_other_answers(row, now, run)]
    text = "; ".join(differences)
    return RepeatedPoint(point=row.point, status="differs" if text else "same", text=text)


# What a run has whatever the search finds.
_OF_EACH_RUN = (
    "verdict",
    "outcome",
    "checked",
    "tlc_version",
    "tlc_revision",
    "jar_sha256",
    "timeout_seconds",
    "memory_bytes",
    "disk_bytes",
)
# What several workers find in another order, and simulations by chance.
_OF_ONE_ORDER = (
    "violated",
    "held",
    "undecided",
    "exit_code",
    "trace_length",
    "suspect",
    "generated",
    "distinct",
    "queue",
    "depth",
    "behaviours",
    "collision_optimistic",
    "collision_observed",
    "executions",
    "print_count",
    "termination_reason",
)


def _other_answers(row: RunRow, now: RunRow, run: Run) -> Iterator[str]:
    """Yield how a run that ran again differs from its row, in all that does not depend on time or chance."""
    names = dict.fromkeys([*_OF_EACH_RUN, *comparable(row, now, run)])
    if run.options.mode == "check" and run.options.workers == 1 and now.termination_reason is None:
        names |= dict.fromkeys(_OF_ONE_ORDER)
    for name in names:
        before, after = _field_text(row, name), _field_text(now, name)
        if before != after:
            yield f"{name} {before}, now {after}"


def _field_text(row: RunRow, name: str) -> str:
    """Return the text of a field of a row."""
    value = getattr(row, name)
    if name == "violated":
        return ", ".join(sorted(row.violated_names)) or "nothing"
    if isinstance(value, tuple):
        return ", ".join(sorted(value)) or "nothing"
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _other_parameters(pack: EvidencePack, point: PackedPoint, record: RunRecord) -> Iterator[str]:
    """Yield the parameters that a point does not have in its sweep, or that its run did not have."""
    grid, number = pack.facts.grid, point.row.point
    if grid is not None and not 0 < number <= len(grid):
        yield f"the sweep has no point {number}"
    elif grid is not None and grid[number - 1] != point.parameters:
        yield f"its parameters are {parameter_text(point.parameters)}, in the sweep {parameter_text(grid[number - 1])}"
    assigned = {each.name: each.value for each in config_of_run(record.executions[0].config_text).assignments}
    given = {f"environment.{name}": value for name, value in record.inputs.environment}
    for name, text in point.parameters.items():
        value = assigned.get(name, given.get(name))
        if value is not None and value.split() != text.split():
            yield f"{name} is {text}, and the run had {value}"


class PackGaps(NamedTuple):
    """What a pack lacks of its sweep.

    removed: the points that the sweep has, of which the pack says nothing.
    runs: the runs in the pack that belong to none of its points.
    """

    removed: tuple[int, ...]
    runs: tuple[str, ...]


def find_gaps(pack: EvidencePack) -> PackGaps:
    """Return the points that a pack lacks of its sweep, and the runs without a point."""
    facts = pack.facts
    packed = {each.row.point for each in facts.points}
    known = packed.union(facts.missing)
    count = max([0, *known]) if facts.grid is None else len(facts.grid)
    removed = tuple(number for number in range(1, count + 1) if number not in known)
    used = {f"runs/{each.row.run_id}.json" for each in facts.points}
    runs = tuple(sorted(name for name in pack.files if name.startswith("runs/") and name not in used))
    return PackGaps(removed, runs)


def _run_of(record: RunRecord) -> Run:
    """The run of a record, never trusted."""
    first = record.executions[0]
    config = config_of_run(first.config_text).listing(dict(record.expressions))
    return Run(
        main=record.main,
        modules=record.modules,
        config=replace(config, expressions=record.expressions, check_deadlock=first.check_deadlock),
        config_text=first.config_text,
        template=default_template(),
        options=record.options,
        limits=replace(record.limits, trust=False),
        jar_sha256=record.jar_sha256,
        originals=record.originals,
        inputs=record.inputs,
        assertions=record.assertions,
    )


def _unrepeatable(run: Run, record: RunRecord, pack: EvidencePack) -> str:
    """Why a run cannot be repeated on any machine, "" if it can."""
    inputs = run.inputs
    given = (*inputs.environment, *inputs.java_properties)
    forging = [text for text in run.options.java_options if may_forge("java_options", text)]
    forging += [name for name, _ in inputs.java_properties if may_forge("java_properties", name)]
    forging += [name for name, _ in inputs.environment if may_forge("environment", name)]
    names = {f"sources/{sha256}.tla" for _, sha256 in run.modules}
    lost = names.union(f"inputs/{sha256}" for _, sha256 in inputs.files) - pack.files.keys()
    if record.limits.trust or forging:
        return f"it ran with trust: {forging[0]}" if forging else "it ran with trust"
    if any(value.startswith(_HIDDEN) for _, value in given):
        return "values of its environment are not in the pack, which was written without --with-environment"
    if lost:
        return f"the pack lacks {min(lost)}"
    if run.run_id != record.run_id:
        return "its id is not that of its content: TLC was not started, or the pack was changed"
    return ""
