"""The machine and its stores: ``tools``, ``doctor``, ``prune`` and ``tables``; the server for assistants, ``mcp``."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from tla2py.cli.app import PlainCommand
from tla2py.cli.console import err, out, show, show_json
from tla2py.cli.options import Jar, Json, argument, command_group, option
from tla2py.cli.options import Store as Address
from tla2py.errors import ExitCode, InputError, StoreError
from tla2py.text import counted, parse_duration
from tla2py.tlc.tools.installed import COMMUNITY, install, installed, installed_path, release
from tla2py.tlc.tools.jar import project_release, read_jar, remember
from tla2py.tlc.tools.java import found_javas
from tla2py.tlc.tools.toolchain import find_jar, found_jars, pin_project_jar
from tla2py.view import tools as view
from tla2py.view.layout import plain_table

tools_app = command_group("tools", "List the TLC jars and Javas of this machine; install official releases.")


@tools_app.command("list", cls=PlainCommand)
def list_command(as_json: Json = False) -> None:
    """List every jar and every Java found: version, digest, which one is used and why."""
    jars, javas = found_jars(), found_javas()
    if as_json:
        show_json(view.tools_json(jars, javas))
        return
    show(view.jars_table(jars))
    show(f"\n{view.community_line()}\n")
    show(view.javas_table(javas) if javas else "no Java was found")


@tools_app.command("install", cls=PlainCommand)
def install_command(
    name: Annotated[
        str | None,
        argument(
            "NAME",
            "rolling (1.8.0), a version such as 1.7.4 or 2026.04.29.170100, or community-modules; default: the project's.",
        ),
    ] = None,
    default: Annotated[
        bool, option("--default", "Make it the project's TLC, pinned by its digest in tla2py.toml.")
    ] = False,
    from_file: Annotated[
        Path | None, option("--from-file FILE", "Install this jar; download nothing.")
    ] = None,
    sha256: Annotated[
        str | None, option("--sha256 HEX", "The expected digest of the jar; built in for 1.7.4.")
    ] = None,
    force: Annotated[bool, option("--force", "Install it again.")] = False,
    patience: Annotated[
        str, option("--patience DURATION", "Give up if the server sends nothing for this long.")
    ] = "30s",
) -> None:
    """Download an official release, verify it and install it into your cache folder.

    Releases since 1.8.0 also install the CommunityModules, except with --from-file.

    https_proxy sets the proxy. TLA2PY_MIRROR names a server to use instead of GitHub, with the same paths.

    Examples:
      tla2py tools install 1.7.4 --default
      tla2py tools install rolling
      tla2py tools install community-modules
      tla2py tools install 1.7.4 --from-file ~/Downloads/tla2tools.jar
    """
    wanted = release(name or project_release())
    seconds = parse_duration(patience, "--patience")
    if default and wanted.name == COMMUNITY:
        raise InputError("usage", "the CommunityModules are not a TLC release", hint="leave out --default")
    both = wanted.brings_community and from_file is None
    for each, digest in ((wanted, sha256), *([(release(COMMUNITY), None)] if both else [])):
        if installed(each) is not None and not force and from_file is None and digest is None:
            err().print(f"{each.name} is installed already; --force fetches it again")
        else:
            report = view.download_progress(each.name)
            install(each, file=from_file, sha256=digest, patience=seconds, report=report)
    if both or wanted.name == COMMUNITY:
        err().print(view.community_line())
    if wanted.name != COMMUNITY:
        jar = read_jar(installed_path(wanted.name), "installed")
        if default:
            use = f"{remember(wanted.name, jar.sha256)} makes it this project's TLC"
        else:
            use = f"use it with --tla2tools {wanted.name}, or see tla2py tools list for what runs use"
        err().print(f"{jar.tlc}, revision {jar.revision}, sha256 {jar.sha256}\n{use}")
    typer.echo(installed(wanted))


@tools_app.command("pin", cls=PlainCommand)
def pin_command() -> None:
    """Pin the project's jar: write its digest into the file that names it. A different jar is then an error."""
    jar, file = pin_project_jar()
    if jar.project is not None and jar.project.sha256 not in (None, jar.sha256):
        err().print(f"sha256 {jar.project.sha256} was pinned")
    err().print(f"{jar.tlc}, revision {jar.revision}, sha256 {jar.sha256}\n{file} pins it")


@tools_app.command("path", cls=PlainCommand)
def path_command(
    name: Annotated[
        str | None, argument("NAME", "An installed release; default: the one that runs use.")
    ] = None,
) -> None:
    """Print the path of a jar, or the folder of the CommunityModules, for scripts and for -L.

    Examples:
      java -cp "$(tla2py tools path)" tlc2.TLC Spec.tla
      tla2py check Spec.tla -L "$(tla2py tools path community-modules)"
    """
    typer.echo(find_jar().path if name is None else installed_path(name))


_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def doctor_command(
    tla2tools: Jar = None,
    self_test: Annotated[
        bool, option("--self-test/--no-self-test", "Run TLC on a small model with a known answer.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Check that everything that sweeps need is installed, and say how to fix what is missing.

    Exit code 1 if there is a problem; warnings do not count.

    Examples:
      tla2py doctor
      tla2py doctor --no-self-test --json
    """
    from tla2py.cli.diagnosis import examine

    examinations = []
    for each in examine(tla2tools, self_test=self_test):
        examinations.append(each)
        if as_json:
            continue
        console = out()
        console.print(f"{each.state:8}", style=_STYLES[each.state], end="")
        console.print(f"{each.about:10} {each.found}")
        if each.remedy:
            console.print(f"{'':18} -> {each.remedy}")
    if as_json:
        show_json([asdict(each) for each in examinations])
    bad = any(each.state == "problem" for each in examinations)
    raise typer.Exit(ExitCode.UNEXPECTED if bad else ExitCode.OK)


def prune_command(
    store: Address,
    dry_run: Annotated[bool, option("--dry-run", "Print what would be removed, and remove nothing.")] = False,
) -> None:
    """Remove from a store what none of its points refers to any more.

    That is: the records, outputs, texts and inputs of runs whose module, config or jar has changed since, and of points
    that the sweep file no longer has. A later sweep that comes back to them executes them again.

    Examples:
      tla2py prune runs/NAME --dry-run
      tla2py prune runs/NAME
    """
    # Imported on use, with Arrow.
    from tla2py.store.refresh import prune
    from tla2py.store.store import Store

    opened = Store.open(store)
    unused = prune(opened, dry_run=dry_run)
    parts = [counted(count, kind) for kind, count in unused.counts.items()]
    if not parts:
        show(f"nothing to remove from {opened.path}")
        return
    verb = "would remove" if dry_run else "removed"
    show(f"{verb} {', '.join(parts)} from {opened.path}: {decimal(unused.size)}")


def tables_command(
    store: Address,
    master: Annotated[
        str | None,
        option(
            "--master URL",
            "A Spark master, such as spark://HOST:7077, whose tasks derive the rows of 2,000 records or more.",
        ),
    ] = None,
) -> None:
    """Derive all tables of a store anew from its records.

    A sweep and every command that reads a store derive what is missing, and what was edited or damaged. This command also
    derives the rest: use it if you doubt the tables.

    Examples:
      tla2py tables runs/NAME
      tla2py tables runs/NAME --master 'local[*]'
    """
    # Imported on use, with Arrow.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tla2py.store.refresh import Derive, Group, derive_here, refresh_tables, row_counts
    from tla2py.store.store import Store

    opened, begun = Store.open(store), time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.enter_context(opened.lock())
        derive: Derive = derive_here
        if master is not None:
            from tla2py.spark.choice import require_pyspark

            require_pyspark()
            from tla2py.spark.session import spark_context
            from tla2py.spark.tasks import SparkTasks

            context = stack.enter_context(spark_context(master, workers=1, only_runs=True))
            derive = SparkTasks(context).derive
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        live = Progress(*columns, console=err(), transient=True, disable=not err().is_terminal)
        task = stack.enter_context(live).add_task("rows of runs", total=len(opened.points()))

        def told(groups: Iterable[Group]) -> Iterator[Group]:
            for group in groups:
                yield group
                live.advance(task, len(group))

        def report(lost: StoreError) -> None:
            err().print(f"{lost.message}; these rows are dropped", style="yellow", markup=False)

        refresh_tables(
            opened, derive=lambda store, groups: derive(store, told(groups)), anew=True, lost=report
        )
    table = plain_table("table", "rows")
    for name, rows in row_counts(opened).items():
        table.add_row(name, f"{rows:,}")
    show(table)
    show(f"derived from the records of {opened.path} in {time.monotonic() - begun:.1f}s")


def mcp_command(
    root: Annotated[
        list[Path] | None, option("--root DIR", "Read only below it; repeatable. Default: this folder.")
    ] = None,
    output: Annotated[Path, option("--output DIR", "Put results only below it.")] = Path("runs"),
    allow_trust: Annotated[
        bool, option("--allow-trust", "Let sweep files run with your environment, files and network.")
    ] = False,
    allow_no_walls: Annotated[
        bool, option("--allow-no-walls", "Run TLC where not every wall of the sandbox stands.")
    ] = False,
    print_config: Annotated[
        bool, option("--print-config", "Print what a client needs to start the server.")
    ] = False,
) -> None:
    """Serve the commands as tools to an assistant, by the Model Context Protocol on standard input and output.

    Each call has a budget, answers in at most 4 kB and runs TLC behind the walls of the sandbox; see docs/agents.md.

    Examples:
      tla2py mcp --root specs --print-config
      tla2py mcp --root specs --output runs/assistant
    """
    roots = [each.absolute() for each in root or [Path()]]
    if missing := next((each for each in roots if not each.is_dir()), None):
        raise InputError(
            "usage", f"--root {missing}: no such folder", hint="name a folder with specifications"
        )
    if print_config:
        switches = [*["--allow-trust"] * allow_trust, *["--allow-no-walls"] * allow_no_walls]
        named = [text for each in roots for text in ("--root", str(each))]
        argv = ["-m", "tla2py", "mcp", *named, "--output", str(output.absolute()), *switches]
        show_json({"mcpServers": {"tla2py": {"command": sys.executable, "args": argv}}})
        return
    try:
        from tla2py.cli.mcp import build_server
        from tla2py.cli.mcp_runner import CallRunner
    except ModuleNotFoundError as error:
        raise InputError(
            "mcp-missing", f"no module {error.name}", hint="pip install 'tla2py[mcp]'"
        ) from error
    build_server(
        CallRunner(roots=roots, output=output.absolute(), trust=allow_trust, no_walls=allow_no_walls)
    ).run("stdio")
