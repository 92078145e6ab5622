"""Compares ``tla2py inspect`` on every module of a corpus with the XML export of SANY, TLC's parser.

Usage: python scripts/sany_agreement.py CORPUS [--tla2tools JAR] [-L DIR]... [-o FOLDER]

It compares constants and variables with their places, and every definition visible in the module with its arity and level.
SANY's answers are cached in FOLDER by jar and module, so a second run queries only missing or changed modules. The exit
code is 1 if the two differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tla2py.errors import Tla2pyError
from tla2py.sweep.inspect import inspect_spec
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import STANDARD_MODULES, standard_module_of
from tla2py.tla.parse import PROOFS, load_modules
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain

# SANY's spelling of a symbol to tla2py's.
_SPELT = {"\\leq": "<=", "\\geq": ">="}
# Definitions of standard modules that are missing from tla2py's list.
_OF_STANDARD = frozenset({"Real", "/", "Infinity", "\\oplus", "\\ominus"})
_CONSTANT, _VARIABLE = "2", "3"


@dataclass(slots=True)
class Compared:
    """The results of a comparison; each of ``differences`` is a module with a sentence."""

    files: int = 0
    read: int = 0
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    same: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)


def sany_answer(file: Path, libraries: Sequence[Path], tools: Toolchain) -> dict[str, Any]:
    """SANY's view of a module: the declarations in its XML, or the error it stopped at."""
    folders = [part for folder in (file.parent, *libraries) for part in ("-I", str(folder.resolve()))]
    with tempfile.TemporaryDirectory(prefix="tla2py-") as scratch:
        # SANY up to 1.7.4 writes its standard modules into java.io.tmpdir and deletes them at exit.
        jvm = [
            str(tools.java.path),
            "-Xss64m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            f"-Djava.io.tmpdir={scratch}",
        ]
        exporter = [
            "-cp",
            str(tools.jar.path),
            "tla2sany.xml.XMLExporter",
            "-o",
            *folders,
            str(file.resolve()),
        ]
        done = subprocess.run([*jvm, *exporter], capture_output=True, cwd=scratch, check=False)
    # Warnings come before the XML.
    text = done.stdout[max(done.stdout.find(b"<?xml"), 0) :]
    try:
        return _declared(ET.fromstring(text))  # noqa: S314 - SANY's own output
    except ET.ParseError:
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        lines = [line for line in output.splitlines() if not line.startswith(("Parsing", "Semantic"))]
        return {"error": "\n".join(lines)[:4000]}


def _declared(tree: ET.Element) -> dict[str, Any]:
    entries = {entry[0].text: entry[1] for entry in tree.iterfind("context/entry")}
    root = tree.findtext("RootModule")
    module = next(
        each for each in entries.values() if each.tag == "ModuleNode" and each.findtext("uniquename") == root
    )
    found: dict[str, Any] = {"constants": [], "variables": [], "definitions": []}
    for reference in module:
        each = entries.get(reference.findtext("UID"))
        if each is None:
            continue
        if each.tag == "OpDeclNode":
            kind = "constants" if each.findtext("kind") == _CONSTANT else "variables"
            found[kind].append(_facts(each))
        elif each.tag == "UserDefinedOpKind":
            found["definitions"].append(_facts(each))
    return found


def _facts(each: ET.Element) -> list[Any]:
    """Name, arity, level, and module, line and column of the declaration."""
    numbers = (each.findtext("arity"), each.findtext("level"))
    place = [each.findtext(f"location/{part}/begin") for part in ("line", "column")]
    return [
        each.findtext("uniquename"),
        *(int(number or 0) for number in numbers),
        each.findtext("location/filename"),
        *(int(number or 0) for number in place),
    ]


def sany_answers(
    files: Sequence[Path], libraries: Sequence[Path], tools: Toolchain, folder: Path, slots: int
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The modules with SANY's answers, in order; cached answers are not queried again."""
    folder.mkdir(parents=True, exist_ok=True)

    def answer(file: Path) -> tuple[Path, dict[str, Any]]:
        near = b"".join(each.read_bytes() for each in sorted(file.parent.glob("*.tla")))
        key = hashlib.sha256(f"{tools.jar.sha256} {file} {libraries}".encode() + near).hexdigest()
        kept = folder / f"{file.stem}-{key[:16]}.json"
        if not kept.exists():
            kept.write_text(json.dumps(sany_answer(file, libraries, tools)), encoding="utf-8")
        return file, json.loads(kept.read_text(encoding="utf-8"))

    with ThreadPoolExecutor(slots) as pool:
        yield from pool.map(answer, files)


def compare(
    file: Path, shown: str, theirs: dict[str, Any], libraries: Sequence[Path], into: Compared
) -> None:
    """Add a module to a comparison."""
    into.files += 1
    try:
        spec = load_modules(file, libraries)
        ours = inspect_spec(spec)
    except Tla2pyError as error:
        said = " ".join(str(error).split())
        if "error" in theirs:
            into.refused.append((shown, said, _error(theirs)))
        else:
            into.unread.append((shown, said))
        return
    into.read += 1
    if "error" in theirs:
        into.refused.append((shown, "", _error(theirs)))
        return
    differences = list(_differences(spec, ours, theirs, into.counts))
    into.same += not differences
    into.differences += [(shown, text) for text in differences]


def _error(theirs: dict[str, Any]) -> str:
    """SANY's error message without its stack trace."""
    lines = [line.strip() for line in theirs["error"].splitlines()]
    return " ".join(line for line in lines if line and not line.startswith("at "))


def _differences(
    spec: ModuleGraph, ours: dict[str, Any], theirs: dict[str, Any], counts: Counter[str]
) -> Iterator[str]:
    # tla2py does not read TLC's own modules, so only definitions in files are compared.
    standard = STANDARD_MODULES - {module.name for module in spec.modules}
    # SANY counts the lines of a file's second module from where that module starts.
    before = {
        module.name: len(module.text) - len(module.text.lstrip("\n"))
        for module in spec.modules[1:]
        if module.path == spec.root.path
    }
    for key in ("constants", "variables"):
        mine = {
            (e["name"], e.get("arity", 0), e["module"], e["line"] - before.get(e["module"], 0), e["column"])
            for e in ours[key]
        }
        sany = {(n, arity, *place) for n, arity, _, *place in theirs[key] if place[0] not in standard}
        counts[key] += len(sany)
        for name, *facts in sorted(sany - mine):
            yield f"{key[:-1]} {name}: not as SANY has it, {facts}"
        for name, *facts in sorted(mine - sany):
            yield f"{key[:-1]} {name}: {facts} is not in SANY's"
    mine_at = {e["name"]: e for e in ours["operators"]}
    sany_at = {
        _spelt(n): (arity, level)
        for n, arity, level, place, *_ in theirs["definitions"]
        if place not in standard
    }
    counts["definitions"] += len(sany_at)
    for name, (arity, level) in sany_at.items():
        if name not in mine_at:
            if _of_standard(name):
                counts["definitions"] -= 1
                continue
            counts["missing"] += 1
            yield f"{name}: missing"
            continue
        each = mine_at[name]
        own_level = int(spec.level(each["name"]))
        if each["arity"] != arity:
            counts["of another arity"] += 1
            yield f"{name}: has {each['arity']} parameters, SANY says {arity}"
        elif own_level != level:
            counts["of another level"] += 1
            yield f"{name}: is of level {own_level}, SANY says {level}"
    for name in mine_at.keys() - sany_at.keys():
        counts["extra"] += 1
        yield f"{name}: is not in SANY's"


def _spelt(name: str) -> str:
    """SANY's name in tla2py's spelling."""
    path, mark, last = name.rpartition("!")
    return path + mark + _SPELT.get(last, last)


def _of_standard(name: str) -> bool:
    """Whether a standard module defines the name, possibly seen through a named instance."""
    last = name.rpartition("!")[2]
    return last in _OF_STANDARD or standard_module_of(last) is not None


def report(compared: Compared) -> Iterator[str]:
    """The lines of the comparison's report."""
    both = compared.files - len(compared.unread) - len(compared.refused)
    yield f"Files: {compared.files}. Read without an error: {compared.read}. Refused by SANY: {len(compared.refused)}."
    yield f"Modules of which both say the same: {compared.same} of {both}."
    counts = compared.counts
    kinds = ("constants", "variables", "definitions")
    yield f"Compared: {', '.join(f'{counts[key]:,} {key}' for key in kinds)}."
    wrong = ("missing", "extra", "of another arity", "of another level")
    yield f"Definitions {', '.join(f'{key}: {counts[key]}' for key in wrong)}."
    for shown, said in compared.unread:
        yield f"- not read, though SANY reads it: {shown}: {said}"
    for shown, ours, said in compared.refused:
        yield f"- refused by SANY{'' if ours else ', though read'}: {shown}: {said[:300]}"
    for shown, text in compared.differences:
        yield f"- {shown}: {text}"


def main(argv: Sequence[str] | None = None) -> int:
    """Compare a corpus and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--tla2tools", type=Path)
    parser.add_argument("-L", "--library", type=Path, action="append", default=[])
    parser.add_argument("-o", "--folder", type=Path, default=Path("runs/sany"))
    parser.add_argument("--slots", type=int, default=2)
    options = parser.parse_args(argv)
    tools = find_toolchain(options.tla2tools)
    files = sorted(options.corpus.rglob("*.tla"))
    compared = Compared()
    for file, theirs in sany_answers(files, [*options.library, PROOFS], tools, options.folder, options.slots):
        compare(file, file.relative_to(options.corpus).as_posix(), theirs, options.library, compared)
        if sys.stderr.isatty():
            print(f"\r{compared.files}/{len(files)}", end="", file=sys.stderr)
    for line in report(compared):
        print(line)
    return int(bool(compared.unread or compared.differences))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Tla2pyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        # SANY's answers so far are cached.
        sys.exit(130)
