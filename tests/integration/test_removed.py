"""Options and keys that are gone name what replaces them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli
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
