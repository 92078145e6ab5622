"""Stores of strangers, opened: no file outside is read or written, nothing is markup, and no command fails with a traceback."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import shutil
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.conftest import RunCli
from tests.integration.test_hostile_text import Page
from tests.objects import Storage, serving
from tests.stores import loose_records
from tests.unit.store.test_strangers import seal
from tests.unit.store.test_tables import make_store
from tla2py.analysis.view import open_view
from tla2py.errors import Tla2pyError
from tla2py.store.address import Address
from tla2py.store.refresh import refresh_tables
from tla2py.view.explorer import store_data

SECRET = "of-another-folder-4711"
MARKUP = "</script><script>owned()</script><img src=x onerror=owned()>"
# What a stranger may write where tla2py wrote a name, a text or a number.
POISONS: dict[str, object] = {
    "markup": MARKUP,
    "path": "../outside/secret",
    "huge": 10**30,
    "negative": -1,
    "nothing": None,
    "nested": [{"a": [1]}],
}
CASES = ("invariant", "liveness-lasso", "coverage", "prints")
Leaf = tuple[str | int, ...]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the stores, with a file that nobody has read."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text(SECRET)
    return tmp_path / "outside"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with tables, as tla2py writes it."""
    store = make_store(tmp_path_factory.mktemp("made") / "store", CASES)
    refresh_tables(store)
    return Path(str(store.path))


@contextlib.contextmanager
def untouched(outside: Path) -> Iterator[None]:
    """Check that nobody reads or changes what is outside, nor adds to it."""
    file = outside / "secret"
    # The time of access then changes at the next read, except where the file system keeps none.
    os.utime(file, ns=(10**18, 10**18 + 1))
    yield
    assert [each.name for each in outside.iterdir()] == ["secret"]
    assert (file.stat().st_atime_ns, file.stat().st_mtime_ns) == (10**18, 10**18 + 1)
    assert file.read_text() == SECRET


def commands(store: Address) -> dict[str, tuple[str, ...]]:
    """The commands that open a store, but for the explorer."""
    return {
        "trace": ("trace", str(store), "1"),
        "report": ("report", str(store), "-o", "page.html"),
        "explain": ("explain", str(store)),
        "query": ("query", str(store), "SELECT * FROM runs JOIN states USING (run_id)", "--json"),
    }


def open_all(run_cli: RunCli, store: Address, outside: Path, *names: str) -> list[str]:
    """What is wrong after a hostile store was opened by some commands, or by all of them and the explorer."""
    wrong = []
    for name, asked in commands(store).items():
        if names and name not in names:
            continue
        page = outside.with_name("page.html")
        page.unlink(missing_ok=True)
        with untouched(outside):
            try:
                ended = run_cli(*asked, cwd=outside.parent)
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
                continue
        shown = ended.stdout + ended.stderr + (page.read_text() if page.exists() else "")
        if ended.code not in (0, 2) or "Traceback" in shown or SECRET in shown:
            wrong.append(f"{name}: exit code {ended.code}, {shown[-300:]}")
        if page.exists() and (found := Page(page.read_text())) and (found.scripts > 3 or found.wrong):
            wrong.append(f"{name}: {found.scripts} scripts, {found.wrong}")
    if not names:
        wrong += open_explorer(store, outside)
    return wrong


def open_explorer(store: Address, outside: Path) -> list[str]:
    """What is wrong with the data of the explorer's server."""
    with untouched(outside):
        try:
            text = json.dumps(store_data(open_view(store)).overview)
        except Tla2pyError:
            return []
        except Exception as error:
            return [f"explorer: {type(error).__name__}: {error}"]
    return [f"explorer: {text[:300]}"] if SECRET in text else []


def leaves(value: object, path: Leaf = ()) -> Iterator[Leaf]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from leaves(part, (*path, key))
    if not isinstance(value, dict | list) or not value:
        yield path


def with_leaf(value: Any, path: Leaf, leaf: object) -> Any:
    inner = value = copy.deepcopy(value)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = leaf
    return value


def poisons(outside: Path) -> dict[str, object]:
    return POISONS | {"absolute": f"{outside}/secret"}


def attack_json(
    run_cli: RunCli, store: Path, outside: Path, text: str, write: Callable[[str], object], *names: str
) -> list[str]:
    """What is wrong with a file of JSON that has each poison at each leaf in turn."""
    wrong = []
    value = json.loads(text)
    for path in leaves(value):
        for name, poison in poisons(outside).items():
            write(json.dumps(with_leaf(value, path, poison)))
            wrong += [f"{path} {name}: {each}" for each in open_all(run_cli, store, outside, *names)]
    return wrong


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def test_the_store_is_opened_at_all(run_cli: RunCli, store: Path, outside: Path) -> None:
    assert open_all(run_cli, store, outside) == []
    for name, asked in commands(store).items():
        assert run_cli(*asked, cwd=store.parent).code == 0, name


@pytest.mark.long
@pytest.mark.parametrize("file", ["store.json", "tables/current.json"])
def test_a_hostile_manifest(run_cli: RunCli, store: Path, outside: Path, file: str) -> None:
    text = (store / file).read_text()
    wrong = attack_json(run_cli, store, outside, text, (store / file).write_text, "trace", "report")
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_a_hostile_record(run_cli: RunCli, store: Path, outside: Path) -> None:
    shutil.rmtree(store / "tables")
    file = loose_records(store)[0]
    with zipfile.ZipFile(file) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}

    def write(text: str) -> None:
        shutil.rmtree(store / "tables", ignore_errors=True)
        with zipfile.ZipFile(file, "w") as target:
            for name, data in entries.items():
                target.writestr(name, text.encode() if name == "record.json" else data)

    assert attack_json(run_cli, store, outside, entries["record.json"].decode(), write, "report") == []


def poisoned(column: pa.ChunkedArray, poison: object) -> pa.ChunkedArray | None:
    """A column of a poison; None if it cannot be in it."""
    try:
        value = pa.scalar(poison, column.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None
    return pa.chunked_array([pa.repeat(value, len(column))])


@pytest.mark.long
@pytest.mark.parametrize("table", ["runs", "traces", "states", "changes", "coverage", "prints"])
def test_a_hostile_table(run_cli: RunCli, store: Path, outside: Path, table: str) -> None:
    (file,) = (store / "tables" / table).glob("*.parquet")
    whole, wrong = pq.read_table(file), []
    for number, name in enumerate(whole.column_names):
        for poison in (*poisons(outside).values(), 2**63 - 1, float("nan")):
            if poison is None and not whole.schema.field(name).nullable:
                continue
            if (column := poisoned(whole[name], poison)) is not None:
                try:
                    pq.write_table(whole.set_column(number, whole.schema.field(name), column), file)
                except pa.ArrowInvalid:
                    continue  # a null within, where none may be
                seal(store)
                wrong += [f"{name} {poison}: {each}" for each in open_all(run_cli, store, outside)]
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served") as served:
        for name, value in served.env.items():
            monkeypatch.setenv(name, value)
        yield served


def copy_to(storage: Storage, store: Path, path: str) -> str:
    fs.copy_files(str(store), path, fs.LocalFileSystem(), storage.files)
    return f"s3://{path}"


def test_nothing_beside_a_store_in_a_bucket_is_asked_for(
    run_cli: RunCli, made: Path, storage: Storage, tmp_path: Path
) -> None:
    bucket = storage.bucket("shared")
    address, *_ = (copy_to(storage, made, f"{bucket}/runs/{name}") for name in ("mine", "mine2", "other"))
    kept = {name: storage.objects(f"{bucket}/runs/{name}") for name in ("mine2", "other")}
    log = tmp_path / "served/server.log"
    begin = log.stat().st_size
    asked = [*commands(address).values(), ("prune", address), ("tables", address)]
    for each in asked:
        assert run_cli(*each).code == 0, each
    requests = re.findall(r'"([A-Z]+) /shared/?(\S*) HTTP', log.read_text()[begin:])
    assert len(requests) > len(asked)
    for method, request in requests:
        path, _, query = unquote(request).partition("?")
        prefix = next((part[7:] for part in query.split("&") if part.startswith("prefix=")), "")
        own = [each == "runs/mine" or each.startswith("runs/mine/") for each in (path, prefix)]
        assert any(own) or (method, path) == ("HEAD", ""), (method, request)
    assert {name: storage.objects(f"{bucket}/runs/{name}") for name in kept} == kept


def test_hostile_names_in_a_bucket(
    run_cli: RunCli, store: Path, outside: Path, storage: Storage, tmp_path: Path
) -> None:
    address = copy_to(storage, store, f"{storage.bucket('hostile')}/runs")
    before = {*tmp_path.rglob("*")}
    for folder in ("records", "tables", "points", "sources", "outputs"):
        for name in ("../outside/secret", "..%2F..%2Fescaped", MARKUP.replace("/", ""), "\\..\\escaped"):
            url = f"http://{storage.endpoint}/hostile/runs/{folder}/{quote(name)}"
            urllib.request.urlopen(urllib.request.Request(url, data=b"x", method="PUT")).close()
    assert open_all(run_cli, address, outside) == []
    with untouched(outside):
        assert run_cli("prune", address).code == 0
        assert run_cli("tables", address).code == 0
    added = {path for path in tmp_path.rglob("*") if tmp_path / "served" not in path.parents} - before
    assert added <= {tmp_path / "page.html"}
