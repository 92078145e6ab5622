"""Declarations of a module, with their places and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.tla.conftest import LoadModules, WriteModules, module
from tla2py.errors import InputError
from tla2py.tla.module import Definition, Module
from tla2py.tla.parse import load_modules


def read(write: WriteModules, body: str) -> Module:
    return load_modules(write(module("M", body))).root


def definition(found: Module, name: str) -> Definition:
    return next(each for each in found.definitions if each.name == name)


def test_declarations_in_order(write: WriteModules) -> None:
    found = read(
        write,
        """EXTENDS Naturals, Sequences
CONSTANTS N, Op(_, _), _ ++ _
VARIABLES x, y
ASSUME Positive == N > 0
ASSUME N < 9
Init == x = 0 /\\ y = <<>>
f[i \\in Nat] == i
a \\oplus b == a + b
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s) + Sum(Tail(s))
THEOREM Sound == Init => x = 0""",
    )
    assert found.name == "M"
    assert [each.module for each in found.extends] == ["Naturals", "Sequences"]
    assert [(each.name, each.arity) for each in found.constants] == [("N", 0), ("Op", 2), ("++", 2)]
    assert [each.name for each in found.variables] == ["x", "y"]
    assert [(each.name, each.text) for each in found.assumptions] == [
        ("Positive", "N > 0"),
        (None, "N < 9"),
    ]
    assert [(each.name, each.parameters, each.kind) for each in found.definitions] == [
        ("Init", (), "operator"),
        ("f", (), "function"),
        ("\\oplus", ("a", "b"), "operator"),
        ("Sum", ("s",), "operator"),
    ]
    assert [each.name for each in found.definitions if each.recursive] == ["Sum"]


def test_the_sets_of_numbers_can_be_defined(write: WriteModules) -> None:
    found = read(
        write, "Nat == {0}\nInt == Nat\nReal == Int\na <= b == a = b\nx \\geq y == y <= x\n-. z == z"
    )
    assert [each.name for each in found.definitions] == ["Nat", "Int", "Real", "<=", ">=", "-."]


def test_higher_order_parameters_and_local_definitions(write: WriteModules) -> None:
    found = read(write, "Apply(F(_), a) == F(a)\nLOCAL Hidden(b) == b\nLOCAL INSTANCE Naturals")
    assert definition(found, "Apply").parameters == ("F", "a")
    assert not definition(found, "Apply").local
    assert definition(found, "Hidden").local
    assert [(each.module, each.local) for each in found.instances] == [("Naturals", True)]


def test_places_count_characters_from_one(write: WriteModules) -> None:
    found = read(write, 'CONSTANTS A,\n  (* ä → *) B\n\nName == "ü"\n  \\cup {B}')
    a, b = found.constants
    assert (a.span.begin_line, a.span.begin_column, a.span.end_column) == (2, 11, 11)
    assert (b.span.begin_line, b.span.begin_column) == (3, 13)
    name = found.definitions[0]
    assert (name.span.begin_line, name.span.begin_column) == (5, 1)
    assert (name.span.end_line, name.span.end_column) == (6, 10)
    assert found.where(b.span).endswith("M.tla:3:13")


def test_line_ends_of_other_systems_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_bytes("\ufeff---- MODULE M ----\r\nCONSTANT A\r\nB == A\r\n====\r\n".encode())
    found = load_modules(path).root
    assert found.constants[0].span.place == "2:10"
    assert found.definitions[0].span.place == "3:1"


def test_comments_beside_and_above_constants(write: WriteModules) -> None:
    found = read(
        write,
        r"""\* Sizes of the model
CONSTANTS
    Servers,   \* the set of servers
    \* how often
    \* leaders change
    MaxTerm,
    Nil        (* stands for
                  nothing *)
CONSTANT Lone (* alone *)

(***************************)
(* In a box,               *)
(* two lines of it.        *)
(***************************)
CONSTANT Boxed
CONSTANTS First, Second \* both of them""",
    )
    comments = {each.name: each.comment for each in found.constants}
    assert comments == {
        "Servers": "the set of servers",
        "MaxTerm": "how often leaders change",
        "Nil": "stands for nothing",
        "Lone": "alone",
        "Boxed": "In a box, two lines of it.",
        "First": "both of them",
        "Second": "both of them",
    }


def test_comments_of_variables_and_definitions(write: WriteModules) -> None:
    found = read(
        write, "VARIABLE x \\* the clock\n\n\\* It starts\n(* at zero. *)\nInit == x = 0\n\nNext == x' = 1"
    )
    assert found.variables[0].comment == "the clock"
    assert definition(found, "Init").comment == "It starts at zero."
    assert definition(found, "Next").comment == ""


def test_pluscal_in_a_comment_is_no_declaration(write: WriteModules) -> None:
    found = read(
        write,
        """EXTENDS Naturals
(*
--algorithm Count {
  variable x = 0;
  { while (x < 3) { x := x + 1; assert x > 0 } }
}
*)
\\* BEGIN TRANSLATION
VARIABLE x
Init == x = 0
\\* END TRANSLATION""",
    )
    assert found.has_pluscal
    assert [each.name for each in found.variables] == ["x"]
    assert [each.name for each in found.definitions] == ["Init"]


def test_a_broken_algorithm_is_nothing_to_tlc(write: WriteModules) -> None:
    found = read(write, "(* --fair algorithm Oops { variable = ; }}} *)\nOne == 1")
    assert [each.name for each in found.definitions] == ["One"]


def test_unicode_operators_mean_their_ascii_twins(load: LoadModules) -> None:
    one = load(module("A", "EXTENDS Naturals\nVARIABLE x\nP == \\A i \\in {1} : i \\leq x \\/ i \\notin {x}"))
    two = load(module("B", "EXTENDS Naturals\nVARIABLE x\nP ≜ ∀ i ∈ {1} : i ≤ x ∨ i ∉ {x}"))
    assert one.candidates.invariants == two.candidates.invariants == ("P",)
    shapes = [
        [(t.shape, t.operator) for t in spec.root.definitions[0].body.arguments]  # type: ignore[union-attr]
        for spec in (one, two)
    ]
    assert shapes[0] == shapes[1]


def test_nested_modules_keep_to_themselves(load: LoadModules) -> None:
    spec = load(
        module(
            "Outer",
            """EXTENDS Naturals
VARIABLE x
---- MODULE Inner ----
CONSTANT Step
Up == x' = x + Step
====
I == INSTANCE Inner WITH Step <- 2
Next == I!Up""",
        )
    )
    assert [each.name for each in spec.root.nested] == ["Inner"]
    assert [each.name for each in spec.root.nested[0].constants] == ["Step"]
    assert spec.constants == ()
    assert set(spec.definitions) == {"I!Up", "Next"}
    assert spec.level("I!Up").label == "action"


def test_a_recursive_definition_is_local_to_no_module(load: LoadModules) -> None:
    """SANY ignores LOCAL on a definition that RECURSIVE declared first."""
    spec = load(
        module("Main", "EXTENDS Lib\nA == Rec(1)"),
        module("Lib", "RECURSIVE Rec(_)\nLOCAL Rec(n) == IF n = 0 THEN 0 ELSE Rec(0)\nLOCAL Own == 1"),
    )
    assert set(spec.definitions) == {"Rec", "A"}


def test_text_around_the_module_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text("Notes on M, (not TLA+.\n\n---- MODULE M ----\nA == 1\n====\nB == [ nonsense\n")
    assert [each.name for each in load_modules(path).root.definitions] == ["A"]


@pytest.mark.parametrize(
    ("body", "place", "said"),
    [
        ("A == 1\nB == (2 + \nC == 3", "4:3", "unexpected =="),
        ("A == {1, 2", "3:1", "the module ends too early"),
        ("A == )", "2:6", "unexpected )"),
        ('Grüße == "ä" ]', "2:3", "unexpected ü"),
        ("VARIABLES x,\nInit == x = 0", "3:6", "unexpected =="),
    ],
)
def test_a_syntax_error_has_its_place_and_text(write: WriteModules, body: str, place: str, said: str) -> None:
    path = write(module("M", body))
    with pytest.raises(InputError) as raised:
        load_modules(path)
    assert raised.value.code == "module-syntax"
    assert raised.value.where == f"{path}:{place}"
    assert said in raised.value.message


def test_a_module_must_be_named_as_its_file(write: WriteModules, tmp_path: Path) -> None:
    path = write(module("M", "A == 1")).rename(tmp_path / "Other.tla")
    with pytest.raises(InputError) as raised:
        load_modules(path)
    assert raised.value.code == "module-name"
    assert raised.value.where == f"{path}:1:13"
    assert "M.tla" in str(raised.value.hint)


def test_a_missing_file_names_those_that_are_there(write: WriteModules) -> None:
    path = write(module("Counter", "A == 1"))
    with pytest.raises(InputError) as raised:
        load_modules(path.with_name("Conter.tla"))
    assert raised.value.code == "module-missing"
    assert "Counter.tla" in str(raised.value.hint)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"no module at all", b"\x00\xff\xfe"])
def test_a_file_without_a_module_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "M.tla"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        load_modules(path)
    assert raised.value.code == "module-syntax"


def test_a_folder_is_no_module(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        load_modules(tmp_path)
    assert raised.value.code == "module-unreadable"
