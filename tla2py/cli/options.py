"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tla2py.spark.choice import ExecutorName


def _folders(named: list[Path] | None) -> list[Path] | None:
    # Imported when it is needed: few commands fetch anything.
    from tla2py.toolchain.installed import module_folder

    return [module_folder(folder) for folder in named] if named else named


Libraries = Annotated[
    list[Path] | None,
    typer.Option(
        "-L",
        "--library",
        metavar="DIR",
        callback=_folders,
        help="A further module folder, or community-modules where these are installed; repeatable. A sweep file names its own.",
    ),
]
Jar = Annotated[
    Path | None,
    typer.Option(
        "--tla2tools",
        metavar="JAR",
        help="The tla2tools.jar, or installed release, to use; default: see tla2py tools list.",
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION",
        help="Time limit of one execution of TLC, such as 90s or 5m; default: the sweep file's, of a check 10m.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory limit of one execution, everything included; default: the sweep file's, of a check 2GiB.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="TLC worker threads of one execution; default: the sweep file's, of a check 1.",
    ),
]
Trust = Annotated[
    bool | None,
    typer.Option(
        "--trust/--no-trust",
        help="Let TLC see the environment, the files and the network that you have; default: as the sweep file says, else not.",
    ),
]
Store = Annotated[str, typer.Argument(metavar="STORE", help="The store of a sweep.")]
Arguments = Annotated[
    bool, typer.Option("--arguments", help="Ask TLC for the arguments of actions that it did not print.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a person's view.")]
Translate = Annotated[
    bool,
    typer.Option(
        "--translate/--no-translate",
        help="Translate PlusCal, on a copy, where the translation is missing or older than the algorithm.",
    ),
]
StorePath = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--store",
        metavar="STORE",
        help="Where to put results, a folder or a URI such as s3://bucket/path; default runs/NAME. "
        "Of several sweeps, the folder of their stores.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark master, such as spark://HOST:7077; default local[*], or what spark-submit was given.",
    ),
]
ExecutorChoice = Annotated[
    ExecutorName, typer.Option("--executor", help="Spark, or threads of this machine.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Execute every run again.")]
