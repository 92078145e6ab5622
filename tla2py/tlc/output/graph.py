"""The state graph that TLC dumps for Graphviz, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tla2py.tlc.output.states import StateReader, split_action
from tla2py.values import Value

_EDGE = re.compile(r'(-?\d+) -> (-?\d+)(?: \[label="((?:[^"\\]|\\.)*)")?')
_NODE = re.compile(r'(-?\d+) \[label="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
# With a property to check, TLC up to 1.7.4 also draws the stuttering at every state.
_STUTTERING = '[style="dashed"]'


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """A reachable state; ``initial`` means that it satisfies the initial predicate."""

    fingerprint: int
    initial: bool
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A step between two states by their fingerprints; action and arguments as in ``tla2py.trace.trace.State``."""

    source: int
    target: int
    action: str | None
    action_args: tuple[str, ...] | None


def iter_graph(lines: Iterable[bytes]) -> Iterator[GraphState | GraphEdge]:
    """The states, each once, and the steps of a graph dumped with ``-dump dot,actionlabels``, in TLC's order.

    Memory holds only the fingerprints of the states so far.
    """
    reader = StateReader()
    seen: set[int] = set()
    for raw in lines:
        line = raw.decode("utf-8", "replace")
        if (edge := _EDGE.match(line)) is not None:
            if _STUTTERING in line[edge.end() :]:
                continue
            action, arguments = split_action(_unescaped(edge[3])) if edge[3] else (None, None)
            yield GraphEdge(
                source=int(edge[1]), target=int(edge[2]), action=action or None, action_args=arguments
            )
        elif (node := _NODE.match(line)) is not None:
            fingerprint = int(node[1])
            if fingerprint not in seen:
                seen.add(fingerprint)
                yield GraphState(
                    fingerprint=fingerprint,
                    initial="style = filled" in line[node.end() :],
                    values=reader.read_values(_unescaped(node[2])),
                )


def _unescaped(label: str) -> str:
    """A label without TLC's escapes of backslashes, quotation marks and line ends."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], label)
