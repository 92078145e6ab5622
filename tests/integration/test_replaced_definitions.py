"""A value in a definition's place, by each way of naming it: TLC prints that the run had it (tlaplus#792)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli
from tests.stores import table_rows

pytestmark = pytest.mark.jars

MODULES = SPECS / "replaced"
REPLACED = '<<"seen", 7, 7, 7, 7, 7, 7, 7, 7>>'
SIGN = "LAMBDA a, b: 7"
# The same definitions as the root names them, and as their modules do.
AS_THE_ROOT = {"Own": "7", "Plain": "7", "W!Limit": "7", "-|": SIGN}
AS_THEIR_MODULES = {
    "[Ways]Own": "7",
    "[WaysBase]Plain": "7",
    "[WaysInner]Limit": "7",
    "[WaysBase]-|": "SevenOf",
}
NAMES = pytest.mark.parametrize("values", [AS_THE_ROOT, AS_THEIR_MODULES], ids=["root", "modules"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(MODULES, tmp_path / "model")


def write_sweep(folder: Path, *tables: str) -> Path:
    path = folder / "sweep.toml"
    lines = ('module = "Ways.tla"', "[model]", 'init = "Init"', 'next = "Next"', *tables, "")
    path.write_text("\n".join(lines))
    return path


def write_table(name: str, values: dict[str, str]) -> str:
    lists = name == "parameters"
    lines = (f"{json.dumps(key)} = {json.dumps([text] if lists else text)}" for key, text in values.items())
    return "\n".join([f"[{name}]", *lines])


def run_sweep(run_cli: RunCli, jar: Path, file: Path, *options: str) -> list[str]:
    """Return what TLC printed in a sweep, each text once."""
    store = file.parent / "store"
    run_cli("sweep", file, "-o", store, "--tla2tools", jar, *options, code=0)
    return sorted({row["text"] for row in table_rows(store, "prints")})


@NAMES
def test_substitutions(run_cli: RunCli, folder: Path, jar: Path, values: dict[str, str]) -> None:
    file = write_sweep(folder, "[constants]\nN = 7", write_table("substitutions", values))
    assert run_sweep(run_cli, jar, file) == [REPLACED]


@NAMES
def test_parameters(run_cli: RunCli, folder: Path, jar: Path, values: dict[str, str]) -> None:
    file = write_sweep(folder, write_table("parameters", {"N": "7", **values}))
    assert run_sweep(run_cli, jar, file) == [REPLACED]


@NAMES
def test_values_of_check(run_cli: RunCli, folder: Path, jar: Path, values: dict[str, str]) -> None:
    options = [option for name, text in {"N": "7", **values}.items() for option in ("-c", f"{name}={text}")]
    module = folder / "Ways.tla"
    run = run_cli("check", module, *options, "--init", "Init", "--next", "Next", "--tla2tools", jar, "--json")
    assert run.json["prints"] == [REPLACED]


@NAMES
def test_values_of_a_folder(run_cli: RunCli, folder: Path, jar: Path, values: dict[str, str]) -> None:
    (folder / "Ways.cfg").write_text("INIT Init\nNEXT Next\nCONSTANTS\nN = 7\nPlain <- N\n")
    options = [option for name, text in values.items() for option in ("-c", f"{name}={text}")]
    store = folder.parent / "store"
    run_cli("sweep", folder, "-o", store, "--tla2tools", jar, *options, code=0)
    assert {row["text"] for row in table_rows(store, "prints")} == {REPLACED}


@NAMES
def test_set(run_cli: RunCli, folder: Path, jar: Path, values: dict[str, str]) -> None:
    file = write_sweep(folder, "[constants]\nN = 7")
    options = [
        option for name, text in values.items() for option in ("--set", f"{name}={json.dumps([text])}")
    ]
    assert run_sweep(run_cli, jar, file, *options) == [REPLACED]


CONFIG = "INIT Init\nNEXT Next\nCONSTANTS\nN = 7\n"
INSIDE = (
    "Own <- Seven\nPlain <- [WaysBase] Seven\nLimit <- [WaysInner] Seven\n-| <- [WaysBase] SevenOf\n",
    "Own = 7\nPlain = [WaysBase] 7\nLimit = [WaysInner] 7\n-| <- [WaysBase] SevenOf\n",
)


@pytest.mark.parametrize("bindings", INSIDE, ids=["substituted", "assigned"])
def test_a_config_that_lint_accepts(run_cli: RunCli, folder: Path, jar: Path, bindings: str) -> None:
    config = folder / "Ways.cfg"
    config.write_text(CONFIG + bindings)
    assert "substitution-instance" not in run_cli("lint", config, folder / "Ways.tla").stdout
    run = run_cli("check", folder / "Ways.tla", "--config", config, "--tla2tools", jar, "--json")
    assert run.json["prints"] == [REPLACED]


@pytest.mark.parametrize("binding", ["Plain <- Seven", "Plain = 7", "W!Limit <- Seven", "-| <- SevenOf"])
def test_a_config_that_tlc_ignores_is_refused(run_cli: RunCli, folder: Path, jar: Path, binding: str) -> None:
    config, module = folder / "Ways.cfg", folder / "Ways.tla"
    config.write_text(f"{CONFIG}{binding}\n")
    refused = run_cli("check", module, "--config", config, "--tla2tools", jar, code=2)
    assert "because INSTANCE copies" in refused.stderr
    # What TLC does without lint: the use inside the instance keeps its definition.
    run = run_cli("check", module, "--config", config, "--tla2tools", jar, "--no-lint", "--json")
    [printed] = run.json["prints"]
    assert printed.count("7") == 2


def test_a_sweep_overrides_a_config_however_it_names_the_definition(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    (folder / "Ways.cfg").write_text(f"{CONFIG}Plain <- [WaysBase] N\nLimit = [WaysInner] 3\n")
    values = write_table("substitutions", AS_THE_ROOT)
    file = folder / "sweep.toml"
    file.write_text(f'module = "Ways.tla"\nconfig = "Ways.cfg"\n{values}\n')
    assert run_sweep(run_cli, jar, file) == [REPLACED]


def test_what_the_config_itself_names_is_replaced_too(run_cli: RunCli, folder: Path, jar: Path) -> None:
    model = '[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Same"]\n[constants]\nN = 7\n'
    file = folder / "sweep.toml"
    file.write_text(f'module = "Ways.tla"\n{model}[parameters]\nSame = ["x = 0", "x = 1"]\n')
    run_cli("sweep", file, "-o", folder / "store", "--tla2tools", jar, code=1)
    verdicts = [row["verdict"] for row in table_rows(folder / "store", "runs")]
    assert verdicts == ["holds", "violated"]


def test_a_mutant_inside_an_instance_beside_a_replaced_definition(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    inner = folder / "WaysInner.tla"
    inner.write_text(
        "---- MODULE WaysInner ----\nEXTENDS Naturals\nVARIABLE x\nLimit == 1\nUsesLimit == Limit\n"
        "Step == x < Limit /\\ x' = x + 1\nSmall == x <= Limit\n====\n"
    )
    (folder / "Ways.tla").write_text(
        "---- MODULE Ways ----\nEXTENDS Naturals\nVARIABLE x\nW == INSTANCE WaysInner\nInit == x = 0\n"
        "Next == W!Step\nInv == W!Small\n====\n"
    )
    file = folder / "sweep.toml"
    model = '[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Inv"]\ncheck_deadlock = false\n'
    file.write_text(f'module = "Ways.tla"\n{model}[substitutions]\n"W!Limit" = "3"\n')
    mutated = run_cli("mutate", file, "-o", folder / "store", "--tla2tools", jar, "--json", code=0)
    changed = {mutant["definition"] for mutant in mutated.json}
    assert "Step" in changed
    # The replaced definition is dead, so no mutant changes it.
    assert "Limit" not in changed
