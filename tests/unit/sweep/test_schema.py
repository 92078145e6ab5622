"""The JSON Schema of sweep files takes every file that is right, and refuses what is wrong in form."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft4Validator

from tests.conftest import COUNTER_SWEEP, RunCli
from tla2py.cli.diagnosis import sweep_schema
from tla2py.errors import InputError
from tla2py.sweep.file import read_sweep_text
from tla2py.sweep.sections import KEYS, SECTIONS, ValuesTable

ROOT = Path(__file__).resolve().parents[3]
Schema = dict[str, Any]
SCHEMA = sweep_schema()
PATTERNS = ("specs/*/*.toml", "notebooks/sweeps/*.toml", "tests/spark/*.toml", "tests/specs/*.toml")
FILES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))


def wrong(text: str) -> list[str]:
    """Where the schema says that a sweep file is wrong."""
    found = Draft4Validator(SCHEMA).iter_errors(tomllib.loads(text))
    return sorted(".".join(map(str, error.absolute_path)) for error in found)


def test_it_is_a_schema() -> None:
    Draft4Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert len(FILES) > 20
    # It takes lists for keys of the model, and tables of variables.
    grid = 'invariants = [["A"], ["B"]]\nenvironment.X = ["1"]'
    assert wrong(f'module = "A.tla"\n[parameters]\n{grid}') == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_it_takes_the_sweep_files_of_this_repository(path: Path) -> None:
    assert wrong(path.read_text()) == []


# Reading these sweep files fails too, some of them only when the grid is built.
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('module = "A.tla"\nmodul = 1', ""),
        ('name = "nameless"', ""),
        ("module = 3", "module"),
        ("module = []", "module"),
        ('module = "A.tla"\nconfig = []', "config"),
        ('module = "A.tla"\n[model]\ninvariant = ["Inv"]', "model"),
        ('module = "A.tla"\n[model]\ninvariants = "Inv"', "model.invariants"),
        ('module = "A.tla"\n[model]\ncheck_deadlock = "no"', "model.check_deadlock"),
        ('module = "A.tla"\n[constants]\nN = 1.5', "constants.N"),
        ('module = "A.tla"\n[substitutions]\nNat = 3', "substitutions.Nat"),
        ('module = "A.tla"\n[parameters]\nN = 3', "parameters.N"),
        ('module = "A.tla"\n[parameters]\nN = []', "parameters.N"),
        ('module = "A.tla"\n[parameters]\nN = { from = 1 }', "parameters.N"),
        ('module = "A.tla"\n[parameters]\nN = { from = 1, to = 3, steps = 2 }', "parameters.N"),
        ('module = "A.tla"\n[parameters]\nN = { from = 1, to = 3, step = 0 }', "parameters.N"),
        ('module = "A.tla"\n[parameters]\nN = { from = 1, model_values = "b", sizes = [1] }', "parameters.N"),
        ('module = "A.tla"\n[grid]\nrepeat = "2"', "grid.repeat"),
        ('module = "A.tla"\n[grid]\nexclude = { N = 1 }', "grid.exclude"),
        ('module = "A.tla"\n[tlc]\nmode = "random"', "tlc.mode"),
        ('module = "A.tla"\n[tlc]\nworkers = 0', "tlc.workers"),
        ('module = "A.tla"\n[tlc]\ntimeout = "soon"', "tlc.timeout"),
        ('module = "A.tla"\n[tlc]\nmemory = "much"', "tlc.memory"),
        ('module = "A.tla"\n[expect]\nverdict = "passes"', "expect.verdict"),
        ('module = "A.tla"\n[expect]\noutcome = "violated"', "expect.outcome"),
        ('module = "A.tla"\n[[expect.point]]\nverdict = "holds"', "expect.point.0"),
    ],
)
def test_it_refuses_what_is_wrong(text: str, place: str) -> None:
    assert wrong(text) == [place]


def keys_of(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every key that an editor may offer, with its schema."""
    for key, part in schema.get("properties", {}).items():
        yield (*path, key), part
        for each in (part, part.get("items", {}), *part.get("anyOf", ())):
            yield from keys_of(each, (*path, key))


def test_every_key_has_its_words_and_no_words_are_left_over() -> None:
    assert {path for path, part in keys_of(SCHEMA) if not part.get("description")} == set()
    sections: dict[str, type[msgspec.Struct]] = {**SECTIONS, "parameters.NAME": ValuesTable}
    del sections["expect.point"]  # it is [expect] with match
    for section, struct in sections.items():
        known = {field.encode_name for field in msgspec.structs.fields(struct)}
        assert set(KEYS[section]) - {"match", "proposed"} == known, section


def test_the_two_agree_on_text_that_is_wrong_by_a_key() -> None:
    """Each line of a right file, with its key misspelt, is refused by the reader and by the schema."""
    path = Path("sweep.toml")
    for line in COUNTER_SWEEP.splitlines():
        key, equals, _ = line.partition(" =")
        if not equals or key == "Max":
            continue
        text = COUNTER_SWEEP.replace(line, line.replace(key, f"{key}x", 1))
        with pytest.raises(InputError):
            read_sweep_text(text, path)
        assert wrong(text), key


def test_init_writes_it_beside_the_sweep_file(tiny_spec: Path, run_cli: RunCli, tmp_path: Path) -> None:
    run_cli("init", tiny_spec, "-o", "sweep.toml", "--schema", code=0)
    text = (tiny_spec.parent / "sweep.toml").read_text()
    directive, path = text.splitlines()[0].split()
    assert directive == "#:schema"
    assert json.loads((tiny_spec.parent / path).read_text()) == SCHEMA
    assert wrong(text) == []
    module = read_sweep_text(text, Path("sweep.toml")).sections.module
    assert isinstance(module, str)
    assert module.endswith("Counter.tla")
    # The command schema prints or writes it.
    assert json.loads(run_cli("schema").stdout) == SCHEMA
    assert "#:schema ./mine.json" in run_cli("schema", "-o", "mine.json", code=0).stderr
    assert json.loads((tmp_path / "mine.json").read_text()) == SCHEMA
