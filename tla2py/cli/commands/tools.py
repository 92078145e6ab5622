"""``tla2py tools``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, show, show_json
from tla2py.cli.groups import command_group
from tla2py.cli.help import PlainCommand
from tla2py.cli.options import Json
from tla2py.errors import InputError
from tla2py.terminal import tools as view
from tla2py.text import parse_duration
from tla2py.toolchain.foundjars import found_jars
from tla2py.toolchain.installed import install, installed, installed_path
from tla2py.toolchain.jar import read_jar
from tla2py.toolchain.javas import found_javas
from tla2py.toolchain.project import project_release, remember
from tla2py.toolchain.releases import COMMUNITY, release
from tla2py.toolchain.toolchain import find_jar, pin_project_jar

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
        typer.Argument(
            metavar="NAME",
            help="rolling (1.8.0), a version such as 1.7.4 or 2026.04.29.170100, or community-modules; default: the project's.",
        ),
    ] = None,
    default: Annotated[
        bool,
        typer.Option("--default", help="Make it the project's TLC, pinned by its digest in tla2py.toml."),
    ] = False,
    from_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Install this jar; download nothing.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option(metavar="HEX", help="The expected digest of the jar; built in for 1.7.4.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Install it again.")] = False,
    patience: Annotated[
        str, typer.Option(metavar="DURATION", help="Give up if the server sends nothing for this long.")
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
            report = view.DownloadProgress(each.name)
            install(each, file=from_file, sha256=digest, patience=seconds, report=report)
    if both or wanted.name == COMMUNITY:
        err().print(view.community_line())
    if wanted.name != COMMUNITY:
        jar = read_jar(installed_path(wanted.name), "installed")
        err().print(view.use_lines(wanted.name, jar, remember(wanted.name, jar.sha256) if default else None))
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
        str | None,
        typer.Argument(metavar="NAME", help="An installed release; default: the one that runs use."),
    ] = None,
) -> None:
    """Print the path of a jar, or the folder of the CommunityModules, for scripts and for -L.

    Examples:
      java -cp "$(tla2py tools path)" tlc2.TLC Spec.tla
      tla2py check Spec.tla -L "$(tla2py tools path community-modules)"
    """
    typer.echo(find_jar().path if name is None else installed_path(name))
