"""The result at one point of a sweep."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from tla2py.model.logs import LogContent, LogPart, LogRemark
from tla2py.model.model import NO_INPUTS, Assignment, Config, InputFile, Inputs
from tla2py.model.outcome import CoverageItem, Diagnostic, Outcome, Stats, Verdict, Violation, is_simulated
from tla2py.model.trace import Trace
from tla2py.tla.graph import Assertion, CheckedAssumption, ModuleGraph

# Increase it when runs execute differently, so that old records do not apply to new runs.
EXECUTION_VERSION = 1
# Half of a sha256.
ID_BYTES = 16
# Increase it when the format of records changes; records without a version have version 1.
RECORD_VERSION = 1

Mode = Literal["check", "simulate", "generate"]
Find = Literal["first", "each"]
Purpose = Literal["run", "trivial", "rest", "further", "attribution", "verify", "log", "message"]
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

    ``disk_bytes`` limits what it writes, None is its share of the free space, see ``tla2py.tlc.process.bubblewrap``. With
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
    assertions: those that TLC can reach.
    safety, liveness: the properties that a finite beginning of a behaviour refutes, and the others.
    assumptions: those that TLC checks, of a model without a behaviour, which checks nothing else.
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
    assertions: tuple[Assertion, ...] = ()
    safety: tuple[str, ...] = ()
    liveness: tuple[str, ...] = ()
    assumptions: tuple[CheckedAssumption, ...] = ()

    def __post_init__(self) -> None:
        # All that can change TLC's answer. Limits are left out: a run that ended within them ends the same under others.
        facts = [
            EXECUTION_VERSION,
            self.main,
            sorted(self.modules),
            self.config_text,
            _facts(self.options),
            self.jar_sha256,
        ]
        # Trust lets TLC read more files.
        if self.limits.trust:
            facts.append("trust")
        # Before, what a simulation says of liveness was not verified.
        if self.liveness and self.options.mode != "check":
            facts.append("verified")
        if given := self.inputs.facts():
            facts.append(given)
        if self.refused is not None:
            facts.append(["refused", self.refused])
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
        object.__setattr__(self, "run_id", hashlib.sha256(text.encode()).digest()[:ID_BYTES].hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One process of TLC: its command, its end, its use of resources.

    purpose: ``run`` as configured, ``trivial`` to find out which property TLC takes for FALSE before it computes a state,
        ``rest`` without those properties, or without those of which a simulation made a violation up, ``further``
        without the definitions found violated so far, ``attribution`` to find out which temporal property was violated,
        ``verify`` to check a behaviour of the execution before, ``log`` to learn how TLC takes the lines of a log,
        ``message`` to learn from another TLC why this one stopped, where it prints no message.
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
    most a hundred. The record's archive also has the output of execution n, ``n/stdout.txt`` and ``n/stderr.txt``. ``originals``,
    ``assertions``, ``safety``, ``liveness`` and ``assumptions`` are as in ``Run``, ``expressions`` as in ``Config``. ``remarks``
    are those on its log. ``content`` is how many of its lines say something, None where the module reads the log itself.
    ``executor`` is None in records of older versions,
    and outside of sweeps.
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
    content: LogContent | None = None
    assertions: tuple[Assertion, ...] = ()
    safety: tuple[str, ...] = ()
    liveness: tuple[str, ...] = ()
    assumptions: tuple[CheckedAssumption, ...] = ()
    expressions: tuple[Assignment, ...] = ()
    executor: ExecutorKind | None = None
    record_version: int = RECORD_VERSION

    @property
    def answers(self) -> int:
        """The number of executions that the result is made of, without those that only explain or replace another."""
        others = ("trivial", "rest", "verify", "message")
        return sum(execution.purpose not in others for execution in self.executions)

    @property
    def counted(self) -> Execution:
        """The execution that the counts are of: the last that took the place of the run, otherwise the run."""
        rest = [execution for execution in self.executions if execution.purpose == "rest"]
        return rest[-1] if rest else self.executions[0]


# Outcomes that say nothing about the model, so that the run is executed again.
RETRIED = frozenset({Outcome.KILLED, Outcome.NOT_STARTED})


@lru_cache(maxsize=64)
def _facts(options: TlcOptions) -> dict[str, object]:
    facts = asdict(options)
    if not options.overrides:
        del facts["overrides"]  # keeps the digests from before overrides existed
    return facts


def digest_text(text: str) -> str:
    """The sha256 of a module's text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run had come in its log when it printed a new maximum.

    ``position`` is the value of the expression that counts, ``length`` that of the log as the module reads it, and
    ``entry`` its element there as TLA+ text; None if the sequence is not known.
    """

    position: int
    length: int | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The interpretation of a run's executions, or of one of them; always derivable from the raw record.

    Outcome and statistics are those of the first execution; violations and traces are those of all. ``undecided`` names
    the definitions that a further execution under ``find = "each"`` could not decide within its limits. ``prints`` are
    the first values that Print, PrintT or an Assert printed in the first execution, ``print_count`` counts all of them.
    ``progress`` is that through the log that the run checks, if its lines are counted.
    """

    outcome: Outcome
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    traces: tuple[Trace, ...] = ()
    stats: Stats = field(default_factory=Stats)
    coverage: tuple[CoverageItem, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    undecided: tuple[str, ...] = ()
    tlc_version: str | None = None
    tlc_revision: str | None = None
    prints: tuple[str, ...] = ()
    print_count: int = 0
    progress: tuple[Progress, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether a simulation ended by its own budget without a violation."""
        stats = self.stats
        return is_simulated(self.outcome, stats.distinct, stats.generated, stats.behaviours)

    @property
    def trace_length(self) -> int | None:
        """The number of states of the shortest trace of a violation, None without one."""
        lengths = [len(trace.states) for trace in self.traces if trace.states and not trace.cut_off]
        return min(lengths) if self.violations and lengths else None


# The folder in an execution's folder where TLC works.
WORK = "run"
# The folder beside it with what the run wrote and a sweep keeps.
OUTPUTS = "outputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutedRun:
    """An executed run.

    ``folders`` hold the output of its executions, which TLC cannot open for writing; it worked in ``WORK`` below each.
    A ``cancelled`` run was stopped on request; its result means nothing.
    """

    record: RunRecord
    folders: tuple[Path, ...]
    result: RunResult
    cancelled: bool

    @property
    def output(self) -> str:
        """What TLC printed in the first execution."""
        return (self.folders[0] / "stdout.txt").read_text(encoding="utf-8", errors="replace")


_WORD = re.compile(r"\w+")
# Ten thousand points share their modules.
_digest = lru_cache(maxsize=256)(digest_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleTexts:
    """The modules of a run.

    originals: the user's own texts of the changed modules.
    texts: every text by its sha256.
    paths: the user's files by the sha256 of their texts.
    """

    modules: tuple[ModuleText, ...]
    originals: tuple[ModuleText, ...]
    texts: dict[str, str]
    paths: dict[str, str]


def module_texts(
    spec: ModuleGraph,
    main: str,
    wrapper: str | None,
    config_text: str,
    added: Mapping[str, str] = MappingProxyType({}),
) -> ModuleTexts:
    """The run's modules; root definitions that the wrapper module ``main`` uses lose their LOCAL.

    ``added`` are the texts of further modules by file name, or of those to use instead.
    """
    modules: list[ModuleText] = []
    originals: list[ModuleText] = []
    texts: dict[str, str] = {}
    paths: dict[str, str] = {}
    if wrapper is not None:
        for name, text in ((f"{main}.tla", wrapper), *added.items()):
            modules.append(ModuleText(name, _digest(text)))
            texts[modules[-1].sha256] = text
    for module in spec.modules:
        if f"{module.name}.tla" in added:
            continue
        text, own = module.text, module.original or module.text
        if wrapper is not None and module is spec.root:
            text = without_local(spec, frozenset(_WORD.findall(f"{config_text}\n{wrapper}")))
        name, sha256 = f"{module.name}.tla", _digest(text)
        modules.append(ModuleText(name, sha256))
        texts[sha256] = text
        if text != own:
            originals.append(ModuleText(name, _digest(own)))
            texts[_digest(own)] = own
        if module.path is not None:
            paths.setdefault(_digest(own), str(module.path))
    return ModuleTexts(modules=tuple(modules), originals=tuple(originals), texts=texts, paths=paths)


def without_local(spec: ModuleGraph, names: frozenset[str]) -> str:
    """The text of the root with LOCAL blanked out before the definitions with these names.

    TLC sees LOCAL definitions of the module it starts on, but not those of a module that it extends.
    """
    root = spec.root
    lines = root.text.split("\n")
    begins = [d.span for d in root.definitions if d.local and d.name in names]
    defined = {module.name: {each.name for each in module.definitions} for module in spec.modules}
    for instance in root.instances:
        if instance.local and instance.name is None and names & defined.get(instance.module, set()):
            begins.append(instance.span)
    if not begins:
        return root.text
    for span in begins:
        # It is at that place, or the last one before it; columns stay the same.
        for number in range(span.begin_line - 1, -1, -1):
            end = span.begin_column - 1 + len("LOCAL") if number == span.begin_line - 1 else None
            if found := [*re.finditer(r"\bLOCAL\b", lines[number][:end])]:
                begin, after = found[-1].span()
                lines[number] = lines[number][:begin] + " " * (after - begin) + lines[number][after:]
                break
    return "\n".join(lines)
