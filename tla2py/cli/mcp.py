"""The server of ``tla2py mcp``: the commands as tools for assistants, by the Model Context Protocol.

It decides nothing that a command does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, ListRoots, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ListRootsResult
from pydantic import Field

from tla2py.cli.diagnosis import sweep_schema
from tla2py.cli.mcp_runner import Answer, CallRunner, Status
from tla2py.version import __version__

CFG_GRAMMAR = """\
A TLC config is a sequence of statements; comments are \\* to the end of the line and (* ... *).

SPECIFICATION name                      or INIT name and NEXT name
CONSTANTS  Name = value  Name <- definition  Name <- [Module] definition
INVARIANTS name ...                     predicates on states
PROPERTIES name ...                     temporal formulas
CONSTRAINTS name ...                    states where one is FALSE are not explored further
ACTION_CONSTRAINTS name ...             the same for steps
SYMMETRY name                           a set of permutations; not with liveness
VIEW name   ALIAS name   POSTCONDITION name
CHECK_DEADLOCK TRUE | FALSE

A value is a number, a string, TRUE, FALSE, a model value (a name) or a set {value, ...} of these. It has no records,
functions or sequences: define them in the module and write Name <- definition.
"""

File = Annotated[str, Field(description="A path below a root of the server, relative to the first root.")]
Store = Annotated[
    str, Field(description="The store of a sweep: the name that the sweep was given, or its path.")
]
Values = Annotated[
    dict[str, str] | None,
    Field(description='Values by name, TLA+ as text: {"N": "3", "Servers": "{s1, s2}"}.'),
]
Names = Annotated[list[str] | None, Field(description="Names of definitions, or TLA+ expressions.")]
Points = Annotated[str | None, Field(description="Only these points: 3,5-9.")]
SearchLaws = Annotated[bool, Field(description="Run only the points that decide the laws.")]
NewStore = Annotated[str | None, Field(description="NAME below the output folder; default: the file's.")]
Seconds = Annotated[
    float,
    Field(gt=0, le=3600, description="The budget of the call on the clock; what is done by then is kept."),
]
Memory = Annotated[
    str, Field(pattern=r"^\d+(\.\d+)?[KMG]iB$", description="The memory of one run of TLC, such as 2GiB.")
]


def _client_roots(ctx: Context) -> ListRoots | None:
    found = ctx.client_capabilities
    return ListRoots() if found is not None and found.roots is not None else None


Roots = Annotated[ListRootsResult | None, Resolve(_client_roots)]


def _listed(option: str, values: Sequence[str] | None) -> list[str]:
    return [f"{option}={each}" for each in values or ()]


def _name_value_options(option: str, values: Mapping[str, str] | None) -> list[str]:
    """Return an option for each name and value, as in ``--set=N=3``."""
    return [f"{option}={name}={value}" for name, value in (values or {}).items()]


def _sweep_options(
    store: str, settings: Mapping[str, str] | None, points: str | None, *, search: bool
) -> list[str]:
    """Return the options of a sweep into a store."""
    options = [f"--store={store}", *_name_value_options("--set", settings)]
    if points:
        options.append(f"--points={points}")
    if search:
        options.append("--search")
    return options


def build_server(runner: CallRunner) -> MCPServer:
    """The server with its tools, resources and prompts."""
    server = MCPServer(
        "tla2py",
        version=__version__,
        lifespan=runner.serve,
        instructions="tla2py runs TLC, the TLA+ model checker. Begin with inspect; check a module at small sizes; "
        "a model that holds holds at these sizes only, so judge what it says before you trust it.",
    )
    _add_readers(server, runner)
    _add_runners(server, runner)
    _add_texts(server, runner)
    return server


def _add_readers(server: MCPServer, runner: CallRunner) -> None:
    @server.tool()
    async def inspect(module: File, ctx: Context, roots: Roots) -> Answer:
        """What a module declares: constants with their kinds, variables, operators with their levels, fairness."""
        return await runner.read(ctx, "inspect", "--json", "--", runner.place(module, roots))

    @server.tool()
    async def lint(files: list[File], ctx: Context, roots: Roots) -> Answer:
        """Mistakes in configs and sweep files that TLC ignores or misreads, without running TLC."""
        return await runner.read(
            ctx, "lint", "--format=json", "--", *(runner.place(each, roots) for each in files)
        )

    @server.tool()
    async def init(module: File, sweep_file: str, ctx: Context, roots: Roots) -> Answer:
        """Write a first sweep file for a module, NAME.toml below the output folder; its guesses are marked."""
        written = runner.result(sweep_file)
        return await runner.read(ctx, "init", f"--output={written}", "--", runner.place(module, roots))

    @server.tool()
    async def query(
        store: Store,
        sql: Annotated[
            str, Field(description="SQL for DuckDB over the tables; DESCRIBE runs lists columns.")
        ],
        ctx: Context,
        roots: Roots,
        rows: Annotated[int, Field(ge=1, le=1000)] = 50,
    ) -> Answer:
        """Rows of a store's tables, such as runs, traces, states, changes, coverage, mutants, because."""
        return await runner.read(ctx, "query", "--json", "--", runner.store(store, roots), sql, rows=rows)

    @server.tool()
    async def explain(store: Store, ctx: Context, roots: Roots) -> Answer:
        """For which parameters the properties of a sweep are violated: laws, kinds of counterexamples, what did not run."""
        return await runner.read(ctx, "explain", "--json", "--", runner.store(store, roots))

    @server.tool()
    async def doctor(ctx: Context) -> Answer:
        """What tla2py finds on this machine: Java, TLC and its known faults, the walls of the sandbox."""
        return await runner.read(ctx, "doctor", "--json")

    @server.tool()
    async def more(handle: str, offset: Annotated[int, Field(ge=0, description="In characters.")]) -> str:
        """The text of a long answer from an offset on; empty at its end."""
        return runner.more(handle, offset)


def _add_runners(server: MCPServer, runner: CallRunner) -> None:
    @server.tool()
    async def check(
        module: File,
        ctx: Context,
        roots: Roots,
        config: File | None = None,
        specification: Annotated[str | None, Field(description="Default: the config's, or Spec.")] = None,
        constants: Values = None,
        invariants: Names = None,
        properties: Names = None,
        deadlock: bool = True,
        seconds: Seconds = 60,
        memory: Memory = "2GiB",
    ) -> Answer:
        """Check one model: the verdict, the model that was checked, each counterexample and why it is one."""
        options = [
            *([f"--config={runner.place(config, roots)}"] if config else []),
            *([f"--specification={specification}"] if specification else []),
            *_name_value_options("--constant", constants),
            *_listed("--invariant", invariants),
            *_listed("--property", properties),
            *([] if deadlock else ["--no-deadlock"]),
        ]
        place = runner.place(module, roots)
        return await runner.tlc(ctx, "check", "--json", *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def sweep(
        file: File,
        ctx: Context,
        roots: Roots,
        settings: Values = None,
        points: Points = None,
        search: SearchLaws = False,
        store: NewStore = None,
        seconds: Seconds = 120,
        memory: Memory = "1GiB",
    ) -> Answer:
        """Check a model at all points of a sweep file, or all configs of a folder; called again, it goes on."""
        place = runner.place(file, roots)
        stored = runner.result(store or Path(place).stem)
        options = _sweep_options(stored, settings, points, search=search)
        return await runner.tlc(ctx, "sweep", *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def start(
        file: File,
        roots: Roots,
        settings: Values = None,
        points: Points = None,
        search: SearchLaws = False,
        store: NewStore = None,
        seconds: Annotated[
            float,
            Field(
                gt=0,
                le=86400,
                description="Seconds the sweep may take, from when it begins to run; the limit of each run is the file's.",
            ),
        ] = 3600,
        memory: Memory = "1GiB",
    ) -> Status:
        """Start a long sweep in the background and answer within seconds; ask status for its store. It stops at its budget, or when the server ends."""
        place = runner.place(file, roots)
        stored = runner.result(store or Path(place).stem)
        options = _sweep_options(stored, settings, points, search=search)
        return await runner.start(stored, *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def status(store: Store, roots: Roots) -> Status:
        """How far a sweep is: points done of all, verdicts so far, whether it has ended and its exit code."""
        return await runner.status(store, roots)

    @server.tool()
    async def gate(
        file: File,
        ctx: Context,
        roots: Roots,
        coverage: bool = True,
        vacuity: bool = True,
        store: str | None = None,
        seconds: Seconds = 300,
        memory: Memory = "1GiB",
    ) -> Answer:
        """Judge a sweep file by what it expects and by its lock: verdicts, actions that never fire, checks that cannot fail."""
        place = runner.place(file, roots)
        options = [
            f"--store={runner.result(store or Path(place).stem)}",
            "--coverage" if coverage else "--no-coverage",
            "--vacuity" if vacuity else "--no-vacuity",
        ]
        return await runner.tlc(ctx, "gate", "--json", *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def trace(
        store: Store,
        ctx: Context,
        roots: Roots,
        point: int | None = None,
        number: Annotated[int | None, Field(description="Only this trace of the point.")] = None,
        ask: Annotated[
            Literal["steps", "why", "conjuncts", "essential", "verify"],
            Field(description="All but steps take further runs of TLC."),
        ] = "steps",
        variables: Names = None,
        values: Annotated[
            list[str] | None, Field(description="TLA+ expressions to evaluate in each state.")
        ] = None,
        seconds: Seconds = 60,
    ) -> Answer:
        """Counterexamples: without a point all by kind; of a point its steps, why it is one, which steps it needs."""
        asked = [] if point is None else [str(point)]
        options = [
            *(["--json"] if (ask == "steps" and point is None) or ask in ("why", "conjuncts") else []),
            *([f"--{ask}"] if ask != "steps" else []),
            *([f"--timeout={seconds:.3f}s"] if ask == "essential" else []),
            *([f"--trace={number}"] if number is not None else []),
            *_listed("--only", variables),
            *_listed("--eval", values),
        ]
        place = runner.store(store, roots)
        if ask == "steps" and not values:
            return await runner.read(ctx, "trace", *options, "--", place, *asked)
        return await runner.tlc(
            ctx, "trace", *options, "--", place, *asked, seconds=seconds, memory="2GiB", limited=False
        )

    @server.tool()
    async def validate(
        module: File,
        logs: list[File],
        ctx: Context,
        roots: Roots,
        constants: Values = None,
        seconds: Seconds = 120,
        memory: Memory = "2GiB",
    ) -> Answer:
        """Whether logs of a system are behaviours of a specification, and the first line that nothing explains."""
        places = [runner.place(each, roots) for each in (module, *logs)]
        options = ["--json", *_name_value_options("--constant", constants)]
        return await runner.tlc(ctx, "validate", *options, "--", *places, seconds=seconds, memory=memory)

    @server.tool()
    async def mutate(
        file: File,
        ctx: Context,
        roots: Roots,
        sample: Annotated[int, Field(ge=1, description="So many mutants, drawn by the seed.")] = 20,
        seed: int = 0,
        store: str | None = None,
        seconds: Seconds = 300,
        memory: Memory = "1GiB",
    ) -> Answer:
        """Which small changes of a specification its properties notice; what they miss, they do not say."""
        place = runner.place(file, roots)
        stored = runner.result(store or f"{Path(place).stem}-mutants")
        options = ["--json", f"--store={stored}", f"--sample={sample}", f"--seed={seed}"]
        return await runner.tlc(ctx, "mutate", *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def judge(
        module: File,
        ctx: Context,
        roots: Roots,
        config: File | None = None,
        reference: File | None = None,
        logs: list[File] | None = None,
        names: Annotated[
            Values, Field(description="What is KEY in the reference is VALUE in the specification.")
        ] = None,
        sample: Annotated[int, Field(ge=1)] = 60,
        store: str | None = None,
        seconds: Seconds = 600,
        memory: Memory = "2GiB",
    ) -> Answer:
        """Grade a specification: holds, not vacuous, covered, mutants killed, logs explained, no weaker than a reference."""
        place = runner.place(module, roots)
        options = [
            *([f"--config={runner.place(config, roots)}"] if config else []),
            *([f"--reference={runner.place(reference, roots)}"] if reference else []),
            *_listed("--log", [runner.place(each, roots) for each in logs or ()]),
            *_name_value_options("--map", names),
            f"--sample={sample}",
            f"--output={runner.result(store or f'{Path(place).stem}-judge')}",
        ]
        return await runner.tlc(ctx, "judge", "--json", *options, "--", place, seconds=seconds, memory=memory)

    @server.tool()
    async def testgen(
        store: Store,
        ctx: Context,
        roots: Roots,
        point: int | None = None,
        cover: Annotated[str, Field(description="edges, states, actions, pairs or paths:K.")] = "edges",
        template: Annotated[Literal["pytest", "go"] | None, Field(description="A test suite.")] = None,
        file: Annotated[
            str | None, Field(description="A new file below the output folder; default: the answer.")
        ] = None,
        seconds: Seconds = 60,
    ) -> Answer:
        """Tests of a system from the state graph of a sweep with graph = true: behaviours that cover it."""
        options = [
            f"--cover={cover}",
            *([f"--point={point}"] if point is not None else []),
            *([f"--template={template}"] if template else []),
            *([f"--output={runner.result(file)}"] if file else []),
        ]
        place = runner.store(store, roots)
        if place.endswith(".toml"):
            raise ToolError("testgen takes a store: call sweep first")
        return await runner.tlc(
            ctx, "testgen", *options, "--", place, seconds=seconds, memory="2GiB", limited=False
        )


def _add_texts(server: MCPServer, runner: CallRunner) -> None:
    @server.resource("tla2py://sweep-file/schema", mime_type="application/json")
    def schema() -> str:
        """The JSON Schema of sweep files."""
        return json.dumps(sweep_schema(), indent=1)

    @server.resource("tla2py://cfg/grammar", mime_type="text/plain")
    def grammar() -> str:
        """The grammar of TLC's .cfg files."""
        return CFG_GRAMMAR

    @server.resource("tla2py://errors", mime_type="text/plain")
    def errors() -> str:
        """The codes of errors, each with a message that it has."""
        found: dict[str, str] = {}
        for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
            raised = re.findall(
                r'(?:Input|Toolchain|Store)Error\(\s*"([\w-]+)",\s*f?"([^"\n]+)"', path.read_text("utf-8")
            )
            found = dict(raised) | found
        return "".join(f"{code}: {found[code]}\n" for code in sorted(found))

    @server.resource("tla2py://tables/{store}", mime_type="application/json")
    async def tables(store: str, ctx: Context) -> str:
        """The tables of a store with their columns; the store is NAME below the output folder."""
        sql = "SELECT table_name, column_name, data_type FROM information_schema.columns ORDER BY ALL"
        found = await runner.read(ctx, "query", "--json", "--", runner.result(store), sql)
        return json.dumps(found.answer) if found.handle is None else runner.read_long_answer(found.handle)

    @server.prompt()
    def find_out_why_this_breaks(store: str) -> str:
        """Find out why a sweep is violated."""
        return (
            f"Find out why the sweep in {store} is violated. Call explain for the law and the kinds of counterexamples; "
            "then for the smallest point of each kind trace with ask = why, then with ask = essential. Name the step that is "
            "wrong and the parameters for which it happens, and quote what TLC evaluated. Do not guess what was not evaluated."
        )

    @server.prompt()
    def is_this_specification_strong_enough(module: str) -> str:
        """Find out whether a specification says enough."""
        return (
            f"Is {module} strong enough? Call judge. For each check that fails or is doubtful say what it means in terms of "
            "the system, propose a property or a size that would mend it, and call judge again. Never weaken a property, "
            "shrink a constant or add a constraint to make a check pass."
        )

    @server.prompt()
    def my_service_has_a_log(module: str, log: str) -> str:
        """Compare a service with its specification by a log."""
        return (
            f"Does the service that wrote {log} do what {module} says? Call validate. At the first line that nothing explains, "
            "name the nearest action and its first false conjunct, and say whether the service, the log or the "
            "specification is wrong; do not loosen an action without saying so."
        )
