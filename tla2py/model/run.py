"""One run: what is to be executed, under which limits, and the facts about what was executed.

Nothing here behaves; these values travel to wherever TLC is executed and back.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from tla2py.model.config import Config
from tla2py.model.outcome import Outcome

# Raised whenever the way runs are executed changes so that old records no longer stand for new runs.
EXECUTION_VERSION = 1
# Raised whenever the format of records changes; records without a version have the first.
RECORD_VERSION = 1

Mode = Literal["check", "simulate", "generate"]
Find = Literal["first", "each"]
Purpose = Literal["run", "further", "attribution"]
TerminationReason = Literal["timeout", "memory", "disk", "disk-full", "output", "killed"]


class ModuleText(NamedTuple):
    """A module of a run: the name of its file and the sha256 of its text."""

    name: str
    sha256: str


class ClassFile(NamedTuple):
    """A Java class given to TLC: the name of its file and the sha256 of its content."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TlcOptions:
    """How TLC is to search; everything here can change its answer and is part of the run's digest.

    ``mode`` is check, simulate or generate, a simulation that computes one successor at a time; ``num`` and ``depth``
    bound a simulation (behaviours, states each). ``find`` is first or each. ``graph`` keeps the state graph of a check,
    ``behaviours`` those of a simulation. ``fp`` is the index of the fingerprint polynomial, which TLC else chooses at
    random. ``overrides`` are the Java classes given to TLC.
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
    """What one execution of TLC may take: wall-clock seconds and bytes of memory, everything included.

    ``disk_bytes`` is what it may write, None for its share of what is free, see ``tla2py.tlc.sandbox.quota``.
    With ``trust`` it also gets the environment, the files and the network that this process has.
    """

    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None = None
    trust: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One model to be executed: small, hashable and picklable.

    ``modules`` are all modules reached; their texts travel once for all runs. ``config_text`` is what TLC reads first; ``config`` is kept to render the further runs of ``find = "each"``.
    ``originals`` are the user's own texts of the modules that TLC is given a changed copy of.
    """

    run_id: str
    main: str
    modules: tuple[ModuleText, ...]
    config: Config
    config_text: str
    template: str
    options: TlcOptions
    limits: Limits
    jar_sha256: str
    originals: tuple[ModuleText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The facts about one process: what was started, how it ended, what it took.

    ``purpose`` is run for the run as configured, further for one that goes on without what was found, and attribution
    for one that finds out which temporal property was violated.
    ``exit_code`` is None when the process could not be started and negative for a signal. ``termination_reason`` is
    None when it ended by itself. Seconds are wall-clock and CPU (user and
    system of the whole process), ``peak_memory_bytes`` is the largest resident set.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The raw record of a run: its executions in order, the first being the run as configured.

    The streams of execution n are kept beside it in the record's archive as ``n/stdout.txt`` and ``n/stderr.txt``.
    ``originals`` is as in ``Run``.
    """

    run_id: str
    main: str
    modules: tuple[ModuleText, ...]
    options: TlcOptions
    limits: Limits
    jar_sha256: str
    executions: tuple[Execution, ...]
    originals: tuple[ModuleText, ...] = ()
    record_version: int = RECORD_VERSION


# Outcomes that say nothing about the model: the run has to be executed again.
RETRIED = frozenset({Outcome.KILLED, Outcome.NOT_STARTED})


def digest_run(
    main: str,
    modules: tuple[ModuleText, ...],
    config_text: str,
    options: TlcOptions,
    jar_sha256: str,
    *,
    trust: bool = False,
) -> str:
    """The run id: 32 hexadecimal digits over everything that can change what TLC answers.

    Limits are left out: a run that ended within them would have ended the same under others. Trust is not: with it TLC
    may read what it could not read without.
    """
    facts = [EXECUTION_VERSION, main, sorted(modules), config_text, _facts(options), jar_sha256]
    if trust:
        facts.append("trust")
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def make_run(
    main: str,
    modules: tuple[ModuleText, ...],
    config: Config,
    config_text: str,
    *,
    template: str,
    options: TlcOptions,
    limits: Limits,
    jar_sha256: str,
    originals: tuple[ModuleText, ...] = (),
) -> Run:
    """The run of these inputs, with its digest as its id."""
    return Run(
        run_id=digest_run(main, modules, config_text, options, jar_sha256, trust=limits.trust),
        main=main,
        modules=modules,
        config=config,
        config_text=config_text,
        template=template,
        options=options,
        limits=limits,
        jar_sha256=jar_sha256,
        originals=originals,
    )


@lru_cache(maxsize=64)
def _facts(options: TlcOptions) -> dict[str, object]:
    facts = asdict(options)
    if not options.overrides:
        del facts["overrides"]  # digests from before there were any stand
    return facts


def digest_text(text: str) -> str:
    """The sha256 of a module's text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
