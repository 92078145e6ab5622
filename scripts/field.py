"""Runs the models of public repositories with plain TLC and with tla2py, and writes docs/field.md.

Usage: python scripts/field.py CHECKOUTS --tla2tools JAR --community JAR [-o RESULTS] [--only NAME]

CHECKOUTS has a clone of each repository of scripts/field.toml, in a folder with the repository's name, that has its commit. Each
repository is copied at that commit, plain TLC runs its models one after the other, and `tla2py gate` runs the sweep file of
docs/field, both on the same jar; it needs the installed CommunityModules. RESULTS, by default runs/field, keeps what was measured, so that a second run measures only
what is missing; the page is made of all of it. The exit code is 1 if a verdict or a count differs.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tla2py.analysis.view import open_view
from tla2py.errors import Tla2pyError
from tla2py.model.outcome import VERDICTS, Outcome
from tla2py.text import counted
from tla2py.tlc.output.codes import EXIT_STATUSES
from tla2py.tlc.tools.jar import read_jar

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "field.md"
SWEEPS = ROOT / "docs" / "field"
LIST = Path(__file__).with_name("field.toml")
_CHECKED = re.compile(r"^(\d+) states generated, (\d+) distinct states found", re.MULTILINE)
_SIMULATED = re.compile(r"^The number of states generated: (\d+)", re.MULTILINE)


class Repository(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A repository, or a part of one, as ``field.toml`` has it."""

    name: str
    commit: str
    folder: str
    theirs: list[str]
    part: str = ""
    sweep: str = ""
    folders: list[str] = []
    log: str = ""
    found: str = ""

    @property
    def title(self) -> str:
        """The repository, and its part."""
        return f"{self.name}, {self.part}" if self.part else self.name

    @property
    def models(self) -> bool:
        """Whether it has models to compare."""
        return bool(self.sweep or self.folders)


class _List(msgspec.Struct, frozen=True):
    repository: list[Repository]


class Answer(msgspec.Struct, frozen=True):
    """What a run of a model answered; counts are None where TLC printed none."""

    verdict: str
    generated: int | None
    distinct: int | None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to each model, by both, with the seconds that all of them took; ``code`` is the gate's exit code."""

    models: dict[str, tuple[Answer, Answer]]
    jar: str
    plain: tuple[float, float]
    ours: tuple[float, float]
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model to run: its module and config below the folder of the repository, and its log."""

    name: str
    module: str
    config: str
    log: str = ""


def timed(command: Sequence[str | Path], folder: Path, **variables: str) -> tuple[int, str, float, float]:
    """The exit code and output of a command, and its seconds on the clock and of CPU."""
    used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ended = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=False
    )
    wall, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return ended.returncode, ended.stdout, wall, cpu


def exported(checkouts: Path, each: Repository, place: Path) -> Path:
    """The folder of a repository's models, in a copy of its commit."""
    clone = checkouts / each.name.split("/")[1]
    # Not an archive, which leaves out what a repository marks with export-ignore.
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", clone, place], check=True)
    subprocess.run(["git", "-C", place, "checkout", "-q", each.commit], check=True)
    return place / each.folder


def models_of(each: Repository, target: str, points: Sequence[dict[str, Any]]) -> list[Model]:
    """The models of the points of a sweep file or a folder, in their order."""
    if each.folders:
        pairs = [(f"{target}/{row['module']}", f"{target}/{row['config']}") for row in points]
        return [Model(name=config, module=module, config=config) for module, config in pairs]
    sweep = tomllib.loads((SWEEPS / each.sweep).read_text())
    found = []
    for row in points:
        config, log = str(row.get("config") or sweep["config"]), str(row.get("log") or "")
        module = str(row.get("module") or sweep["module"])
        found.append(Model(name=log or config, module=module, config=config, log=log))
    return found


def plain(model: Model, each: Repository, folder: Path, jars: Sequence[Path]) -> tuple[Answer, float, float]:
    """What plain TLC answers, with one worker, and its seconds."""
    sweep = tomllib.loads((SWEEPS / each.sweep).read_text()) if each.sweep else {}
    tlc = sweep.get("tlc", {})
    simulate = (
        ["-simulate", f"num={tlc['num']}", "-depth", str(tlc["depth"]), "-seed", str(tlc["seed"])]
        if tlc.get("mode") == "simulate"
        else []
    )
    with tempfile.TemporaryDirectory() as states:
        module = Path(model.module)
        config = Path(os.path.relpath(model.config, module.parent))
        command: list[str | Path] = [
            "java",
            "-XX:+UseParallelGC",
            "-cp",
            ":".join(map(str, jars)),
            "tlc2.TLC",
        ]
        command += ["-workers", "1", "-metadir", states, *simulate]
        command += ["-config", config, module.name]
        variables = {each.log: os.path.relpath(model.log, module.parent)} if model.log else {}
        code, output, wall, cpu = timed(command, folder / module.parent, **variables)
    outcome = EXIT_STATUSES.get(code, Outcome.ERROR)
    if simulate and outcome is Outcome.SUCCESS:
        outcome = Outcome.BOUNDED_SUCCESS
    said = re.sub(r"(?<=\d),(?=\d)", "", output)
    if simulate:
        generated = _SIMULATED.findall(said)
        answer = Answer(VERDICTS[outcome].value, int(generated[-1]) if generated else None, None)
    else:
        counts = _CHECKED.findall(said)
        answer = Answer(VERDICTS[outcome].value, *(map(int, counts[-1]) if counts else (None, None)))
    return answer, wall, cpu


def measured(each: Repository, checkouts: Path, jars: Sequence[Path]) -> Measured:
    """The models of a repository, run by tla2py and by plain TLC."""
    with tempfile.TemporaryDirectory() as place:
        folder = exported(checkouts, each, Path(place) / "checkout")
        if each.sweep:
            (folder / "sweep.toml").write_text((SWEEPS / each.sweep).read_text())
        targets = each.folders or ["sweep.toml"]
        store = Path(place) / "store"
        command: list[str | Path] = [sys.executable, "-m", "tla2py", "gate", *targets, "-o", store]
        command += ["--executor", "local", "--tla2tools", jars[0], "--memory", "2GiB"]
        code, output, *ours = timed(command, folder)
        print(output)
        found: list[tuple[dict[str, Any], Model]] = []
        for target in targets:
            own = store / Path(target).name if len(targets) > 1 else store
            rows = open_view(own).arrow("runs").sort_by("point").to_pylist()
            found += zip(rows, models_of(each, target, rows), strict=True)
        answers, wall, cpu = {}, 0.0, 0.0
        for row, model in found:
            answer, *seconds = plain(model, each, folder, jars)
            wall, cpu = wall + seconds[0], cpu + seconds[1]
            distinct = (
                row["distinct"] if answer.distinct is not None or row["verdict"] != "inconclusive" else None
            )
            answers[model.name] = (answer, Answer(row["verdict"], row["generated"], distinct))
            print(model.name, *answers[model.name], sep="  ", flush=True)
    jar = read_jar(jars[0], "--tla2tools")
    return Measured(
        models=answers,
        jar=f"{jar.tlc}, revision {jar.revision}",
        plain=(wall, cpu),
        ours=(ours[0], ours[1]),
        code=code,
    )


def lines_of(text: str) -> int:
    """The number of lines that are neither blank nor comments."""
    return sum(not line.strip().startswith("#") for line in text.splitlines() if line.strip())


def theirs(each: Repository, checkouts: Path) -> int:
    """The lines of a repository's scripts that the sweep file and the action stand for."""
    total, clone = 0, checkouts / each.name.split("/")[1]
    for named in each.theirs:
        path, _, part = named.partition(":")
        text = subprocess.check_output(["git", "-C", clone, "show", f"{each.commit}:{path}"], text=True)
        first, _, last = part.partition("-")
        lines = text.splitlines()[int(first) - 1 : int(last)] if part else text.splitlines()
        total += lines_of("\n".join(lines))
    return total


def ours(each: Repository) -> int:
    """The lines of the sweep file, or one for each folder."""
    return lines_of((SWEEPS / each.sweep).read_text()) if each.sweep else len(each.folders)


def differing(found: Measured) -> Iterator[str]:
    """The models whose verdicts or counts differ, with both."""
    for name, (plainly, mine) in found.models.items():
        if plainly != mine:
            yield f"{name}: {plainly} and {mine}"


def page(listed: Sequence[Repository], results: Mapping[str, Measured], checkouts: Path) -> Iterator[str]:
    """The lines of docs/field.md: a row for each repository with results, and what was found in each."""
    yield "# The field's CI, unchanged"
    yield ""
    yield "<!-- written by scripts/field.py from scripts/field.toml and docs/field -->"
    yield ""
    yield "Public repositories run TLC with scripts of their own. Here their specifications and configs, unchanged and at a fixed"
    yield "commit, are gated by a sweep file of at most twenty lines, and each answer is compared with that of the plain command."
    yield ""
    yield "| repository | models | verdicts equal | counts equal | lines: theirs, ours | plain TLC | tla2py |"
    yield "|---|---|---|---|---|---|---|"
    for each in listed:
        if each.title not in results:
            continue
        row = results[each.title]
        pairs = list(row.models.values())
        verdicts = sum(one.verdict == other.verdict for one, other in pairs)
        counts = sum(one == other for one, other in pairs)
        script = str(theirs(each, checkouts)) if each.theirs else "none"
        seconds = [f"{wall:.0f} s ({cpu:.0f} s CPU)" for wall, cpu in (row.plain, row.ours)]
        number = len(pairs)
        cells = [
            each.title,
            number,
            f"{verdicts} of {number}",
            f"{counts} of {number}",
            f"{script}, {ours(each)}",
            *seconds,
        ]
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    jars = sorted({found.jar for found in results.values()})
    yield f"Both ran on {', '.join(jars)} with the CommunityModules, with one worker; plain TLC ran one model after the other, tla2py two at a"
    yield "time. The machine had two cores and other work, so CPU seconds compare better. *Theirs* are the lines of scripts and workflow that start"
    yield "TLC and judge its answers, *ours* those of the sweep file, or one for each folder. Counts are of generated and distinct states; a simulation"
    yield "has only the first."
    for each in listed:
        yield ""
        yield f"## {each.title}"
        yield ""
        short, address = each.commit[:12], f"https://github.com/{each.name}/tree/{each.commit}/{each.folder}"
        found = results.get(each.title)
        with_file = f", with [{each.sweep}](field/{each.sweep})" if each.sweep else ""
        ended = f" The gate is {_COLOURS[found.code]}." if found else ""
        yield f"`{each.folder}` at [{short}]({address}){with_file}.{ended}"
        if each.found:
            yield ""
            yield each.found.strip()
        different = [*differing(found)] if found else []
        if different:
            yield ""
            yield f"{counted(len(different), 'model')} differ:"
            yield ""
            yield from (f"- {line}" for line in different)


_COLOURS = {0: "green", 1: "red", 2: "red: not all could be judged", 3: "red: not all have an answer"}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path, metavar="CHECKOUTS")
    parser.add_argument("--tla2tools", type=Path, metavar="JAR", required=True)
    parser.add_argument("--community", type=Path, metavar="JAR", required=True)
    parser.add_argument("-o", "--results", type=Path, default=Path("runs/field"))
    parser.add_argument(
        "--only", metavar="NAME", default="", help="measure only repositories of this name or part"
    )
    options = parser.parse_args(argv)
    options.results.mkdir(parents=True, exist_ok=True)
    jars = [options.tla2tools.resolve(), options.community.resolve()]
    listed = msgspec.convert(tomllib.loads(LIST.read_text()), _List).repository
    results = {}
    for each in listed:
        kept = options.results / (re.sub(r"\W+", "-", each.title) + ".json")
        if each.models and not kept.exists() and options.only in each.title:
            kept.write_bytes(msgspec.json.encode(measured(each, options.checkouts.resolve(), jars)))
        if each.models and kept.exists():
            results[each.title] = msgspec.json.decode(kept.read_bytes(), type=Measured)
    shown = [each for each in listed if each.title in results or not each.models]
    PAGE.write_text("\n".join(page(shown, results, options.checkouts)) + "\n")
    return int(any(one != other for found in results.values() for one, other in found.models.values()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Tla2pyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
