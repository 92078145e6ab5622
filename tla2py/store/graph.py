"""State graphs as rows. The parts of a large one are read by several processes, which write files of their own.

A share of the parts is read by a new interpreter. A forked process would copy locks that other threads hold, and one of
``multiprocessing`` would execute the user's script again.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tla2py.errors import Tla2pyError
from tla2py.store.fragments import Fragment, fragment_of, new_name
from tla2py.store.index import integer_column, text_column
from tla2py.store.read import read_table
from tla2py.store.record import Archive
from tla2py.store.schema import TABLES
from tla2py.store.sink import TableWriter, rows_as_table
from tla2py.store.storage import Address, Storage
from tla2py.store.store import Store
from tla2py.tlc.output.graph import GraphBlock, GraphReader

_STATES, _EDGES = "graph_states", "graph_edges"
GRAPH_TABLES = {table: TABLES[table] for table in (_STATES, _EDGES)}
# A process for fewer parts is not worth its start.
_LEAST_PARTS = 2
# The compressed size of a smaller graph with two parts.
_LARGE_RECORD = 1 << 20
# How a new interpreter reads a share; it finds modules where this one does.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from tla2py.store.graph import main; main()"


class GraphShare(NamedTuple):
    """Some parts of the state graph in a record of a store."""

    store: Address
    run_id: str
    parts: Sequence[str]

    def write(self) -> Fragment:
        """A fragment of no runs with the rows of these parts. Raises StoreError, also ``record-damaged``."""
        store, name = Store(self.store), new_name()
        with store.storage.staging("tables") as folder:
            with store.archive(self.run_id) as archive, TableWriter(folder, name, GRAPH_TABLES) as tables:
                add_graph(tables, archive, self.parts)
            return fragment_of(folder, name, 0)


def graph_shares(store: Address, archive: Archive, most: int) -> list[GraphShare]:
    """The parts of the state graph of a record, in at most so many shares of about equal size, in order.

    Without a graph, or with a small one, there is no share.
    """
    parts = archive.graph_parts()
    count = min(most, len(parts) // _LEAST_PARTS)
    ends = [len(parts) * number // count for number in range(count + 1)] if count > 1 else []
    return [GraphShare(store, archive.record.run_id, parts[start:end]) for start, end in pairwise(ends)]


def large_graphs(store: Store, records: Mapping[str, str], most: int) -> Iterator[GraphShare]:
    """The shares of the large graphs in records, whose identities are given by run id; of each at most so many.

    Raises StoreError.
    """
    for run_id, identity in records.items():
        if int(identity.partition("-")[0]) > _LARGE_RECORD:
            with store.archive(run_id) as archive:
                yield from graph_shares(store.path, archive, most)


def write_shares(shares: Sequence[GraphShare]) -> list[Fragment]:
    """What each share writes, in as many processes. Raises StoreError as ``GraphShare.write`` does."""
    program = _PROGRAM.format(path=sys.path)
    processes: list[subprocess.Popen[bytes]] = []
    fragments: list[Fragment] = []
    try:
        for share in shares:
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            processes.append(process)
            assert process.stdin is not None
            pickle.dump(share, process.stdin)
            process.stdin.flush()
        for process in processes:
            assert process.stdout is not None
            answer = process.stdout.read()
            if not answer:
                raise RuntimeError(f"a process that reads a state graph ended with {process.wait()}")
            made = pickle.loads(answer)  # noqa: S301 - from our own process
            if isinstance(made, Exception):
                raise made
            fragments.append(made)
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    return fragments


def main() -> None:
    """Write the share that standard input gives; standard output gets its fragment or its error."""
    share: GraphShare = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    made: Fragment | Exception
    try:
        made = share.write()
    except (Tla2pyError, OSError) as error:
        made = error
    pickle.dump(made, sys.stdout.buffer)


def _end_with_parent() -> None:
    # Not by ``sys.stdin``, whose lock would be held when the interpreter ends.
    while os.read(0, 1):
        pass
    os._exit(1)


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
            tables.add_columns(_STATES, _state_columns(run_id, block))
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
        found, files = share, {**share.files}
        for file in files.pop(_STATES, ()):
            column = read_table([storage.local(file.name)], ["fingerprint"])["fingerprint"]
            repeated = pc.is_in(column, value_set=pa.chunked_array(seen))
            if pc.any(repeated).as_py():
                rest = _filtered(storage, file.name, pc.invert(repeated))
                found = Fragment(runs=share.runs, files=files).with_files([rest])
            seen += column.chunks
        kept.append(found)
    return kept


def _filtered(storage: Storage, file: str, kept: pa.ChunkedArray) -> Fragment:
    """A fragment with some states of a file."""
    name, start = new_name(), 0
    with storage.staging("tables") as folder:
        with (
            pq.ParquetFile(storage.local(file)) as source,
            TableWriter(folder, name, GRAPH_TABLES) as tables,
        ):
            for group in range(source.num_row_groups):
                rows = source.read_row_group(group, use_threads=False)
                rows, start = rows.filter(kept.slice(start, rows.num_rows)), start + rows.num_rows
                tables.add_columns(_STATES, rows.columns)
        return fragment_of(folder, name, 0)
