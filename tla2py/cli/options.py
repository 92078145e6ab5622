"""Options that several commands have, and the examples that come with tla2py."""

from __future__ import annotations

import functools
import inspect
import re
import shutil
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tla2py.cli.app import SETTINGS, PlainGroup
from tla2py.cli.console import err
from tla2py.errors import ExitCode, InputError, writing
from tla2py.spark import ExecutorName

if TYPE_CHECKING:
    from tla2py.tla.module import Remark
    from tla2py.tlc.tools.pluscal import Translator


def command_group(name: str, help_text: str) -> typer.Typer:
    """A group that prints its help when no command is named."""
    group = typer.Typer(
        name=name,
        cls=PlainGroup,
        help=help_text,
        rich_markup_mode="rich",
        add_completion=False,
        invoke_without_command=True,
        context_settings=SETTINGS,
    )

    @group.callback()
    def _group(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())
            raise typer.Exit(ExitCode.NOT_RUN)

    return group


class SandboxChoice(StrEnum):
    """Which walls a run needs."""

    AUTO = "auto"
    REQUIRE = "require"


def _folders(named: list[Path] | None) -> list[Path] | None:
    # Imported on use: few commands need it.
    from tla2py.tlc.tools.installed import module_folder

    return [module_folder(folder) for folder in named] if named else named


# Below a command's own options.
_shared = functools.partial(typer.Option, rich_help_panel="Options of several commands")
Libraries = Annotated[
    list[Path] | None,
    _shared(
        "-L",
        "--library",
        metavar="DIR",
        callback=_folders,
        help="Another module folder; community-modules is the installed one without its Java classes; repeatable. A sweep file lists its own under libraries.",
    ),
]
Constants = Annotated[
    list[str] | None,
    typer.Option("-c", "--constant", metavar="NAME=VALUE", help="A constant's value; repeatable."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="VAR", help="Show only this variable; repeatable."),
]
Hide = Annotated[
    list[str] | None,
    typer.Option("--hide", metavar="VAR", help="Do not show this variable; repeatable."),
]
Jar = Annotated[
    Path | None,
    _shared(
        "--tla2tools",
        metavar="JAR",
        help="A tla2tools.jar or installed release; default: see tla2py tools list.",
    ),
]
Jars = Annotated[
    list[Path] | None,
    _shared(
        "--tla2tools",
        metavar="JAR",
        help="A tla2tools.jar or installed release; several are the values of a parameter jar; default: see tla2py tools list.",
    ),
]
Timeout = Annotated[
    str | None,
    _shared(
        metavar="DURATION",
        help="Time limit of one execution of TLC, such as 90s or 5m; default: the sweep file's, or 10m for a check.",
    ),
]
Memory = Annotated[
    str | None,
    _shared(
        metavar="SIZE",
        help="Memory limit of one execution, everything included; default: the sweep file's, or 2GiB for a check.",
    ),
]
Workers = Annotated[
    int | None,
    _shared(
        min=1,
        metavar="N",
        help="TLC worker threads of one execution; default: the sweep file's, or 1 for a check.",
    ),
]
Trust = Annotated[
    bool | None,
    _shared(
        "--trust/--no-trust",
        help="Give TLC your environment, files and network; default: the sweep file's, or no.",
    ),
]
Sandboxing = Annotated[
    SandboxChoice,
    _shared(
        "--sandbox",
        metavar="auto|require",
        help="Refuse to run unless every wall of the sandbox stands; by default, run behind those that do.",
    ),
]
Environment = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME=VALUE",
        help="An environment variable that the run may read; a file that it names is an input; repeatable.",
    ),
]
EnvironmentTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--env-text", metavar="NAME=VALUE", help="As --env, but the value never names a file; repeatable."
    ),
]
InputFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--input",
        metavar="FILE",
        help="A file that the run may read: under this path, or by its bare name if it is elsewhere; repeatable.",
    ),
]
NoLint = Annotated[
    bool, _shared("--no-lint", help="Run despite what lint finds; list its findings as ignored.")
]
Store = Annotated[str, typer.Argument(metavar="STORE", help="The store of a sweep.")]
OtherStore = Annotated[
    str | None,
    typer.Option(
        metavar="STORE",
        help="Another store; its counterexamples at points with equal parameters are shown beside these.",
    ),
]
Arguments = Annotated[
    bool,
    typer.Option("--arguments", help="Run TLC again to derive the action arguments that it did not print."),
]
Json = Annotated[bool, _shared("--json", help="Print JSON.")]
NoWhy = Annotated[
    bool, typer.Option("--no-why", help="Do not ask TLC why counterexamples violate what they do.")
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Run again when a file of the check changes, until Ctrl-C.")
]
Translate = Annotated[
    bool,
    _shared(
        "--translate/--no-translate",
        help="Translate PlusCal, on a copy, if its translation is missing or out of date.",
    ),
]
StorePath = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--store",
        metavar="STORE",
        help="Where to put results, a folder or a URI such as s3://bucket/path; default runs/NAME. "
        "For several sweeps, the folder of their stores.",
    ),
]
Master = Annotated[
    str | None,
    _shared(
        "--master",
        metavar="URL",
        help="The Spark master, such as spark://HOST:7077; default local[*], or spark-submit's.",
    ),
]
ExecutorChoice = Annotated[
    ExecutorName | None,
    _shared(
        "--executor",
        metavar="spark|local",
        help="Spark alone, or threads alone; by default Spark takes over from threads of this machine where that pays off.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Another value for this time, TLA+ as for -c, or several: 'Max=[1, 2]'; repeatable.",
    ),
]
PointNumbers = Annotated[
    str | None,
    typer.Option(
        "--points", "--point", metavar="3,5-9", help="Only these points of the sweep file this time."
    ),
]
Failed = Annotated[
    bool, typer.Option("--failed", help="Only the points that were not as expected the last time.")
]
Fresh = Annotated[bool, _shared("--fresh", help="Execute every run again.")]


FolderConstants = Annotated[
    list[str] | None,
    _shared(
        "-c",
        "--constant",
        metavar="NAME=VALUE",
        help="A constant's value in all configs of a folder; repeatable.",
    ),
]
FolderDeadlock = Annotated[bool, _shared("--no-deadlock", help="Check no config of a folder for deadlock.")]
FolderInputs = Annotated[
    list[Path] | None,
    _shared("--input", metavar="FILE", help="A file that all runs of a folder may read; repeatable."),
]


def with_options(
    maker: Callable[..., object], left_out: Container[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that gives a command the options of a function instead of its parameter ``options``, which that makes."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        every = inspect.signature(maker, eval_str=True).parameters
        own = {name: each for name, each in every.items() if name not in left_out}
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def wrapped(**given: Any) -> None:
            options = maker(**{name: given.pop(name) for name in own})
            command(**given, options=options)

        parameters = [
            each
            for name, parameter in signature.parameters.items()
            for each in (own.values() if name == "options" else (parameter,))
        ]
        # Typer reads both.
        wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
        return wrapped

    return decorated


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Those of a command's options that were given, by name; lists as tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value is not None
    }


def _sweep_options(
    libraries: Libraries = None,
    tla2tools: Jars = None,
    translate: Translate = True,
    timeout: Timeout = None,
    memory: Memory = None,
    workers: Workers = None,
    trust: Trust = None,
    sandbox: Sandboxing = SandboxChoice.AUTO,
    no_lint: NoLint = False,
    settings: Settings = None,
    points: PointNumbers = None,
    failed: Failed = False,
    constants: FolderConstants = None,
    no_deadlock: FolderDeadlock = False,
    inputs: FolderInputs = None,
) -> object:
    given = given_options(locals())
    # Imported on use: most commands have no such options.
    from tla2py.execution.sweeps import SweepOptions

    jars = given.pop("tla2tools", (None,))
    more = {"tla2tools": jars[0], "jars": jars if len(jars) > 1 else (), "sandbox": sandbox.value}
    return SweepOptions(**given | more)


_LIMITING = ("settings", "points", "failed")
_OF_FOLDERS = ("constants", "no_deadlock", "inputs")
# The options of SweepOptions: those that say how runs execute, also those that limit a sweep, and those for folders too.
with_sweep_options = with_options(_sweep_options, (*_LIMITING, *_OF_FOLDERS))
with_limited_options = with_options(_sweep_options, _OF_FOLDERS)
with_folder_options = with_options(_sweep_options)


def pluscal_translator(jar: Path | None = None, *, translate: bool = True) -> Translator | None:
    """A translator that prints its remarks on standard error, None for ``--no-translate``."""
    from tla2py.tlc.tools.pluscal import Translator
    from tla2py.tlc.tools.toolchain import find_toolchain

    return Translator(lambda: find_toolchain(jar), print_remark) if translate else None


def print_remark(remark: Remark) -> None:
    """Print a remark on a module's PlusCal."""
    err().print(str(remark), style="yellow")


# Modules that several systems share; a copied system gets its own.
_SHARED = "lib"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An example system; ``sweeps`` are the names of its sweep files, the main one first."""

    name: str
    title: str
    folder: Path
    sweeps: tuple[str, ...]


def examples() -> list[Example]:
    """The systems by name. Raises InputError (``examples-missing``)."""
    package = Path(__file__).resolve().parents[1]
    # A wheel has them inside the package, a checkout beside it.
    for place in (package / "specs", package.parent / "specs"):
        found = [_example(file.parent) for file in sorted(place.glob("*/sweep.toml"))]
        if found:
            return found
    raise InputError("examples-missing", "the examples are not installed", hint="reinstall tla2py")


def copy_example(name: str, target: Path) -> list[Path]:
    """Copy a system into a folder, created if missing, and return the paths of its sweep files.

    Raises InputError: ``unknown-example``, ``target-not-empty``, ``output-unwritable``.
    """
    known = {example.name: example for example in examples()}
    if name not in known:
        raise InputError("unknown-example", f"no example {name}", hint=f"examples: {', '.join(known)}")
    example = known[name]
    with writing(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(
                "target-not-empty", f"{target} already exists", hint="name a new or empty folder"
            )
        target.mkdir(parents=True, exist_ok=True)
        files = [file for file in sorted(example.folder.iterdir()) if file.is_file()]
        for file in files:
            shutil.copyfile(file, target / file.name)
        if _share([target / file.name for file in files]):
            shutil.copytree(example.folder.parent / _SHARED, target / _SHARED)
    return [target / sweep for sweep in example.sweeps]


def _example(folder: Path) -> Example:
    readme = (folder / "README.md").read_text(encoding="utf-8")
    others = sorted(file.name for file in folder.glob("*.toml") if file.name != "sweep.toml")
    title = re.search(r"^# (.+)$", readme, re.MULTILINE)
    return Example(
        name=folder.name,
        title=title[1] if title else folder.name,
        folder=folder,
        sweeps=("sweep.toml", *others),
    )


def _share(files: Iterable[Path]) -> bool:
    """Point sweep files to shared modules beside them; returns whether any uses them."""
    shared = False
    for file in files:
        if file.suffix != ".toml":
            continue
        text = file.read_text(encoding="utf-8")
        here = text.replace(f'"../{_SHARED}"', f'"{_SHARED}"')
        if here != text:
            file.write_text(here, encoding="utf-8")
            shared = True
    return shared
