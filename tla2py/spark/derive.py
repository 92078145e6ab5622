"""Tables made of records by Spark's tasks, which write the rows beside the records; only counts return to the driver."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from py4j.protocol import Py4JError
from pyspark import SparkContext

from tla2py.errors import Tla2pyError
from tla2py.spark.launch import job_failed
from tla2py.spark.shipping import check_shared, shared_address, shipper
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.tables.derive import derive_fragment
from tla2py.tables.fragments import Fragment
from tla2py.tables.write import Derive, Group, derive_here

# Tables of fewer records are made faster by the driver.
_MANY_RECORDS = 2000
# The tasks per slot, if the records are enough for that: the last of few would keep the others waiting.
_WAVES = 4
# A fragment of fewer runs costs more than it saves.
_LEAST_RUNS = 50


def deriver(context: SparkContext) -> Derive:
    """The function that makes fragments with a context's tasks, or in this process if the records are few.

    It raises StoreError as ``derive_fragment`` does, and ToolchainError (``spark-failed``).
    """

    def derive(store: Store, groups: Iterable[Group]) -> Iterable[Fragment]:
        found = list(groups)
        if sum(map(len, found)) < _MANY_RECORDS:
            return derive_here(store, found)
        return _derive(context, store, [*split(found, context.defaultParallelism * _WAVES)])

    return derive


def _derive(context: SparkContext, store: Store, parts: Sequence[Group]) -> Iterator[Fragment]:
    shipper(context).ship_package()
    task = _task(shared_address(store.path))
    try:
        made = context.parallelize(parts, len(parts)).mapPartitions(task).collect()
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
        yield each


def split(groups: Sequence[Group], tasks: int) -> Iterator[Group]:
    """Groups of about as many runs as each of so many tasks should have, at most as large as these groups."""
    size = max(-(-sum(map(len, groups)) // tasks), _LEAST_RUNS)
    for group in groups:
        records = iter(group.items())
        while part := dict(islice(records, size)):
            yield part


def _task(address: Address) -> Callable[[Iterable[Group]], Iterator[Fragment | Tla2pyError]]:
    def task(groups: Iterable[Group]) -> Iterator[Fragment | Tla2pyError]:
        try:
            check_shared(address)
            for group in groups:
                fragment = derive_fragment(Store(address), group)
                if fragment is not None:
                    yield fragment
        except Tla2pyError as error:
            yield error

    return task
