"""Make the texts of this folder anew by running TLC: ``regenerate.py --jar 2.15=…/tla2tools.jar … [case …]``.

Every case is a folder with ``Spec.tla``, ``Spec.cfg`` (where the case is not about its absence) and ``expected.json``:

``options``, ``java_options``
    what TLC and the JVM are given beside what all cases share
``interpret``
    arguments of ``tla2py.tlc.output.result.interpret`` beside stream and exit status
``exit_code``
    the exit status by version; its keys are the versions the case exists for
``plain``
    the versions whose text without ``-tool`` is kept too, as ``<version>.plain.txt``
``expected``, ``differs``
    what is to be read from every version's text, and what else or instead from one version's

This script writes ``<version>.txt``, standard output with everything that depends on time or machine replaced, and
``exit_code``. What is expected is written by hand. Versions are 2.15 (January 2020), 2.19 (release 1.7.4) and 2.20
(September 2025).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
REPLACED = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2001-02-03 04:05:06"),
    (r"Finished in \d+ms", "Finished in 100ms"),
    (r"in \d\ds at", "in 00s at"),
    (r"\([\d,]+ (d?s)/min\)", r"(1,234 \1/min)"),
    (r"on \d+ cores with \d+MB heap and \d+MB offheap", "on 2 cores with 256MB heap and 64MB offheap"),
    (r"\[pid: \d+\] \(.*?, .*? \S+(, \w+, \w+)?\)", r"[pid: 1] (Linux 1 amd64, Vendor 17 x86_64\1)"),
    (r"Parsing file \S*/(\w+\.tla).*", r"Parsing file \1"),
    (r"/\S*/(Spec\.\w+)", r"\1"),
]


def run_case(case: Path, jar: Path, java: str, *, tool: bool = True) -> tuple[int, str]:
    """The exit status and the normalised standard output of TLC on the case, with ``-tool`` or without."""
    expected = json.loads((case / "expected.json").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        for path in case.glob("Spec.*"):
            shutil.copy(path, folder)
        argv = [java, "-Xmx256m", "-XX:+UseParallelGC", "-Xss4m", "-Duser.language=en", "-Duser.country=US"]
        argv += [f"-Djava.io.tmpdir={folder / 'tmp'}", *expected.get("java_options", ())]
        argv += ["-cp", str(jar.resolve()), "tlc2.TLC", *(["-tool"] if tool else [])]
        argv += ["-fp", "0", "-seed", "1", "-workers", "1", "-metadir", "states", "-config", "Spec.cfg"]
        argv += [*expected.get("options", ()), "Spec.tla"]
        nowhere = subprocess.DEVNULL
        done = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, stderr=nowhere, check=False)
        text = done.stdout.decode().replace(f"{folder}/", "")
    for pattern, replacement in REPLACED:
        text = re.sub(pattern, replacement, text)
    return done.returncode, text


def main() -> None:
    """Run the cases named, or all, with the jars given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jar", action="append", required=True, metavar="VERSION=PATH")
    parser.add_argument("--java", default="java")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    jars = {version: Path(path) for version, _, path in (jar.partition("=") for jar in arguments.jar)}
    cases = [HERE / name for name in arguments.cases] or [p.parent for p in HERE.glob("*/expected.json")]
    for case in sorted(cases):
        path = case / "expected.json"
        expected = json.loads(path.read_text())
        for version in sorted(jars.keys() & expected["exit_code"]):
            expected["exit_code"][version], text = run_case(case, jars[version], arguments.java)
            (case / f"{version}.txt").write_text(text)
            if version in expected.get("plain", ()):
                plain = run_case(case, jars[version], arguments.java, tool=False)[1]
                (case / f"{version}.plain.txt").write_text(plain)
            sys.stderr.write(f"{case.name} {version} {expected['exit_code'][version]}\n")
        path.write_text(json.dumps(expected, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
