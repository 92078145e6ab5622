"""``tla2py tools``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tla2py.cli.console import err, show, show_json
from tla2py.cli.options import Json
from tla2py.cli.plainhelp import PlainCommand, PlainGroup
from tla2py.errors import EXIT_NOT_RUN, InputError, ToolchainError
from tla2py.text import parse_duration
from tla2py.toolchain.foundjars import found_jars
from tla2py.toolchain.installed import check_modules, community_modules, install, installed_jar
from tla2py.toolchain.javas import found_javas
from tla2py.toolchain.project import remember
from tla2py.toolchain.releases import COMMUNITY, release
from tla2py.toolchain.toolchain import find_jar, read_jar

tools_app = typer.Typer(
    name="tools",
    cls=PlainGroup,
    help="The TLC jars and the Javas of this machine; installs official releases.",
    rich_markup_mode="rich",
    add_completion=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_MB = 1e6


@tools_app.callback()
def _tools(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(EXIT_NOT_RUN)


@tools_app.command("list", cls=PlainCommand)
def list_command(as_json: Json = False) -> None:
    """Every jar and every Java that is found: version, digest, and which is used and why.

    Example: tla2py tools list
    """
    jars, javas = found_jars(), found_javas()
    if as_json:
        show_json(
            {
                "jars": [
                    {
                        "name": jar.name,
                        "path": str(jar.path),
                        "version": jar.jar.version if jar.jar else None,
                        "revision": jar.jar.revision if jar.jar else None,
                        "date": jar.jar.date if jar.jar else None,
                        "sha256": jar.jar.sha256 if jar.jar else None,
                        "used": jar.used,
                        "note": jar.note,
                    }
                    for jar in jars
                ],
                "javas": [
                    {"path": str(j.path), "version": j.version, "used": j.used, "note": j.note} for j in javas
                ],
                "community_modules": str(community_modules()) if community_modules() else None,
            }
        )
        return
    table = _table("tools", "TLC", "revision", "date", "sha256", "path", "")
    for found in jars:
        facts = found.jar
        cells = (facts.version, facts.revision, facts.date, facts.sha256[:12]) if facts else ("", "", "", "")
        table.add_row(found.name, *cells, str(found.path), found.note, style="bold" if found.used else "")
    show(table)
    modules = community_modules()
    show(f"\nCommunityModules: {modules or 'not installed; tla2py tools install ' + COMMUNITY}\n")
    table = _table("Java", "path", "")
    for java in javas:
        table.add_row(java.version or "?", str(java.path), java.note, style="bold" if java.used else "")
    show(table if javas else "no Java was found")


@tools_app.command("install", cls=PlainCommand)
def install_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A version such as 1.7.4, rolling (1.8.0), or community-modules."
        ),
    ],
    default: Annotated[
        bool,
        typer.Option("--default", help="Make it this project's: writes tla2tools = NAME into tla2py.toml."),
    ] = False,
    from_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Install this jar; nothing is fetched.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option(metavar="HEX", help="The digest the jar has to have; known for 1.7.4.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also where it is installed already.")] = False,
    patience: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the server may be silent.")
    ] = "30s",
) -> None:
    """Install an official release into your cache folder, whole and checked or not at all.

    Proxies are those of the environment (https_proxy). TLA2PY_MIRROR names a server to use in place of GitHub, with the
    same paths.

    Examples: tla2py tools install 1.7.4 --default; tla2py tools install rolling --force;
    tla2py tools install community-modules; tla2py tools install 1.7.4 --from-file ~/Downloads/tla2tools.jar
    """
    wanted = release(name)
    seconds = parse_duration(patience, "--patience")
    if default and wanted.name == COMMUNITY:
        raise InputError(
            "usage", "the CommunityModules are no TLC", hint="--default is for a release of the tools"
        )
    there = community_modules() if wanted.name == COMMUNITY else installed_jar(wanted.name)
    if there is not None and not force and from_file is None and sha256 is None:
        err().print(f"{wanted.name} is installed already; --force fetches it again")
    else:
        progress = _Progress(wanted.name)
        check = check_modules if wanted.name == COMMUNITY else (lambda path: read_jar(path, "the download"))
        there = install(wanted, check, file=from_file, sha256=sha256, patience=seconds, report=progress)
    if wanted.name != COMMUNITY:
        jar = read_jar(there, "installed")
        err().print(f"TLC {jar.version}, revision {jar.revision}, sha256 {jar.sha256}")
    if default:
        err().print(f"{remember(wanted.name)} says that this project uses it")
    elif wanted.name == COMMUNITY:
        err().print(f'use them with -L {COMMUNITY}, or libraries = ["{COMMUNITY}"] in a sweep file')
    else:
        err().print(f"use it with --tla2tools {wanted.name}; --default has this project use it from now on")
    typer.echo(community_modules() if wanted.name == COMMUNITY else there)


@tools_app.command("path", cls=PlainCommand)
def path_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="An installed release; the one that runs use unless given."),
    ] = None,
) -> None:
    """The path of a jar, or the folder of the CommunityModules, for scripts and for -L.

    Examples: java -cp "$(tla2py tools path)" tlc2.TLC Spec.tla; tla2py check Spec.tla -L "$(tla2py tools path community-modules)"
    """
    if name is None:
        typer.echo(find_jar().path)
        return
    wanted = release(name)
    found = community_modules() if wanted.name == COMMUNITY else installed_jar(wanted.name)
    if found is None:
        raise ToolchainError(
            "not-installed", f"{wanted.name} is not installed", hint=f"tla2py tools install {wanted.name}"
        )
    typer.echo(found)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


class _Progress:
    """How far a download is, on standard error: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now < self._next and done != total:
            return
        self._next = now + (0.1 if self._terminal else 2.0)
        of = f" of {total / _MB:.1f}" if total else ""
        end = "\r" if self._terminal and done != total else "\n"
        sys.stderr.write(f"{self._name}: {done / _MB:.1f}{of} MB{end}")
        sys.stderr.flush()
