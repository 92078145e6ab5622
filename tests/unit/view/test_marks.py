"""Changes are marked inside values."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tla.strategies import identifiers, integers, model_values, scalars, values
from tests.unit.view.traces import P, Q, marks, message, on, seen
from tla2py.tla.value import Function, Interval, Opaque, Record, Value
from tla2py.tla.value_text import changes, format_value
from tla2py.view.html import element_marks, marked
from tla2py.view.text import element, printable

LONG = "a text of so many characters that it is folded where it stays as it is"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (1, 2, "[-1-] → {+2+}"),
        (1, True, "[-1-] → {+TRUE+}"),
        ((), frozenset(), "[-<<>>-] → {+{}+}"),
        (Record({"a": 1, "b": 2}), Record({"a": 1, "b": 3}), "[…, b |-> [-2-] → {+3+}]"),
        (Record({"a": 1}), Record({"a": 1, "b": 3}), "[…, b |-> {+3+}]"),
        (Record({"a": 1, "b": 2}), Record({"b": 2}), "[a |-> [-1-], …]"),
        ((1, 2), (1, 2, 3), "<<…, {+3+}>>"),
        ((1, 2, 3, 4), (1, 5, 3, 4), "<<…, [-2-] → {+5+}, …>>"),
        ((1, 2), (), "<<[-1-], [-2-]>>"),
        ((1, 2, 3), (2, 3), "<<[-1-], …>>"),
        ((1, 4), (1, 2, 3, 4), "<<…, {+2+}, {+3+}, …>>"),
        ((1, 2, 3), (2, 4), "<<[-1-] → {+2+}, [-2-] → {+4+}, [-3-]>>"),
        (on(1, 2), on(1, 3), "(… @@ q :> [-2-] → {+3+})"),
        ((), on(1), "(p :> {+1+})"),
        (Function({0: 1, 1: 2}), Function({0: 1, 1: 3}), "(… @@ 1 :> [-2-] → {+3+})"),
        (Function({"a b": 1}), Function({"a b": 2}), '("a b" :> [-1-] → {+2+})'),
        (frozenset({1, 2}), frozenset({2, 3}), "{2, [-1-], {+3+}}"),
        (frozenset({1}), frozenset({True}), "{[-1-], {+TRUE+}}"),
        (frozenset({1}), Interval(1, 2), "{1, {+2+}}"),
        (frozenset({LONG, P}), frozenset({LONG, P, Q}), "{…, {+q+}}"),
        (frozenset(), frozenset({()}), "{{+<<>>+}}"),
        (Interval(1, 1 << 60), Interval(2, 1 << 60), f"[-1..{1 << 60}-] → {{+2..{1 << 60}+}}"),
        (on((1,), frozenset({P})), on((1,), frozenset({Q})), "(… @@ q :> {[-p-], {+q+}})"),
    ],
)
def test_folded(before: Value, after: Value, shown: str) -> None:
    assert seen(marked(before, after)) == shown


def test_what_stays_is_whole_where_nothing_is_folded() -> None:
    before, after = on((LONG,), 1), on((LONG,), 2)
    assert seen(marked(before, after, fold=False)) == f'(p :> <<"{LONG}">> @@ q :> [-1-] → {{+2+}})'


def test_a_record_that_became_another_is_marked_inside() -> None:
    old, new = message(1, to=P, acked=False), message(1, to=P, acked=True)
    other = message(9, to=Q, acked=False)
    shown = "acked |-> [-FALSE-] → {+TRUE+}"
    assert seen(marked(frozenset({old}), frozenset({new}))) == f"{{[{shown}, …]}}"
    # Records that share less than half of their values are not paired.
    assert seen(marked(frozenset({old}), frozenset({other}))) == f"{{[-{old}-], {{+{other}+}}}}"
    listed = element("p", *element_marks((old, 7), (new, 8)))
    assert seen(listed) == f"[{shown}, number |-> 1, to |-> p] − [-7-] + {{+8+}}"


def test_the_most_alike_is_taken() -> None:
    old = message(1, a=1, b=1)
    near, far = message(1, a=1, b=2), message(1, a=3, b=1)
    shown = seen(marked(frozenset({old, message(1, a=3, b=3)}), frozenset({near, far}), fold=False))
    assert shown.count("→") == 2
    assert "[-[" not in shown


def test_of_large_sets_no_pairs_are_looked_for() -> None:
    olds, news = (frozenset(message(n, a=1, b=1, c=c) for n in range(6)) for c in (1, 2))
    assert len(marks(marked(olds, news), "del")) == 6
    assert "→" not in seen(marked(olds, news))


def test_what_is_very_deep_is_marked_as_a_whole() -> None:
    before, after = (_nested(40, number) for number in (1, 2))
    inside = f"[-{format_value(_nested(10, 1))}-] → {{+{format_value(_nested(10, 2))}+}}"
    assert seen(marked(before, after)) == "<<" * 30 + inside + ">>" * 30


def _nested(levels: int, number: int) -> Value:
    value: Value = number
    for _ in range(levels):
        value = (value,)
    return value


# In Python the keys True and 1 are equal, and longer intervals are not enumerated.
keys = st.one_of(st.integers(-3, 3), model_values, st.text("ab ", max_size=2))
leaves = scalars.filter(lambda value: not isinstance(value, Interval) or value.size <= 32)


def _containers(parts: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.lists(parts, max_size=4).map(tuple),
        st.dictionaries(identifiers, parts, max_size=3).map(Record),
        st.dictionaries(keys, parts, max_size=3).map(Function),
        # Records in sets may be paired, see above.
        st.frozensets(st.one_of(leaves, st.lists(leaves, max_size=2).map(tuple)), max_size=4),
    )


plain: st.SearchStrategy[Value] = st.recursive(leaves, _containers, max_leaves=12)


@given(plain, plain, st.booleans())
def test_the_marks_are_the_changes(before: Value, after: Value, fold: bool) -> None:
    shown = marked(before, after, fold=fold)
    found = list(changes(before, after))
    assert marks(shown, "del") == sorted(_text(c.before) for c in found if c.before is not None)
    assert marks(shown, "ins") == sorted(_text(c.after) for c in found if c.after is not None)


def _text(value: Value) -> str:
    return printable(format_value(value))


@given(values)
def test_what_did_not_change_is_shown_as_it_is(value: Value) -> None:
    assert seen(marked(value, value, fold=False)) == _text(value)
    assert seen(marked(value, value)) in (_text(value), "…")


RebuiltFrom = Callable[[list[Value]], Value]
# Constructors of values of each kind, with the parts in their places.
SHAPES: list[RebuiltFrom] = [
    tuple,
    lambda parts: Record((f"f{number:03}", part) for number, part in enumerate(parts)),
    lambda parts: Function(((P, number), part) for number, part in enumerate(parts)),
]


@pytest.mark.parametrize("shape", SHAPES)
@given(pairs=st.lists(st.tuples(integers, st.one_of(integers, st.booleans())), min_size=1, max_size=6))
def test_both_values_can_be_read_from_the_marks(shape: RebuiltFrom, pairs: list[tuple[Value, Value]]) -> None:
    before, after = (shape([pair[side] for pair in pairs]) for side in (0, 1))
    shown = seen(marked(before, after, fold=False))
    as_before = re.sub(r"\[-(.*?)-\] → \{\+.*?\+\}", r"\1", shown)
    as_after = re.sub(r"\[-.*?-\] → \{\+(.*?)\+\}", r"\1", shown)
    assert (as_before, as_after) == (format_value(before), format_value(after))


def test_a_text_that_is_not_enumerated_is_compared_as_text() -> None:
    assert seen(marked(Opaque("Nat"), Opaque("Int"))) == "[-Nat-] → {+Int+}"
