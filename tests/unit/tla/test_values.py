"""Values compare as in TLA+, and read back from every form."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tla2py
from tests.raising import raises
from tests.unit.tla.strategies import lexemes, model_values, otherwise, states, values
from tla2py.errors import InputError
from tla2py.tla.itf import TraceStateReader, from_itf, state_from_itf, state_to_itf, to_itf
from tla2py.tla.value import (
    HASHED_INTERVAL,
    Function,
    Interval,
    ModelValue,
    Opaque,
    Record,
    Value,
    format_value,
    in_order,
    same_value,
)
from tla2py.tla.value_changes import changes
from tla2py.tla.value_text import ValueTextError, parse_value

a, b = ModelValue("a"), ModelValue("b")
NAMES = {name.__name__: name for name in (Function, Interval, ModelValue, Opaque, Record)}


@pytest.mark.parametrize(
    ("one", "other", "in_python"),
    [
        ("a", a, False),
        (("x",), "x", False),
        (("x",), frozenset({"x"}), False),
        ((), frozenset(), False),
        (frozenset({()}), frozenset({frozenset()}), False),
        (Function({0: "x"}), ("x",), False),
        (Function({2: "x"}), ("x",), False),
        (Record({"f": 1}), Record({"g": 1}), False),
        (Record({"f": 1}), Record({"f": 1, "g": 1}), False),
        (Function({"1": "x"}), ("x",), False),
        (Opaque("Nat"), ModelValue("Nat"), False),
        (Opaque("Nat"), Opaque("Int"), False),
        (Interval(1, 3), Interval(1, 4), False),
        # A boolean is not a number, although Python says that True == 1.
        (True, 1, True),
        ((False,), (0,), True),
        (frozenset({True}), frozenset({1}), True),
        (frozenset({True}), Interval(1, 1), True),
        (Function({True: "x"}), ("x",), True),
        (Record({"f": False}), Record({"f": 0}), True),
    ],
)
def test_different(one: Value, other: Value, in_python: bool) -> None:
    assert (one == other) is (other == one) is in_python
    assert (one != other) is (other != one) is (not in_python)
    assert not same_value(one, other)
    assert list(changes(one, other))
    assert not in_python or format_value(one) != format_value(other)


def test_large_interval_is_not_enumerated() -> None:
    large, twin = Interval(0, 1 << 70), Interval(0, 1 << 70)
    assert large == twin
    assert len({large, twin}) == 1
    assert large != frozenset({0})
    assert large != Interval(2, 1)
    assert (1 << 69) in large
    assert format_value(large) == f"0..{1 << 70}"
    assert to_itf(large) == {"#unserializable": f"0..{1 << 70}"}
    assert from_itf(to_itf(large)) == large
    assert [change.path for change in changes(large, Interval(1, 1 << 70))] == [""]
    assert not list(changes(large, twin))
    assert len(Interval(1, HASHED_INTERVAL)) == HASHED_INTERVAL
    assert Interval(3, 1) == Interval(9, 2)
    assert hash(Interval(3, 1)) == hash(Interval(9, 2))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2147483648", -(2**31)),
        ('"--> (* no comment *) <<"', "--> (* no comment *) <<"),
        ("1a", ModelValue("1a")),
        ("-", ModelValue("-")),
        ("节点", ModelValue("节点")),
        ("SUBSET", ModelValue("SUBSET")),
        ("null", ModelValue("null")),
        ("-1..3", Interval(-1, 3)),
        ("-3 .. -1", Interval(-3, -1)),
        ("{ {1}, { }, <<-1>> }", frozenset({frozenset({1}), frozenset(), (-1,)})),
        ("<< >>", ()),
        ("<<->>", (ModelValue("-"),)),
        ("<<<<->>, ->>", ((ModelValue("-"),), ModelValue("-"))),
        ('("a b" :> {} @@ {} :> <<>>)', Function({"a b": frozenset(), frozenset(): ()})),
        ("(1 :> a @@ 1 :> b)", Function({1: a})),
        ("SUBSET (1..9)", Opaque("SUBSET (1..9)")),
        ("UNION({{1}, {2}})", Opaque("UNION({{1}, {2}})")),
        ("({1} \\X {2})", Opaque("({1} \\X {2})")),
        ("{1} \\cup {2}", Opaque("{1} \\cup {2}")),
        ("Int \\ {0}", Opaque("Int \\ {0}")),
        ("<Operator Foo>", Opaque("<Operator Foo>")),
        ("[x \\in 1..9 |->\n  <expression line 1, col 2>]", Opaque("[x \\in 1..9 |-> <expression line 1, col 2>]")),
        ("{x \\in Nat : <expression x > 1>}", Opaque("{x \\in Nat : <expression x > 1>}")),
    ],
)  # fmt: skip
def test_reads_odd_texts(text: str, value: Value) -> None:
    read = parse_value(text)
    assert same_value(read, value)
    assert type(read) is type(value)
    assert same_value(parse_value(format_value(read)), value)


def test_opaque_parts_leave_the_rest_readable() -> None:
    read = parse_value("[all |-> SUBSET 1..9, none |-> <<SUBSET, a>>, f |-> (Nat :> {Seq({1}), 2})]")
    function = Function({Opaque("Nat"): frozenset({Opaque("Seq({1})"), 2})})
    assert read == Record({"all": Opaque("SUBSET 1..9"), "none": (ModelValue("SUBSET"), a), "f": function})
    # Wrapped, it is that of one line.
    assert parse_value("SUBSET { 1,\n         2 }") == parse_value("SUBSET {1, 2}") == Opaque("SUBSET {1, 2}")
    # A listed name is a model value whatever it could be.
    names = ("Nat", "TRUE", "STRING")
    listed = parse_value("<<Nat, TRUE, STRING, FALSE>>", model_values=names)
    assert listed == (*map(ModelValue, names), False)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("  ", 1),
        ("<<1", 4),
        ("<<1, >>", 6),
        ("{1 2}", 4),
        ("[f |-> 1, f]", 12),
        ("[]", 2),
        ("(a)", 3),
        ("(a :> 1 :> 2)", 9),
        ('"open', 1),
        ("1 1", 3),
        ("<<1)", 4),
        ("}", 1),
        ("9" * 5000, 1),
    ],
)
def test_says_where_text_is_no_value(text: str, column: int) -> None:
    caught = raises(ValueTextError, parse_value, text)
    assert caught.column == column
    assert str(caught).startswith(f"column {column}: not a TLA+ value: expected ")


def test_canonical_text_sorts_and_folds() -> None:
    assert format_value(frozenset({3, 1, 2})) == "{1, 2, 3}"
    assert format_value(frozenset(range(-3, 60))) == "-3..59"
    assert format_value(Interval(2, 4)) == "{2, 3, 4}"
    assert format_value(Function({b: 1, a: 2, 3: 0})) == "(3 :> 0 @@ a :> 2 @@ b :> 1)"
    assert format_value(Record({"z": (), "a": frozenset()})) == "[a |-> {}, z |-> <<>>]"
    assert format_value(Function({"IF": 1})) == '("IF" :> 1)'
    assert format_value(Function({"WF_x": 1})) == '("WF_x" :> 1)'
    # They iterate in order, too.
    assert list(Function({b: 1, a: 2})) == [a, b]
    assert list(Record({"z": 1, "m": 2}).items()) == [("m", 2), ("z", 1)]


@pytest.mark.parametrize(
    "json",
    [
        *(1.5, None, [[None]], {"#other": []}, {"#tup": [1], "x": 2}, {"#set": {}}),
        *({"#bigint": "x"}, {"#bigint": []}, {"#map": [[1]]}, {"#map": [1]}),
    ],
)
def test_refuses_what_is_no_itf(json: object) -> None:
    assert raises(InputError, from_itf, json).code == "itf-syntax"


def test_reads_itf_of_others() -> None:
    state = {
        "#meta": {"index": 0},
        "old": 3,
        "pair": {"#tup": [1, "x"]},
        "variant": {"tag": "Some", "value": {"#bigint": "-7"}},
        "infinite": {"#unserializable": "Int"},
        "sets": {"#map": [[{"#set": []}, True], [{"#set": [{"#bigint": 2}]}, False]]},
    }
    assert state_from_itf(state) == {  # type: ignore[arg-type]
        "old": 3,
        "pair": (1, "x"),
        "variant": Record({"tag": "Some", "value": -7}),
        "infinite": Opaque("Int"),
        "sets": Function({frozenset(): True, frozenset({2}): False}),
    }


SMALLEST = [(".isr{}", "b2", None), (".isr{}", None, "b3")]
SWAPPED = [("{}", "{2}", None), ("{}", None, "{3}")]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        # Neighbours taken out of a sequence are all that changed.
        ("<<1, 2, 3>>", "<<2, 3>>", [("[1]", "1", None)]),
        ("<<1, 2, 3, 4>>", "<<1, 4>>", [("[2]", "2", None), ("[3]", "3", None)]),
        ("<<2, 3>>", "<<1, 2, 3>>", [("[1]", None, "1")]),
        ("<<1, 1, 1>>", "<<1>>", [("[2]", "1", None), ("[3]", "1", None)]),
        ("<<1, 2, 3>>", "<<2, 4>>", [("[1]", "1", "2"), ("[2]", "2", "4"), ("[3]", "3", None)]),
        # A sequence that moved on dropped and appended.
        ("<<1, 2, 3>>", "<<2, 3, 4>>", [("[]", "1", None), ("[]", None, "4")]),
        ("<<1, 2>>", "<<2, 3, {4}>>", [("[]", "1", None), ("[]", None, "3"), ("[]", None, "{4}")]),
        ("<<1, 2, 3>>", "<<3, 4>>", [("[]", "1", None), ("[]", "2", None), ("[]", None, "4")]),
        ("(a :> <<1, 2>> @@ b :> <<>>)", "(a :> <<2, 2>> @@ b :> <<>>)", [("[a][1]", "1", "2")]),
        ("<<1>>", "<<2>>", [("[1]", "1", "2")]),
        ("<<TRUE, 1, 2>>", "<<1, 2, TRUE>>", [("[]", "TRUE", None), ("[]", None, "TRUE")]),
        ("<<0, 1, 2>>", "<<TRUE, 2, 3>>", [("[1]", "0", "TRUE"), ("[2]", "1", "2"), ("[3]", "2", "3")]),
        # A bag gains and loses elements.
        ("<<>>", "([to |-> a] :> 1)", [("{}", None, "[to |-> a]")]),
        ("([to |-> a] :> 1)", "([to |-> b] :> 1)", [("{}", "[to |-> a]", None), ("{}", None, "[to |-> b]")]),
        ("([to |-> a] :> 1)", "([to |-> a] :> 2)", [("[[to |-> a]]", "1", "2")]),
        ("<<>>", "([to |-> a] :> 2)", [("[[to |-> a]]", None, "2")]),
        ("({1} :> 3 @@ {2} :> 1)", "({1} :> 2 @@ {3} :> 1)", [*SWAPPED, ("[{1}]", "3", "2")]),
        # The number of a scalar, or one beside a zero, may be anything.
        ("(a :> 5)", "(a :> 5 @@ b :> 1)", [("[b]", None, "1")]),
        ("({1} :> 0)", "({1} :> 0 @@ {2} :> 1)", [("[{2}]", None, "1")]),
        # The smallest parts, in order.
        (
            "[log |-> (b1 :> <<1, 2>> @@ b2 :> <<>>), isr |-> {b1, b2}, xy |-> 1]",
            "[log |-> (b1 :> <<1, 3, 4>> @@ b2 :> <<>>), isr |-> {b1, b3}, xy |-> 1]",
            [*SMALLEST, (".log[b1][2]", "2", "3"), (".log[b1][3]", None, "4")],
        ),
    ],
)
def test_changes(before: str, after: str, found: list[tuple[str, str | None, str | None]]) -> None:
    def text(value: Value | None) -> str | None:
        return None if value is None else format_value(value)

    rows = changes(parse_value(before), parse_value(after))
    assert [(change.path, text(change.before), text(change.after)) for change in rows] == found


def test_what_is_no_value_is_refused() -> None:
    for wrong in (1.5, None, [1], {1}, {"a": 1}):
        raises(TypeError, format_value, wrong)


def test_a_key_that_is_missing_is_told_with_those_there_are() -> None:
    function = Function({ModelValue("r1"): "working", ModelValue("r2"): "aborted"})
    ten = ", ".join(map(str, range(1, 11)))
    cases: list[tuple[Any, object, str]] = [
        (function, "r1", 'no string "r1" among the keys, but a model value: ModelValue("r1")'),
        (function, "r3", "no key 'r3'; the keys are: r1, r2"),
        (Record({"a": 1}), "b", "no key 'b'; the keys are: \"a\""),
        (Function(dict.fromkeys(range(1, 50), 0)), 50, f"no key 50; the keys are: {ten}, and more"),
    ]
    for of, key, said in cases:
        raises(KeyError, of.__getitem__, key, match=f"^{re.escape(said)}$")
    assert "r1" not in function
    assert function.get("r1") is None
    assert function[tla2py.ModelValue("r1")] == "working"


@given(values)
def test_every_form_reads_back(value: Value) -> None:
    text = format_value(value)
    assert same_value(parse_value(text), value)
    assert "\n" not in text
    assert format_value(parse_value(text)) == text
    assert same_value(from_itf(to_itf(value)), value)
    assert same_value(eval(repr(value), {**NAMES}), value)
    assert same_value(pickle.loads(pickle.dumps(value)), value)


@given(values, st.sampled_from(["", " ", "\n   ", "  \r\n\t "]))
def test_text_in_any_layout(value: Value, space: str) -> None:
    assert same_value(parse_value(space.join(lexemes(value))), value)


@given(states, model_values)
def test_itf(state: dict[str, Value], name: ModelValue) -> None:
    # With a string like a model value.
    for written in (state, {**state, "Name": name, "Text": name.name}):
        read = state_from_itf(json.loads(json.dumps(state_to_itf(written))))
        assert list(read) == list(written)
        assert all(same_value(read[each], written[each]) for each in written)


@given(st.lists(states, max_size=4), model_values)
def test_states_read_one_after_another(given_states: list[dict[str, Value]], name: ModelValue) -> None:
    reader = TraceStateReader()
    # What is a string in one state is a model value in the next, and TRUE becomes 1.
    like: list[dict[str, Value]] = [{"Text": name.name, "x": True}, {"Text": name, "x": 1}]
    for each in (*like, *given_states):
        text = json.dumps(state_to_itf(each))
        read, again = reader.read(text), reader.read(text)
        assert list(read) == list(each)
        assert all(same_value(read[one], each[one]) and read[one] is again[one] for one in each)


@example(())
@example(Record({}))
@example(Interval(3, 1))
@example(frozenset({Interval(1, 2)}))
@example(Function({("x",): 1}))
@given(values)
def test_equal_values_are_equal_in_every_form(value: Value) -> None:
    other = otherwise(value)
    assert same_value(value, other)
    assert value == other
    assert hash(value) == hash(other)
    assert format_value(value) == format_value(other)
    assert state_to_itf({"x": value}) == state_to_itf({"x": other})
    assert not list(changes(value, other))


@given(values, values)
def test_forms_differ_exactly_where_values_do(one: Value, other: Value) -> None:
    same = same_value(one, other)
    assert (format_value(one) == format_value(other)) == same
    assert (not list(changes(one, other))) == same
    if same:
        assert one == other
        assert hash(one) == hash(other)


@given(values, values)
def test_changes_backwards(one: Value, other: Value) -> None:
    forwards = [(change.path, change.before, change.after) for change in changes(one, other)]
    backwards = [(change.path, change.after, change.before) for change in changes(other, one)]
    assert sorted(map(repr, forwards)) == sorted(map(repr, backwards))


@given(st.lists(values, max_size=6), st.data())
def test_one_order(items: list[Value], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))
    assert list(map(format_value, in_order(shuffled))) == list(map(format_value, in_order(items)))


@pytest.mark.parametrize("beside", [1, "null", ModelValue("m")])
def test_a_variable_without_a_value_is_no_model_value(beside: Value) -> None:
    # TLC prints null for it in the last state of a failed evaluation.
    for value in (Opaque("null"), ModelValue("null")):
        back = state_from_itf(json.loads(json.dumps(state_to_itf({"x": value, "y": beside}))))
        assert type(back["x"]) is type(value)
        assert back == {"x": value, "y": beside}
