"""Errors in stores, in their traces and in files that hold traces."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.errors.provoke import Lab, answering, provokes
from tests.stores import loose_records
from tla2py.analysis.contrast import point_contrasts
from tla2py.analysis.view import open_view
from tla2py.cli.app import run_command
from tla2py.store.record import input_file, open_archive
from tla2py.store.storage import storage_of
from tla2py.store.store import Store
from tla2py.store.write import refresh_tables, table_files


@provokes("store-missing")
def no_store(lab: Lab) -> None:
    lab.run("trace", "runs/none")


@provokes("not-a-store")
def folder_that_is_no_store(lab: Lab) -> None:
    lab.write("runs/other/readme.txt", "")
    lab.run("trace", "runs/other")


@provokes("not-a-store")
def store_that_is_damaged(lab: Lab) -> None:
    lab.write("runs/other/store.json", json.dumps({"format": "tla2py-store", "version": 2}))
    lab.run("trace", "runs/other")


@provokes("store-too-new")
def store_of_a_later_version(lab: Lab) -> None:
    lab.write("runs/new/store.json", json.dumps({"format": "tla2py-store", "version": 99}))
    lab.run("trace", "runs/new")


@provokes("store-too-old")
def store_of_an_earlier_version(lab: Lab) -> None:
    lab.write("runs/old/store.json", json.dumps({"format": "tla2py-store", "version": 1}))
    lab.run("trace", "runs/old")


@provokes("store-unreadable")
def store_that_is_no_file(lab: Lab) -> None:
    (lab.folder / "runs/odd/store.json").mkdir(parents=True)
    lab.run("trace", "runs/odd")


@provokes("store-unwritable")
def store_below_a_file(lab: Lab) -> None:
    lab.write("file", "")
    Store.create(Path("file/store"))


@provokes("store-busy")
def store_that_another_writes_to(lab: Lab) -> None:
    store = lab.view("success").store
    with Store.open(store.path).lock(), Store.open(store.path).lock():
        pass


@provokes("store-scheme")
def store_at_an_address_of_no_known_kind(lab: Lab) -> None:
    lab.run("trace", "ftp://host/store")


@provokes("store-secret")
def store_with_a_password_in_its_address(lab: Lab) -> None:
    storage_of("s3://name:password@bucket/store")


@provokes("store-unreachable")
def store_on_a_server_that_is_not_there(lab: Lab) -> None:
    lab.patch.setenv("AWS_ACCESS_KEY_ID", "name")
    lab.patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    lab.run("trace", "s3://bucket/store?endpoint_override=127.0.0.1:9&scheme=http")


def _refused_by_a_server(lab: Lab, status: int, code: str) -> None:
    lab.patch.setenv("AWS_ACCESS_KEY_ID", "name")
    lab.patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"
    with answering(status, body.encode()) as address:
        host = address.removeprefix("http://")
        Store.create(f"s3://bucket/store?endpoint_override={host}&scheme=http")


@provokes("bucket-missing")
def store_in_no_bucket(lab: Lab) -> None:
    _refused_by_a_server(lab, 404, "NoSuchBucket")


@provokes("store-denied")
def store_that_refuses_access(lab: Lab) -> None:
    _refused_by_a_server(lab, 403, "AccessDenied")


@provokes("record-damaged")
def record_that_is_cut(lab: Lab) -> None:
    view = lab.view("invariant")
    (record,) = loose_records(Path(view.store.path))
    record.write_bytes(record.read_bytes()[:100])
    with open_archive(record):
        pass


@provokes("pack-damaged")
def pack_that_is_cut(lab: Lab) -> None:
    lab.write("pack.zip", b"PK")
    lab.run("evidence", "verify", "pack.zip")


@provokes("no-point")
def point_that_is_not_there(lab: Lab) -> None:
    lab.view("invariant").trace(7)


@provokes("no-trace")
def trace_that_is_not_there(lab: Lab) -> None:
    lab.view("success").trace(1)


@provokes("no-graph")
def graph_that_no_run_kept(lab: Lab) -> None:
    lab.view("success")
    lab.run("testgen", "store")


@provokes("no-state")
def state_that_is_not_there(lab: Lab) -> None:
    lab.view("invariant").trace(1).state(99)


@provokes("unknown-table")
def table_that_is_not_there(lab: Lab) -> None:
    lab.view("success").arrow("steps")


@provokes("point-missing")
def trace_of_no_point(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "--format", "itf")


@provokes("several-traces")
def export_of_two_traces(lab: Lab) -> None:
    lab.view("continue")
    lab.run("trace", "store", "1", "--format", "itf")


@provokes("unknown-format")
def format_that_is_not_known(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--format", "yaml")


@provokes("format-of-a-comparison")
def comparison_as_itf(lab: Lab) -> None:
    lab.view("invariant", "invariant")
    lab.run("trace", "store", "1", "--diff", "2", "--format", "itf")


@provokes("unknown-variable")
def trace_of_a_variable_that_is_not_there(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--only", "nothing")


@provokes("unknown-point")
def comparison_with_nothing(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--diff", "other")


@provokes("not-confirmable")
def file_that_is_to_be_verified(lab: Lab) -> None:
    lab.view("invariant")
    lab.write("trace.itf.json", '{"vars": ["x"], "states": [{"x": 1}]}')
    lab.run("trace", "trace.itf.json", "--verify")


@provokes("expression-fails")
def expression_that_is_temporal(lab: Lab) -> None:
    lab.write("one.toml", 'module = "Counter.tla"\n[model]\ninvariants = ["Small"]\n[constants]\nMax = "3"\n')
    assert run_command(["sweep", "one.toml", "--executor", "local"]) == 1
    lab.run("trace", "runs/one", "1", "--eval", "[](x = 0)")


@provokes("not-an-invariant")
def conjuncts_of_a_deadlock(lab: Lab) -> None:
    sweep = 'module = "Counter.tla"\n[model]\ninit = "Init"\nnext = "Up"\n[constants]\nMax = "3"\n'
    lab.write("one.toml", sweep)
    assert run_command(["sweep", "one.toml", "--executor", "local"]) == 1
    lab.run("trace", "runs/one", "1", "--conjuncts")


@provokes("sweep-unknown")
def store_whose_sweep_file_is_gone(lab: Lab) -> None:
    lab.view("success")
    lab.run("gate", "store")


# Files made elsewhere


@provokes("trace-file-unreadable")
def trace_file_that_may_not_be_read(lab: Lab) -> None:
    from tla2py.store.foreign import read_file

    (lab.folder / "folder").mkdir()
    read_file(lab.folder / "folder")


@provokes("trace-file-unknown")
def trace_file_of_no_kind(lab: Lab) -> None:
    lab.write("notes.txt", "nothing\n")
    lab.run("trace", "notes.txt")


@provokes("trace-file-syntax", "trace.json:1:9")
def trace_file_that_is_damaged(lab: Lab) -> None:
    lab.write("trace.json", '{"vars":')
    lab.run("trace", "trace.json")


@provokes("itf-syntax", "trace.json")
def trace_file_that_is_no_itf(lab: Lab) -> None:
    lab.write("trace.json", '{"vars": ["x"], "states": [1]}')
    lab.run("trace", "trace.json")


@provokes("dump-syntax", "trace.json")
def trace_file_that_is_no_dump(lab: Lab) -> None:
    lab.write("trace.json", '{"state": [[1, {"x": null}]], "action": []}')
    lab.run("trace", "trace.json")


# Views


@provokes("unknown-parameter")
def heatmap_over_no_parameter(lab: Lab) -> None:
    lab.view("success", "invariant").heatmap("N", "M")


@provokes("unknown-column")
def growth_of_no_column(lab: Lab) -> None:
    lab.view("success", "invariant").growth("N", "states")


@provokes("no-sizes")
def growth_along_names(lab: Lab) -> None:
    lab.view("success", "success", Who=("a", "b")).growth("Who")


@provokes("no-prediction")
def prediction_from_one_size(lab: Lab) -> None:
    lab.view("success").growth("N").series[0].predict(5)


@provokes("not-violated")
def neighbour_of_a_point_that_holds(lab: Lab) -> None:
    point_contrasts(lab.view("success", "invariant"), 1)


@provokes("no-neighbour")
def neighbour_where_nothing_holds(lab: Lab) -> None:
    point_contrasts(lab.view("invariant"), 1)


@provokes("no-kind")
def kind_that_is_not_there(lab: Lab) -> None:
    lab.view("invariant").kinds().trace(9)


@provokes("unknown-property")
def explanation_of_a_property_that_is_not_checked(lab: Lab) -> None:
    lab.view("invariant").explain("Smal")


@provokes("no-processes")
def lanes_of_a_single_variable(lab: Lab) -> None:
    lab.view("invariant").trace(1).lanes()


@provokes("no-messages")
def lanes_with_no_messages(lab: Lab) -> None:
    lab.view("invariant").trace(1).lanes(["p"], messages="x")


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


@provokes("not-confirmable")
def trace_whose_modules_are_gone(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--verify")


@provokes("input-lost")
def input_that_was_edited_in_the_store(lab: Lab) -> None:
    lab.write("runs/one/inputs/" + "0" * 64, "edited")
    input_file(storage_of(lab.folder / "runs/one"), "0" * 64)


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
