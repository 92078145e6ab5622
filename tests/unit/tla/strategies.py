"""Strategies: values of every kind, equal values of other Python types, and text in TLC's layouts."""

from __future__ import annotations

from hypothesis import strategies as st

from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record, Value, is_identifier

# TLC's text of sets that it does not enumerate and of values that are not data.
OPAQUE_TEXTS = [
    *("Nat", "Int", "STRING", "Seq({1, 2})", "BSeq({a}, 3)", "SUBSET {1, 2}", "SUBSET (1..9)"),
    *("UNION {{1}, {2}}", "[{1, 2} -> {a, b}]", "[f: {1}, g: Nat]", r"({1} \X {2} \X {3})"),
    *(r"{1} \cup Nat", r"Nat \ {0}", r"[x \in Nat |-> <expression x + 1>]", "<Operator Next>"),
    r"{x \in Nat : <expression line 3, col 4 to line 3, col 9 of module M>}",
    "<Java Method: public static int Naturals.plus>",
    "<LAZY line 1, col 2 to line 3, col 4 of module M>",
]
# Names that a config may give a model value: any TLA+ token, including words that TLA+ or TLC's printer uses.
ODD = "- + * 1a 0x null UNDEF SUBSET UNION Seq IF _ __ a_b_1 ñandú 节点 é1"
ODD_NAMES = ODD.split()

identifiers = st.from_regex(r"[a-z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(is_identifier)
model_values = st.one_of(identifiers, st.sampled_from(ODD_NAMES)).map(ModelValue)
# Surrogates are not characters.
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(['"', "\\", '\\"', "\t\n\f\r", "\n/\\ x = 1", "<<1, 2>>", "@!@!@ENDMSG 2110 @!@!@", "a"]),
)
integers = st.one_of(st.integers(-3, 12), st.integers(), st.integers(-(2**31), 2**31 - 1))
intervals = st.builds(lambda lo, size: Interval(lo, lo + size), st.integers(-9, 9), st.integers(-2, 40))
opaques = st.sampled_from(OPAQUE_TEXTS).map(Opaque)

scalars: st.SearchStrategy[Value] = st.one_of(
    st.booleans(), integers, texts, model_values, intervals, opaques
)


@st.composite
def _containers(draw: st.DrawFn, parts: st.SearchStrategy[Value]) -> Value:
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return Record(draw(st.dictionaries(identifiers, parts, max_size=4)))
    if kind == 1:
        return Function(draw(st.dictionaries(texts, parts, max_size=3)))
    if kind == 2:
        return Function(draw(st.dictionaries(parts, parts, max_size=3)))
    items = draw(st.lists(parts, max_size=5))
    if kind == 3:
        return Function(dict(enumerate(items, 1)))
    return frozenset(items) if kind == 4 else tuple(items)


values: st.SearchStrategy[Value] = st.recursive(scalars, _containers, max_leaves=16)
states = st.dictionaries(identifiers, values, min_size=1, max_size=4)


def otherwise(value: Value) -> Value:
    """An equal value whose parts have other Python types where possible."""
    if isinstance(value, tuple):
        return Function({index: otherwise(part) for index, part in enumerate(value, 1)})
    if isinstance(value, Interval):
        return frozenset(value)
    if isinstance(value, frozenset):
        parts = frozenset(otherwise(part) for part in value)
        numbers = sorted(part for part in parts if type(part) is int)
        if numbers and len(numbers) == len(parts) == numbers[-1] - numbers[0] + 1:
            return Interval(numbers[0], numbers[-1])
        return parts
    if isinstance(value, Record):
        return Function({name: otherwise(part) for name, part in reversed(list(value.items()))})
    if isinstance(value, Function):
        pairs = [(otherwise(key), otherwise(part)) for key, part in value.items()]
        if pairs and all(isinstance(key, str) for key, _ in pairs):
            return Record({str(key): part for key, part in pairs})
        # In TLA+ TRUE is not 1, but in Python True == 1.
        if [(type(key), key) for key, _ in pairs] == [(int, n) for n in range(1, len(pairs) + 1)]:
            return tuple(part for _, part in pairs)
        return Function(reversed(pairs))
    return value


def lexemes(value: Value) -> list[str]:
    """The pieces of a value's text as TLC, not ``format_value``, writes it; TLC may break lines between them."""
    if isinstance(value, bool):
        return [str(value).upper()]
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        for char, letter in zip("\t\n\f\r", "tnfr", strict=True):
            escaped = escaped.replace(char, f"\\{letter}")
        return [f'"{escaped}"']
    if isinstance(value, tuple) or (isinstance(value, (Record, Function)) and not value):
        return ["<<", *_listed([lexemes(part) for part in value], ","), ">>"]
    if isinstance(value, Record):
        return ["[", *_listed([[name, "|->", *lexemes(part)] for name, part in value.items()], ","), "]"]
    if isinstance(value, Function):
        pairs = [[*lexemes(key), ":>", *lexemes(part)] for key, part in value.items()]
        return ["(", *_listed(pairs, "@@"), ")"]
    if isinstance(value, frozenset) or (isinstance(value, Interval) and not value):
        return ["{", *_listed([lexemes(part) for part in value], ","), "}"]
    if isinstance(value, Interval):
        return [f"{value.lo}..{value.hi}"]
    return [str(value)]


def _listed(parts: list[list[str]], separator: str) -> list[str]:
    listed: list[str] = []
    for part in parts:
        listed += [separator, *part] if listed else part
    return listed
