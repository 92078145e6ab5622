"""Options and keys that are gone name what replaces them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tla2py
from tests.conftest import RunCli
from tla2py.errors import InputError
from tla2py.sweep.sections import REMOVED_KEYS


@pytest.mark.parametrize(
    ("arguments", "option", "instead"),
    [
        (("sweep", "sweep.toml", "--refine", "1"), "--refine", "explain STORE --suggest"),
        (("sweep", "sweep.toml", "--confirm", "1"), "--confirm", "--within"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_removed_option_names_its_replacement(
    arguments: tuple[str, ...], option: str, instead: str, tiny_sweep: Path, run_cli: RunCli
) -> None:
    refused = run_cli(*arguments, cwd=tiny_sweep.parent, code=2)
    assert refused.error.code == "usage"
    assert refused.error.message == f"tla2py {arguments[0]} has no option {option} any more"
    assert instead in refused.hint


@pytest.mark.parametrize("name", REMOVED_KEYS)
def test_a_removed_key_names_its_replacement(name: str, tiny_sweep: Path, run_cli: RunCli) -> None:
    section, key = name.split(".")
    tiny_sweep.write_text(f'module = "Counter.tla"\n[{section}]\n{key} = "x"\n')
    refused = run_cli("sweep", tiny_sweep, code=2)
    assert refused.error.code == "unknown-key"
    assert refused.error.message == f"there is no key {name} any more"
    assert refused.hint == REMOVED_KEYS[name]


@pytest.mark.parametrize(
    "address",
    ["hdfs://namenode:8020/runs", "gs://bucket/runs", "abfs://box@account.dfs.core.windows.net/runs"],
)
def test_a_store_is_a_local_folder_or_on_s3(address: str, tiny_sweep: Path, run_cli: RunCli) -> None:
    for command in (
        ("sweep", tiny_sweep, "-o", address),
        ("trace", address, "1"),
        ("query", address, "FROM runs"),
    ):
        refused = run_cli(*command, code=2)
        assert refused.error.code == "store-scheme"
        assert refused.error.message == f"unsupported store address: {address}"
        assert "s3://bucket/path" in refused.hint


def test_a_refused_address_does_not_show_a_password(run_cli: RunCli) -> None:
    refused = run_cli("trace", "hdfs://user:secret@namenode/runs", "1", code=2)
    assert refused.error.code == "store-secret"
    assert "secret" not in refused.error.message


JAR = "the jar of TLC is no parameter any more: "


@pytest.mark.parametrize(
    ("line", "name", "where"),
    [
        ('jar = ["bundled", "1.7.4"]', "jar", "sweep.toml:3:1"),
        ('jar = ["bundled", { path = "x.jar", sha256 = "00" }]', "jar", "sweep.toml:3:1"),
        ('tlc.jar = ["bundled"]', "tlc.jar", "sweep.toml:3:1"),
    ],
)
def test_a_parameter_that_chooses_jars_names_its_replacement(
    line: str, name: str, where: str, tiny_sweep: Path, run_cli: RunCli
) -> None:
    tiny_sweep.write_text(f'module = "Counter.tla"\n[parameters]\n{line}\n')
    refused = run_cli("sweep", "sweep.toml", cwd=tiny_sweep.parent, code=2)
    assert refused.refusal == ("unknown-parameter", where)
    assert refused.error.message == JAR + name
    assert all(part in refused.hint for part in ("--tla2tools", "gate --second", "explore A --compare B"))


def test_a_setting_of_the_jar_names_its_replacement(tiny_sweep: Path, run_cli: RunCli) -> None:
    refused = run_cli("sweep", tiny_sweep, "--set", "jar=1.7.4", code=2)
    assert (refused.error.code, refused.error.message) == ("unknown-parameter", f"{JAR}jar")
    assert "gate --second" in refused.hint


def test_a_module_may_have_a_constant_named_jar(tiny_sweep: Path, run_cli: RunCli) -> None:
    module = tiny_sweep.with_name("Counter.tla")
    module.write_text(module.read_text().replace("Max", "jar"))
    tiny_sweep.write_text('module = "Counter.tla"\n[parameters]\njar = [1, 2]\n')
    assert "2 points" in run_cli("sweep", tiny_sweep, "--dry-run", code=0).stdout


@pytest.mark.parametrize("command", ["sweep", "gate", "mutate", "check"])
def test_several_jars_name_their_replacement(command: str, tiny_sweep: Path, run_cli: RunCli) -> None:
    jars = ("--tla2tools", "bundled", "--tla2tools", "1.7.4")
    refused = run_cli(command, tiny_sweep, *jars, code=2)
    assert refused.error.code == "usage"
    assert refused.error.message == "there cannot be several --tla2tools any more"
    assert "gate --second" in refused.hint


def test_a_script_names_one_jar(tiny_sweep: Path) -> None:
    jars: Any = ["bundled", "1.7.4"]
    with pytest.raises(InputError, match="there cannot be several tla2tools any more") as refused:
        tla2py.run_sweep(tiny_sweep, tla2tools=jars)
    assert "gate --second" in str(refused.value.hint)
