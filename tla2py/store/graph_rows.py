"""Rows of a record's state graph; several processes read a large one."""

from __future__ import annotations

import pickle
import subprocess
import sys
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from tla2py.errors import Tla2pyError
from tla2py.store.address import Address
from tla2py.store.fragments import Fragment, fragment_of, new_name, read_table
from tla2py.store.pack import integer_column, text_column
from tla2py.store.parquet import TableWriter, rows_as_table, write_batches
from tla2py.store.record import Archive
from tla2py.store.schema import TABLES, arrow_schema
from tla2py.store.storage import Storage
from tla2py.store.store import Store
from tla2py.tlc.output.graph import GraphBlock, GraphReader

STATES, _EDGES = "graph_states", "graph_edges"
GRAPH_TABLES = {table: TABLES[table] for table in (STATES, _EDGES)}
# A process for fewer parts is not worth its start.
_LEAST_PARTS = 2
# How a new interpreter reads a share; it finds modules where this one does.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from tla2py.store.graph_rows import main; main()"


_Share = tuple[Address, str, Sequence[str]]
"""A store, a run of it, and some parts of its state graph."""


def graph_fragments(store: Store, archive: Archive, processes: int) -> list[Fragment]:
    """The fragments that at most so many processes make of shares of a record's state graph, in order.

    Without a graph, or with a small one, there is none. Raises StoreError, also ``record-damaged``.
    """
    parts = archive.graph_parts()
    count = min(processes, len(parts) // _LEAST_PARTS)
    if count < 2:
        return []
    ends = [len(parts) * number // count for number in range(count + 1)]
    shares = [(store.path, archive.record.run_id, parts[start:end]) for start, end in pairwise(ends)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(_in_process, shares))


def _in_process(share: _Share) -> Fragment:
    command = [sys.executable, "-I", "-c", _PROGRAM.format(path=sys.path)]
    answer = subprocess.run(command, input=pickle.dumps(share), stdout=subprocess.PIPE, check=True).stdout
    made: Fragment | Exception = pickle.loads(answer)  # noqa: S301 - from our own process
    if isinstance(made, Exception):
        raise made
    return made


def main() -> None:
    """Make the fragment of the share that standard input gives; standard output gets it or its error."""
    share: _Share = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own process
    made: Fragment | Exception
    try:
        address, run_id, parts = share
        store, name = Store(address), new_name()
        with store.storage.staging("tables") as folder:
            with store.archive(run_id) as archive, TableWriter(folder, name, GRAPH_TABLES) as tables:
                add_graph(tables, archive, parts)
            made = fragment_of(folder, name)
    except (Tla2pyError, OSError) as error:
        made = error
    pickle.dump(made, sys.stdout.buffer)


def add_graph(tables: TableWriter, archive: Archive, parts: Sequence[str]) -> None:
    """Add the rows of successive parts of the state graph of a record. Raises StoreError (``record-damaged``)."""
    reader, run_id, every = GraphReader(), archive.record.run_id, archive.graph_parts()
    if parts and (start := every.index(parts[0])):
        # The steps from a state may begin in the part before.
        *_, last = archive.graph_blocks(every[start - 1])
        reader.read(last)
    for part in parts:
        for text in archive.graph_blocks(part):
            block = reader.read(text)
            tables.add_columns(STATES, _state_columns(run_id, block))
            tables.add_columns(_EDGES, _edge_columns(run_id, block))


def _state_columns(run_id: str, block: GraphBlock) -> list[pa.Array]:
    initial = array("b", block.initial)
    return [
        pa.repeat(text_column([run_id])[0], len(initial)),
        integer_column(block.fingerprints),
        pa.Array.from_buffers(pa.int8(), len(initial), [None, pa.py_buffer(initial)]).cast(pa.bool_()),
        text_column(block.states),
    ]


def _edge_columns(run_id: str, block: GraphBlock) -> list[pa.Array]:
    labels = rows_as_table(
        GRAPH_TABLES[_EDGES][-2:],
        [{"action": action, "action_args": arguments} for action, arguments in block.labels],
    )
    places = integer_column(block.actions)
    return [
        pa.repeat(text_column([run_id])[0], len(places)),
        integer_column(block.sources),
        integer_column(block.targets),
        *(column.combine_chunks().take(places) for column in labels.columns),
    ]


def without_repeated(storage: Storage, shares: Sequence[Fragment]) -> list[Fragment]:
    """The fragments of the shares of one graph, without states that an earlier one has. Raises StoreError."""
    seen: list[pa.Array] = [integer_column(())]
    kept = []
    for share in shares:
        found, files, name = share, {**share.files}, new_name()
        for file in files.pop(STATES, ()):
            path = storage.local(file.name)
            column = read_table([path], ["fingerprint"])["fingerprint"]
            fresh = column.filter(pc.invert(pc.is_in(column, value_set=pa.chunked_array(seen))))
            if len(fresh) < len(column):
                with storage.staging("tables") as folder:
                    place, schema = folder / STATES / f"{name}.parquet", arrow_schema(TABLES[STATES])
                    write_batches(place, schema, [path], fresh.combine_chunks(), "fingerprint")
                    found = Fragment(files=files).with_files([fragment_of(folder, name)])
            seen += column.chunks
        kept.append(found)
    return kept
