"""Errors in stores, in their traces and in files that hold traces."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.errors.provoke import ITF, Lab, answering, provokes
from tests.stores import loose_records
from tla2py.analysis.contrast import point_contrasts
from tla2py.analysis.view import open_view
from tla2py.cli.app import run_command
from tla2py.store.foreign import read_file
from tla2py.store.open_storage import open_storage
from tla2py.store.record import input_file, open_archive
from tla2py.store.refresh import refresh_tables, table_files
from tla2py.store.store import Store


@provokes("store-busy")
def store_that_another_writes_to(lab: Lab) -> None:
    store = lab.view("success").store
    with Store.open(store.path).lock(), Store.open(store.path).lock():
        pass


NOWHERE = "s3://bucket/store?endpoint_override=127.0.0.1:9&scheme=http"


def signed(lab: Lab) -> Lab:
    return lab.setting("AWS_ACCESS_KEY_ID", "name").setting("AWS_SECRET_ACCESS_KEY", "secret")


def _refused_by_a_server(lab: Lab, status: int, code: str) -> None:
    signed(lab)
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"
    with answering(status, body.encode()) as address:
        host = address.removeprefix("http://")
        Store.create(f"s3://bucket/store?endpoint_override={host}&scheme=http")


@provokes("record-damaged")
def record_that_is_cut(lab: Lab) -> None:
    view = lab.view("invariant")
    (record,) = loose_records(Path(view.store.path))
    record.write_bytes(record.read_bytes()[:100])
    with open_archive(record):
        pass


def violated(lab: Lab, model: str) -> Lab:
    """Run a sweep of a model that is violated."""
    lab.write("one.toml", f'module = "Counter.tla"\n[model]\n{model}\n[constants]\nMax = "3"\n')
    assert run_command(["sweep", "one.toml", "--executor", "local"]) == 1
    return lab


SMALL, DEADLOCK = 'invariants = ["Small"]', 'init = "Init"\nnext = "Up"'


@provokes("extra-missing")
def stepper_without_its_package(lab: Lab) -> None:
    lab.patch.setitem(sys.modules, "anywidget", None)
    lab.patch.delitem(sys.modules, "tla2py.view.server", raising=False)
    lab.view("invariant").explore()


@provokes("pandas-missing")
def frame_without_pandas(lab: Lab) -> None:
    lab.patch.setitem(sys.modules, "pandas", None)
    lab.patch.delitem(sys.modules, "tla2py.store.pandas", raising=False)
    _ = lab.view("invariant").runs


@provokes("records-lost")
def records_that_were_deleted(lab: Lab) -> None:
    store = lab.view("invariant").store
    with store.lock():
        refresh_tables(store)
    for file in Path(store.path).glob("records/*"):
        file.unlink()
    open_view(store.path)


@provokes("table-damaged")
def table_that_was_edited_while_a_sweep_goes_on(lab: Lab) -> None:
    store = lab.view("invariant").store
    table_files(store, "traces")[0].write_text("edited")
    with store.lock():
        _ = open_view(store.path).trace_rows


TWO = ("invariant", "invariant")
INPUT = f"one/inputs/{'0' * 64}"
STATED = '{{"format": "tla2py-store", "version": {}}}'

provokes.commands(
    ("store-unreadable", None, "trace runs/odd", {"runs/odd/store.json/file": ""}),
    ("store-missing", None, "trace runs/none"),
    ("not-a-store", None, "trace runs/other", {"runs/other/readme.txt": ""}),
    ("not-a-store", None, "trace runs/other", {"runs/other/store.json": STATED.format(2)}),
    ("store-too-new", None, "trace runs/new", {"runs/new/store.json": STATED.format(99)}),
    ("store-too-old", None, "trace runs/old", {"runs/old/store.json": STATED.format(1)}),
    ("store-scheme", None, "trace ftp://host/store"),
    ("pack-damaged", None, "evidence verify pack.zip", {"pack.zip": b"PK"}),
    ("trace-file-unknown", None, "trace notes.txt", {"notes.txt": "nothing\n"}),
    ("trace-file-unknown", None, "trace notes.txt", {"notes.txt": ""}),
    ("trace-file-unknown", None, "trace notes.txt", {"notes.txt": "{}"}),
    ("trace-file-unknown", None, "trace notes.txt", {"notes.txt": "[1, 2]"}),
    ("trace-file-syntax", "a.json", "trace a.json", {"a.json": "[" * 100_000}),
    ("itf-syntax", "trace.json", "trace trace.json", {"trace.json": '{"vars": [], "states": []}'}),
    ("dump-syntax", "trace.json", "trace trace.json", {"trace.json": '{"state": [[1]]}'}),
    ("store-missing", None, "query none 'SELECT 1'"),
    ("not-confirmable", None, "trace trace.itf.json --verify", ITF),
    ("trace-file-syntax", "trace.json:1:9", "trace trace.json", {"trace.json": '{"vars":'}),
)

provokes.rows(
    ("store-unwritable", None, lambda lab: Store.create(lab.write("file", "") / "store")),
    ("expression-fails", None, lambda lab: violated(lab, SMALL).run("trace runs/one 1 --eval '[](x = 0)'")),
    ("not-an-invariant", None, lambda lab: violated(lab, DEADLOCK).run("trace runs/one 1 --conjuncts")),
    (
        "input-lost",
        None,
        lambda lab: input_file(open_storage(lab.write(INPUT, "edited").parents[1]), "0" * 64),
    ),
    ("trace-file-unreadable", None, lambda lab: read_file(lab.folder)),
    ("store-secret", None, lambda lab: open_storage("s3://name:password@bucket/store")),
    ("store-unreachable", None, lambda lab: signed(lab).run(f"trace '{NOWHERE}'")),
    ("bucket-missing", None, lambda lab: _refused_by_a_server(lab, 404, "NoSuchBucket")),
    ("store-denied", None, lambda lab: _refused_by_a_server(lab, 403, "AccessDenied")),
    ("no-point", None, lambda lab: lab.view("invariant").trace(7)),
    ("no-trace", None, lambda lab: lab.view("success").trace(1)),
    ("no-trace", None, lambda lab: lab.viewed("invariant").run("trace store 1 --trace 2")),
    ("no-graph", None, lambda lab: lab.viewed("success").run("testgen store")),
    ("no-state", None, lambda lab: lab.view("invariant").trace(1).state(99)),
    ("unknown-table", None, lambda lab: lab.view("success").arrow("steps")),
    ("point-missing", None, lambda lab: lab.viewed("invariant").run("trace store --format itf")),
    ("several-traces", None, lambda lab: lab.viewed("continue").run("trace store 1 --format itf")),
    ("unknown-format", None, lambda lab: lab.viewed("invariant").run("trace store 1 --format yaml")),
    ("format-of-a-comparison", None, lambda lab: lab.viewed(*TWO).run("trace store 1 --diff 2 --format itf")),
    ("unknown-variable", None, lambda lab: lab.viewed("invariant").run("trace store 1 --only nothing")),
    ("unknown-point", None, lambda lab: lab.viewed("invariant").run("trace store 1 --diff other")),
    ("sweep-unknown", None, lambda lab: lab.viewed("success").run("gate store")),
    ("unknown-parameter", None, lambda lab: lab.view("success", "invariant").heatmap("N", "M")),
    ("unknown-column", None, lambda lab: lab.view("success", "invariant").growth("N", "states")),
    ("no-sizes", None, lambda lab: lab.view("success", "success", Who=("a", "b")).growth("Who")),
    ("no-prediction", None, lambda lab: lab.view("success").growth("N").series[0].predict(5)),
    ("not-violated", None, lambda lab: point_contrasts(lab.view("success", "invariant"), 1)),
    ("no-neighbour", None, lambda lab: point_contrasts(lab.view("invariant"), 1)),
    ("no-kind", None, lambda lab: lab.view("invariant").kinds().trace(9)),
    ("unknown-property", None, lambda lab: lab.view("invariant").explain("Smal")),
    ("no-processes", None, lambda lab: lab.view("invariant").trace(1).lanes()),
    ("no-messages", None, lambda lab: lab.view("invariant").trace(1).lanes(["p"], messages="x")),
    ("not-confirmable", None, lambda lab: lab.viewed("invariant").run("trace store 1 --verify")),
)
