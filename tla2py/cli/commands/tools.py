"""``tla2py tools``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, show, show_json
from tla2py.cli.groups import command_group
from tla2py.cli.options import Json
from tla2py.errors import InputError, ToolchainError
from tla2py.terminal.tools import DownloadProgress, jars_table, javas_table, tools_json
from tla2py.text import parse_duration
from tla2py.toolchain.foundjars import found_jars
from tla2py.toolchain.installed import check_modules, community_modules, install, installed
from tla2py.toolchain.javas import found_javas
from tla2py.toolchain.project import remember
from tla2py.toolchain.releases import COMMUNITY, release
from tla2py.toolchain.toolchain import find_jar, read_jar

tools_app = command_group("tools", "The TLC jars and the Javas of this machine; installs official releases.")


@tools_app.command("list")
def list_command(as_json: Json = False) -> None:
    """Every jar and every Java that is found: version, digest, and which is used and why.

    Example: tla2py tools list
    """
    jars, javas = found_jars(), found_javas()
    community = community_modules()
    if as_json:
        show_json(tools_json(jars, javas, community))
        return
    show(jars_table(jars))
    show(f"\nCommunityModules: {community or 'not installed; tla2py tools install ' + COMMUNITY}\n")
    show(javas_table(javas) if javas else "no Java was found")


@tools_app.command("install")
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
    there = installed(wanted)
    if there is not None and not force and from_file is None and sha256 is None:
        err().print(f"{wanted.name} is installed already; --force fetches it again")
    else:
        progress = DownloadProgress(wanted.name)
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
    typer.echo(installed(wanted))


@tools_app.command("path")
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
    found = installed(wanted)
    if found is None:
        raise ToolchainError(
            "not-installed", f"{wanted.name} is not installed", hint=f"tla2py tools install {wanted.name}"
        )
    typer.echo(found)
