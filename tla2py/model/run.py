"""Runs, their limits, and the records of their executions: plain values that travel to where TLC runs and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from tla2py.model.config import Config
from tla2py.model.inputs import NO_INPUTS, InputFile, Inputs
from tla2py.model.log_part import LogPart
from tla2py.model.logs import LogRemark
from tla2py.model.outcome import Outcome

# Increase it when runs execute differently, so that old records do not apply to new runs.
EXECUTION_VERSION = 1
# Half of a sha256.
ID_BYTES = 16
# Increase it when the format of records changes; records without a version have version 1.
RECORD_VERSION = 1

Mode = Literal["check", "simulate", "generate"]
Find = Literal["first", "each"]
Purpose = Literal["run", "further", "attribution", "log"]
ExecutorKind = Literal["spark", "local"]
TerminationReason = Literal["timeout", "memory", "disk", "disk-full", "output", "killed"]
SandboxKind = Literal["bubblewrap", "kernel", "none"]
SandboxNeed = Literal["auto", "require"]
Wall = Literal["files", "network", "secrets", "processes", "lifetime", "privileges"]
WALLS: tuple[Wall, ...] = get_args(Wall)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """The walls around a process, by what put them up; ``missing`` are those that this system lacks.

    files: it reads and writes only what it may.
    network: it has no network, or can only accept connections.
    secrets: it cannot read the environment and the memory of other processes.
    processes: it cannot signal other processes or change their limits and priorities.
    lifetime: nothing that it starts outlives it.
    privileges: it has no capabilities and gains none.
    """

    by: SandboxKind
    missing: tuple[Wall, ...] = ()


class ModuleText(NamedTuple):
    """A module of a run: the name of its file and the sha256 of its text."""

    name: str
    sha256: str


class ClassFile(NamedTuple):
    """A Java class for TLC: the name of its file and the sha256 of its content."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TlcOptions:
    """Options that can change TLC's answer and are part of the run's digest.

    mode: ``generate`` is a simulation that computes one successor at a time.
    num, depth: the number of behaviours in a simulation, and of states in each.
    graph, behaviours: whether to keep the state graph of a check, or the behaviours of a simulation.
    fp: the index of the fingerprint polynomial, which TLC by default chooses at random.
    overrides: Java classes with implementations of operators.
    """

    mode: Mode = "check"
    find: Find = "first"
    workers: int = 1
    check_deadlock: bool = True
    fp: int = 0
    seed: int = 0
    num: int | None = None
    depth: int | None = None
    coverage: bool = False
    graph: bool = False
    behaviours: bool = False
    options: tuple[str, ...] = ()
    overrides: tuple[ClassFile, ...] = ()
    java_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one execution of TLC: wall-clock seconds, and bytes of memory for the whole process tree.

    ``disk_bytes`` limits what it writes, None is its share of the free space, see ``tla2py.tlc.sandbox.quota``. With
    ``trust`` it runs with this process's environment, files and network. With ``sandbox = "require"`` it does not run
    unless all walls stand.
    """

    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None = None
    trust: bool = False
    sandbox: SandboxNeed = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One model to execute: small, hashable and picklable.

    run_id: a digest of its content.
    modules: all modules it needs; their texts are sent once for all runs.
    config_text: the config that TLC reads; ``config`` is kept to render the further executions of ``find = "each"``.
    originals: the user's own texts of the modules that TLC reads as changed copies.
    refused: why TLC is not started, such as a config that cannot be read; None if it is.
    """

    run_id: str = field(init=False)
    main: str
    modules: tuple[ModuleText, ...]
    config: Config
    config_text: str
    template: str
    options: TlcOptions
    limits: Limits
    jar_sha256: str
    originals: tuple[ModuleText, ...] = ()
    inputs: Inputs = NO_INPUTS
    refused: str | None = None

    def __post_init__(self) -> None:
        digest = RunDigest(
            self.main,
            self.modules,
            self.options,
            self.jar_sha256,
            self.inputs,
            trust=self.limits.trust,
            refused=self.refused,
        )
        object.__setattr__(self, "run_id", digest.of(quoted(self.config_text)).hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One process of TLC: its command, its end, its use of resources.

    purpose: ``run`` as configured, ``further`` without the definitions found violated so far, ``attribution`` to find out
        which temporal property was violated, ``log`` to learn how TLC takes the lines of a log.
    exit_code: None if the process did not start, negative for a signal.
    termination_reason: None if it ended by itself.
    cpu_seconds: user and system time of the whole process.
    peak_memory_bytes: the largest resident set.
    walls: None for a trusted process, one that did not start, and in records of older versions.
    parts: what the numbers stand for that an execution for ``log`` prints.
    """

    purpose: Purpose
    argv: tuple[str, ...]
    config_text: str
    invariants: tuple[str, ...]
    properties: tuple[str, ...]
    check_deadlock: bool
    exit_code: int | None
    termination_reason: TerminationReason | None
    started_at: str
    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    walls: Walls | None = None
    parts: tuple[LogPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The raw record of a run; the first execution is the run as configured.

    ``outputs`` are the files that the first execution wrote and the store keeps, ``dropped`` the names of the others, at
    most a hundred. The record's archive also has the output of execution n, ``n/stdout.txt`` and ``n/stderr.txt``. ``originals`` is as
    in ``Run``. ``remarks`` are those on its log. ``executor`` is None in records of older versions, and outside of sweeps.
    """

    run_id: str
    main: str
    modules: tuple[ModuleText, ...]
    options: TlcOptions
    limits: Limits
    jar_sha256: str
    executions: tuple[Execution, ...]
    originals: tuple[ModuleText, ...] = ()
    inputs: Inputs = NO_INPUTS
    outputs: tuple[InputFile, ...] = ()
    dropped: tuple[str, ...] = ()
    remarks: tuple[LogRemark, ...] = ()
    executor: ExecutorKind | None = None
    record_version: int = RECORD_VERSION


# Outcomes that say nothing about the model, so that the run is executed again.
RETRIED = frozenset({Outcome.KILLED, Outcome.NOT_STARTED})


class RunDigest:
    """The ids of runs that differ only in their configs.

    An id is 32 hexadecimal digits of a digest over everything that can change TLC's answer. Limits are left out: a run
    that ended within them ends the same under others. Trust is included: it lets TLC read more files.
    """

    def __init__(
        self,
        main: str,
        modules: Sequence[ModuleText],
        options: TlcOptions,
        jar_sha256: str,
        inputs: Inputs,
        *,
        trust: bool,
        refused: str | None,
    ) -> None:
        after: list[object] = [_facts(options), jar_sha256]
        if trust:
            after.append("trust")
        if given := inputs.facts():
            after.append(given)
        if refused is not None:
            after.append(["refused", refused])
        # A JSON list, of which the config's text is an item.
        self.before = f"{_json([EXECUTION_VERSION, main, sorted(modules)])[:-1]}, "
        self.after = f", {_json(after)[1:]}"

    def of(self, quoted_config: str) -> bytes:
        """The id, as bytes, of the run with this config; see ``quoted``."""
        return hashlib.sha256(f"{self.before}{quoted_config}{self.after}".encode()).digest()[:ID_BYTES]


def quoted(config_text: str) -> str:
    """A config as an item of what is digested."""
    return _json(config_text)


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


@lru_cache(maxsize=64)
def _facts(options: TlcOptions) -> dict[str, object]:
    facts = asdict(options)
    if not options.overrides:
        del facts["overrides"]  # keeps the digests from before overrides existed
    return facts


def digest_text(text: str) -> str:
    """The sha256 of a module's text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
