"""The state graph that TLC dumps for Graphviz, read in blocks of whole lines into columns."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from tla2py.tla.itf import VariableText, joined_text, state_text, variable_text
from tla2py.tlc.output.states import VIEW, StateReader, split_action

# A step and the rest of its line, or a state with its label and the rest of its line.
_LINE = re.compile(
    r'^(-?[0-9]{1,19}) (?:-> (-?[0-9]{1,19})(.*)|\[label="([^"\\\n]*(?:\\.[^"\\\n]*)*)"(.*))$', re.MULTILINE
)
_ACTION = re.compile(r' \[label="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_INITIAL = "style = filled"
# With a property to check, TLC up to 1.7.4 also draws the stuttering at every state.
_STUTTERING = '[style="dashed"]'
# How a state's label begins, and the break between two variables, with TLC's escapes.
_BEGIN, _BREAK = r"/\\ ", r"\n/\\ "
# The label of a state with one variable begins with its name.
_ONLY = re.compile(r"\w+ = ")
# After one more backslash it is part of a string, or a break after a string that ends with one.
_DOUBTFUL = "\\" + _BREAK
_FINGERPRINT = "fp: "
# The bytes of variables that a reader remembers, and of each besides three times its text.
_REMEMBERED = 1 << 26
_OVERHEAD = 400
_INT64 = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBlock:
    """States and steps of a graph as columns.

    States are ITF as JSON text; ``initial`` tells whether they satisfy the initial predicate. ``actions`` are places
    in ``labels``, each an action and its arguments, as in ``tla2py.model.trace.State``.
    """

    fingerprints: array[int]
    initial: list[bool]
    states: list[str]
    sources: array[int]
    targets: array[int]
    actions: array[int]
    labels: list[tuple[str | None, tuple[str, ...] | None]]


class GraphReader:
    """A reader of graphs dumped with ``-dump dot,actionlabels``.

    It returns each state once, and each step: TLC writes those from a state together, and two that it cannot tell apart are
    one if they are in the same block or in successive ones. Memory holds two blocks, the fingerprints so far and a fixed
    amount of text.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._steps = set[object]()
        self._reader = StateReader()
        self._variables: dict[str, VariableText | None] = {}
        self._size = 0

    def read(self, block: bytes) -> GraphBlock:
        """The states and steps in whole lines, in TLC's order."""
        lines: list[tuple[str, ...]] = _LINE.findall(block.decode("utf-8", "replace"))
        try:
            firsts, seconds = _numbers(lines)
        except OverflowError:
            # A number of more than 64 bits is no fingerprint.
            lines = [line for line in lines if all(int(number or 0) in _INT64 for number in line[:2])]
            firsts, seconds = _numbers(lines)
        fingerprints, initial, states = array("q"), list[bool](), list[str]()
        sources, targets, actions = array("q"), array("q"), array("q")
        labels = list[tuple[str | None, tuple[str, ...] | None]]()
        # The place of each step's label by the rest of its line; None for stuttering.
        places: dict[str, int | None] = {}
        before, self._steps = self._steps, set[object]()
        for first, second, (_, step, rest, label, style) in zip(firsts, seconds, lines, strict=True):
            if not step:
                if first not in self._seen:
                    self._seen.add(first)
                    fingerprints.append(first)
                    initial.append(_INITIAL in style)
                    states.append(self._state(label))
                continue
            try:
                place = places[rest]
            except KeyError:
                action = _action(rest)
                place = places[rest] = None if action is None else len(labels)
                labels += [] if action is None else [action]
            if place is not None and (taken := (first, second, labels[place])) not in self._steps:
                self._steps.add(taken)
                if taken not in before:
                    sources.append(first)
                    targets.append(second)
                    actions.append(place)
        return GraphBlock(
            fingerprints=fingerprints,
            initial=initial,
            states=states,
            sources=sources,
            targets=targets,
            actions=actions,
            labels=labels,
        )

    def _state(self, label: str) -> str:
        several = label.startswith(_BEGIN) and _DOUBTFUL not in label
        if several or (_ONLY.match(label) and _BREAK not in label):
            conjuncts = label.removeprefix(_BEGIN).split(_BREAK)
            known = self._variables
            try:
                variables = [known[text] for text in conjuncts]
            except KeyError:
                if self._size > _REMEMBERED:
                    self._size = 0
                    known.clear()
                variables = [self._variable(text) for text in conjuncts]
            if None not in variables:
                text = joined_text(variables)  # type: ignore[arg-type]
                if text is not None:
                    return text
        return state_text(StateReader().read_values(_unescaped(label)))

    def _variable(self, text: str) -> VariableText | None:
        """A variable's part of a state; None if the state has to be read as a whole."""
        if text in self._variables:
            return self._variables[text]
        values = self._reader.read_values("/\\ " + _unescaped(text))
        self._size += 3 * len(text) + _OVERHEAD
        [(name, value), *others] = values.items()
        doubtful = others or name == VIEW or _FINGERPRINT in text
        found = self._variables[text] = None if doubtful else variable_text(name, value)
        return found


def _numbers(lines: list[tuple[str, ...]]) -> tuple[array[int], array[int]]:
    """The fingerprints that begin the lines, and those after an arrow or 0. Raises OverflowError."""
    return array("q", [int(line[0]) for line in lines]), array("q", [int(line[1] or 0) for line in lines])


def _action(rest: str) -> tuple[str | None, tuple[str, ...] | None] | None:
    """The action and the arguments of a step from the rest of its line; None for stuttering."""
    label = _ACTION.match(rest)
    if _STUTTERING in rest[label.end() if label else 0 :]:
        return None
    action, arguments = split_action(_unescaped(label[1])) if label and label[1] else (None, None)
    return action or None, arguments


def _unescaped(label: str) -> str:
    """A label without TLC's escapes of backslashes, quotation marks and line ends."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], label)
