"""Run every command that prints JSON on small models, and collect the keys of what it prints."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import command

_SPECS = Path(__file__).parents[1] / "specs"

_LAMP = """
module = "Lamp.tla"
[model]
invariants = ["Low"]
[parameters]
Max = [1, 2, 3]
[mutation]
sample = 3
[tlc]
graph = true
"""
_LAMP_MODULE = """---- MODULE Lamp ----
EXTENDS Naturals
CONSTANT Max
VARIABLE light
Init == light = 0
Brighten(step) == light + step <= Max /\\ light' = light + step
Dim == light > 0 /\\ light' = 0
Next == Dim \\/ \\E step \\in 1..2 : Brighten(step)
Spec == Init /\\ [][Next]_light
Low == light < 3
====
"""
_LAMP_CONFIG = "SPECIFICATION Spec\nINVARIANT Low\nCONSTANT Max = 3\n"
_MISTAKEN_CONFIG = _LAMP_CONFIG + "INVARIANT Low, Low\n"
_LAMP_LOG = '{"action": "Brighten", "args": {"step": 2}, "state": {"light": 2}}\n{"action": "Dim"}\n'
# A lamp that can only be switched off.
_LAMP_PROGRAM = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    answer = {"protocol": 1} if question["do"] == "hello" else {"state": {"light": 0}}
    print(json.dumps(answer), flush=True)
"""


def json_lines(folder: Path) -> list[str]:
    """Return the path of every key that a command prints as JSON, run in an empty folder; takes half a minute."""
    _write_inputs(folder)
    lines: set[str] = set()
    for name, arguments in _commands().items():
        answer = command.run(*arguments, cwd=folder)
        assert answer.code in (0, 1, 3), (name, answer)
        for value in _values(answer.stdout):
            lines.update(f"{name}: {path}" for path in _paths("", value))
    return sorted(lines)


def _write_inputs(folder: Path) -> None:
    """Write a module, its sweep file, config, log and program, and a specification with its reference."""
    (folder / "Lamp.tla").write_text(_LAMP_MODULE)
    (folder / "Lamp.cfg").write_text(_LAMP_CONFIG)
    (folder / "Mistaken.cfg").write_text(_MISTAKEN_CONFIG)
    (folder / "lamp.toml").write_text(_LAMP)
    (folder / "lamp.ndjson").write_text(_LAMP_LOG)
    shutil.copytree(_SPECS / "judged" / "lease", folder / "lease")
    (folder / "lamp.py").write_text(_LAMP_PROGRAM)


def _commands() -> dict[str, list[str]]:
    """Return the arguments of each command, by a name for what it answers; later ones read the store of the first."""
    store = "runs/lamp"
    graph = ["--point", "1", "--arguments"]
    return {
        "sweep": ["sweep", "lamp.toml", "--executor", "local", "--json"],
        "inspect": ["inspect", "Lamp.tla", "--json"],
        "lint": ["lint", "Mistaken.cfg", "Lamp.tla", "--format", "json"],
        "check": ["check", "Lamp.tla", "--json"],
        "gate": ["gate", "lamp.toml", "--executor", "local", "--json"],
        "query": ["query", store, "SELECT point, verdict FROM runs", "--json"],
        "explain": ["explain", store, "--suggest", "1", "--json"],
        "trace list": ["trace", store, "--json"],
        "trace json": ["trace", store, "3", "--format", "json"],
        "trace why": ["trace", store, "3", "--why", "--json"],
        "trace conjuncts": ["trace", store, "3", "--conjuncts", "--json"],
        "trace itf": ["trace", store, "3", "--format", "itf"],
        "mutate": ["mutate", "lamp.toml", "--json"],
        "validate": ["validate", "Lamp.tla", "lamp.ndjson", "--json"],
        "judge": ["judge", "lease/Leases.tla", "--reference", "lease/Lease.tla", "--json"],
        "testgen": ["testgen", store, *graph],
        "drive": ["drive", store, *graph, "--json", "--", sys.executable, "lamp.py"],
        "evidence": ["evidence", store, "-o", "pack.zip"],
        "evidence verify": ["evidence", "verify", "pack.zip", "--json"],
        "examples list": ["examples", "list", "--json"],
        "tools list": ["tools", "list", "--json"],
        "doctor": ["doctor", "--no-self-test", "--json"],
    }


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values of an output: the whole text, or one a line; nothing where it is text for a person."""
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def _paths(path: str, value: Any) -> Iterator[str]:
    """Yield the path of each key in a value; elements of a list share one path."""
    if isinstance(value, dict):
        for key, part in value.items():
            inner = f"{path}.{key}" if path else key
            yield inner
            yield from _paths(inner, part)
    elif isinstance(value, list):
        for part in value:
            yield from _paths(f"{path}[]", part)
