"""Options that several commands have, and the examples that come with tla2py."""

from __future__ import annotations

import functools
import inspect
import re
import shutil
from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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


def _folders(named: list[Path] | None) -> list[Path] | None:
    # Imported on use: few commands need it.
    from tla2py.tlc.tools.installed import module_folder

    return [module_folder(folder) for folder in named] if named else named


def argument(shown: str, text: str) -> Any:
    """A command's argument, ``shown`` in its help, with the ``text`` that says what it is."""
    return typer.Argument(metavar=shown, help=text)


def option(shown: str, text: str, **settings: Any) -> Any:
    """A command's option as its help shows it, such as ``-o --store STORE``: its names, then what it takes."""
    words = shown.split()
    names = [word for word in words if word.startswith("-")]
    return typer.Option(*names, metavar=" ".join(words[len(names) :]) or None, help=text, **settings)


# Below a command's own options.
shared = functools.partial(option, rich_help_panel="Options of several commands")
Libraries = Annotated[
    list[Path] | None,
    shared(
        "-L --library DIR",
        "Another module folder; community-modules is the installed one without its Java classes; repeatable. A sweep file lists its own under libraries.",
        callback=_folders,
    ),
]
Constants = Annotated[list[str] | None, option("-c --constant NAME=VALUE", "A constant's value; repeatable.")]
Only = Annotated[list[str] | None, option("--only VAR", "Show only this variable; repeatable.")]
Hide = Annotated[list[str] | None, option("--hide VAR", "Do not show this variable; repeatable.")]
Jar = Annotated[
    Path | None,
    shared("--tla2tools JAR", "A tla2tools.jar or installed release; default: see tla2py tools list."),
]
Jars = Annotated[
    list[Path] | None,
    shared(
        "--tla2tools JAR",
        "A tla2tools.jar or installed release; default: see tla2py tools list.",
    ),
]
Timeout = Annotated[
    str | None,
    shared(
        "--timeout DURATION",
        "Time limit of one execution of TLC, such as 90s or 5m; default: the sweep file's, or 10m for a check.",
    ),
]
Memory = Annotated[
    str | None,
    shared(
        "--memory SIZE",
        "Memory limit of one execution, everything included; default: the sweep file's, or 2GiB for a check.",
    ),
]
Workers = Annotated[
    int | None,
    shared(
        "--workers N",
        "TLC worker threads of one execution; default: the sweep file's, or 1 for a check.",
        min=1,
    ),
]
Trust = Annotated[
    bool | None,
    shared(
        "--trust/--no-trust",
        "Give TLC your environment, files and network; default: the sweep file's, or no.",
    ),
]
Sandboxing = Annotated[
    Literal["auto", "require"],
    shared(
        "--sandbox auto|require",
        "Refuse to run unless every wall of the sandbox stands; by default, run behind those that do.",
    ),
]
Environment = Annotated[
    list[str] | None,
    option(
        "--env NAME=VALUE",
        "An environment variable that the run may read; a file that it names is an input; repeatable.",
    ),
]
EnvironmentTexts = Annotated[
    list[str] | None,
    option("--env-text NAME=VALUE", "As --env, but the value never names a file; repeatable."),
]
InputFiles = Annotated[
    list[Path] | None,
    option(
        "--input FILE",
        "A file that the run may read: under this path, or by its bare name if it is elsewhere; repeatable.",
    ),
]
NoLint = Annotated[bool, shared("--no-lint", "Run despite what lint finds; list its findings as ignored.")]
Store = Annotated[str, argument("STORE", "The store of a sweep.")]
OtherStore = Annotated[
    str | None,
    option(
        "--compare STORE",
        "Another store; its counterexamples at points with equal parameters are shown beside these.",
    ),
]
Arguments = Annotated[
    bool, option("--arguments", "Run TLC again to derive the action arguments that it did not print.")
]
Json = Annotated[bool, shared("--json", "Print JSON.")]
ShowCommand = Annotated[
    bool, option("--show-command", "Also print the command that repeats a run with plain TLC.")
]
NoWhy = Annotated[bool, option("--no-why", "Do not ask TLC why counterexamples violate what they do.")]
Watch = Annotated[bool, option("--watch", "Run again when a file of the check changes, until Ctrl-C.")]
Translate = Annotated[
    bool,
    shared(
        "--translate/--no-translate",
        "Translate PlusCal, on a copy, if its translation is missing or out of date.",
    ),
]
StorePath = Annotated[
    str | None,
    option(
        "-o --store STORE",
        "Where to put results, a folder or a URI such as s3://bucket/path; default runs/NAME. "
        "For several sweeps, the folder of their stores.",
    ),
]
Master = Annotated[
    str | None,
    shared(
        "--master URL", "The Spark master, such as spark://HOST:7077; default local[*], or spark-submit's."
    ),
]
ExecutorChoice = Annotated[
    ExecutorName | None,
    shared(
        "--executor spark|local",
        "Execute the runs on Spark, or on the threads of this machine; default local, spark with --master.",
    ),
]
Settings = Annotated[
    list[str] | None,
    option(
        "--set NAME=VALUE",
        "Another value for this time, TLA+ as for -c, or several: 'Max=[1, 2]'; repeatable.",
    ),
]
PointNumbers = Annotated[
    str | None, option("--points --point 3,5-9", "Only these points of the sweep file this time.")
]
Failed = Annotated[bool, option("--failed", "Only the points that were not as expected the last time.")]
Fresh = Annotated[bool, shared("--fresh", "Execute every run again.")]


FolderConstants = Annotated[
    list[str] | None,
    shared("-c --constant NAME=VALUE", "A constant's value in all configs of a folder; repeatable."),
]
FolderDeadlock = Annotated[bool, shared("--no-deadlock", "Check no config of a folder for deadlock.")]
FolderInputs = Annotated[
    list[Path] | None, shared("--input FILE", "A file that all runs of a folder may read; repeatable.")
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
    sandbox: Sandboxing = "auto",
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

    jars = given.pop("tla2tools", ())
    if len(jars) > 1:
        from tla2py.sweep.sections import ONE_JAR

        raise InputError("usage", "there cannot be several --tla2tools any more", hint=ONE_JAR)
    return SweepOptions(**given, tla2tools=jars[0] if jars else None)


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
        for file in filter(Path.is_file, example.folder.iterdir()):
            shutil.copyfile(file, target / file.name)
        for sweep in example.sweeps:
            text = (target / sweep).read_text(encoding="utf-8")
            if f'"../{_SHARED}"' in text:
                here = text.replace(f'"../{_SHARED}"', f'"{_SHARED}"')
                (target / sweep).write_text(here, encoding="utf-8")
                shutil.copytree(example.folder.parent / _SHARED, target / _SHARED, dirs_exist_ok=True)
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
