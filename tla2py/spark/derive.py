"""Tables made of records by Spark's tasks, which write the rows beside the records; only counts return to the driver."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

from py4j.protocol import Py4JError
from pyspark import SparkContext

from tla2py.errors import Tla2pyError
from tla2py.spark.launch import job_failed
from tla2py.spark.shipping import check_shared, shared_address, shipper
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.tables.derive import derive_fragment
from tla2py.tables.fragments import Fragment
from tla2py.tables.graph import GraphShare, large_graphs
from tla2py.tables.write import Derive, Group, derive_here

T = TypeVar("T")
Task: TypeAlias = Callable[[Iterable[T]], Iterator[Fragment | Tla2pyError]]

# Tables of fewer records are made faster by the driver.
_MANY_RECORDS = 2000
# The tasks per slot, if the records are enough for that: the last of few would keep the others waiting.
_WAVES = 4
# A fragment of fewer runs costs more than it saves.
_LEAST_RUNS = 50


def deriver(context: SparkContext) -> Derive:
    """The function that makes fragments with a context's tasks, or in this process if records are few and graphs small.

    It raises StoreError as ``derive_fragment`` does, and ToolchainError (``spark-failed``).
    """

    def derive(store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        found = list(groups)
        slots = context.defaultParallelism
        shares = [share for group in found for share in large_graphs(store, group, slots)]
        if not shares and sum(map(len, found)) < _MANY_RECORDS:
            return derive_here(store, found)
        return _derive(context, store, [*split(found, slots * _WAVES)], shares)

    return derive


def _derive(
    context: SparkContext, store: Store, groups: Sequence[Group], shares: Sequence[GraphShare]
) -> list[Fragment]:
    shipper(context).ship_package()
    address = shared_address(store.path)
    graphs: dict[str, list[Fragment]] = {}
    for share, fragment in zip(shares, _made(context, shares, _writing(address)), strict=True):
        graphs.setdefault(share.run_id, []).append(fragment)
    return _made(context, groups, _deriving(address, graphs))


def _made(context: SparkContext, items: Sequence[T], task: Task[T]) -> list[Fragment]:
    """What a task for each item makes, in order."""
    if not items:
        return []
    try:
        made = context.parallelize(items, len(items)).mapPartitions(task).collect()
    except BaseException as error:
        # Whoever interrupts the driver ends its tasks.
        with contextlib.suppress(Py4JError, OSError):
            context.cancelAllJobs()
        if isinstance(error, Exception):
            raise job_failed(error) from error
        raise
    for each in made:
        if isinstance(each, Tla2pyError):
            raise each
    return [each for each in made if isinstance(each, Fragment)]


def split(groups: Sequence[Group], tasks: int) -> Iterator[Group]:
    """Groups of about as many runs as each of so many tasks should have, at most as large as these groups."""
    size = max(-(-sum(map(len, groups)) // tasks), _LEAST_RUNS)
    for group in groups:
        records = iter(group.items())
        while part := dict(islice(records, size)):
            yield part


def _writing(address: Address) -> Task[GraphShare]:
    def task(shares: Iterable[GraphShare]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            for share in shares:
                yield share._replace(store=address).write()
        except Tla2pyError as error:
            yield error

    return task


def _deriving(address: Address, graphs: Mapping[str, Sequence[Fragment]]) -> Task[Group]:
    def task(groups: Iterable[Group]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            for group in groups:
                fragment = derive_fragment(Store(address), group, graphs=graphs)
                if fragment is not None:
                    yield fragment
        except Tla2pyError as error:
            yield error

    return task
