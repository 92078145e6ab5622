"""Modules: declarations, comments, and where EXTENDS and INSTANCE find others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import spec
from tests.raising import raises
from tests.unit.tla.conftest import LoadModules, WriteModules, module
from tla2py.errors import InputError
from tla2py.tla.module import Definition, Module
from tla2py.tla.nodes import without_comments
from tla2py.tla.parse import PROOFS, load_modules


def read(load: LoadModules, body: str) -> Module:
    return load(module("M", body)).root


def definition(found: Module, name: str) -> Definition:
    return next(each for each in found.definitions if each.name == name)


def test_declarations_in_order(load: LoadModules) -> None:
    found = load(spec("modules/Declared")).root
    assert found.name == "Declared"
    assert [each.module for each in found.extends] == ["Naturals", "Sequences"]
    assert [(each.name, each.arity) for each in found.constants] == [("N", 0), ("Op", 2), ("++", 2)]
    assert [each.name for each in found.variables] == ["x", "y"]
    assert [(each.name, each.text) for each in found.assumptions] == [("Positive", "N > 0"), (None, "N < 9")]
    assert [(each.name, each.parameters, each.kind) for each in found.definitions] == [
        ("Init", (), "operator"),
        ("f", (), "function"),
        ("\\oplus", ("a", "b"), "operator"),
        ("Sum", ("s",), "operator"),
    ]
    assert [each.name for each in found.definitions if each.recursive] == ["Sum"]


def test_odd_definitions(load: LoadModules) -> None:
    body = "Nat == {0}\nInt == Nat\nReal == Int\na <= b == a = b\nx \\geq y == y <= x\n-. z == z"
    found = read(load, body)
    assert [each.name for each in found.definitions] == ["Nat", "Int", "Real", "<=", ">=", "-."]
    # Higher-order parameters and local definitions.
    found = read(load, "Apply(F(_), a) == F(a)\nLOCAL Hidden(b) == b\nLOCAL INSTANCE Naturals")
    apply = definition(found, "Apply")
    assert (apply.parameters, apply.local, definition(found, "Hidden").local) == (("F", "a"), False, True)
    assert [(each.module, each.local) for each in found.instances] == [("Naturals", True)]


# The symbols that a module may define; a synonym has the name of the other spelling, as in SANY.
INFIX = r"""
    # + - * / ^ < > .. ... | || & && $ $$ ?? %% ## ++ -- ** // ^^ @@ <: :> := ::= !! -| |- =| |= %
    \prec \preceq \succ \succeq \ll \gg \sqsubset \sqsubseteq \sqsupset \sqsupseteq \subset \supset \supseteq
    \approx \asymp \cong \doteq \sim \simeq \propto \sqcap \sqcup \uplus \oplus \ominus \odot \oslash \otimes
    \bigcirc \bullet \star \div \o \wr
"""
SYNONYMS = {
    "=<": "<=", r"\leq": "<=", r"\geq": ">=", r"\circ": r"\o", "/=": "#",
    "(+)": r"\oplus", "(-)": r"\ominus", "(.)": r"\odot", "(/)": r"\oslash", r"(\X)": r"\otimes",
}  # fmt: skip


@pytest.mark.parametrize(("written", "name"), [*((sign, sign) for sign in INFIX.split()), *SYNONYMS.items()])
def test_operators_have_the_names_that_are_written(load: LoadModules, written: str, name: str) -> None:
    found = read(load, f"a {written} b == <<a, b>>\nUse == 1 {written} 2\nCONSTANT _ {written} _")
    used = definition(found, "Use").body
    assert used is not None
    assert [found.definitions[0].name, used.operator, found.constants[0].name] == [name, name, name]


def test_places_count_characters_from_one(load: LoadModules) -> None:
    found = read(load, 'CONSTANTS A,\n  (* ä → *) B\n\nName == "ü"\n  \\cup {B}')
    a, b = found.constants
    assert (a.span.begin_line, a.span.begin_column, a.span.end_column) == (2, 11, 11)
    assert (b.span.begin_line, b.span.begin_column) == (3, 13)
    name = found.definitions[0].span
    assert (name.begin_line, name.begin_column, name.end_line, name.end_column) == (5, 1, 6, 10)
    assert found.where(b.span).endswith("M.tla:3:13")


def test_line_ends_of_other_systems_and_text_around_the_module(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_bytes("\ufeff---- MODULE M ----\r\nCONSTANT A\r\nB == A\r\n====\r\n".encode())
    found = load_modules(path).root
    assert found.constants[0].span.place == "2:10"
    assert found.definitions[0].span.place == "3:1"
    path.write_text("Notes on M, (not TLA+.\n\n---- MODULE M ----\nA == 1\n====\nB == [ nonsense\n")
    assert [each.name for each in load_modules(path).root.definitions] == ["A"]


def test_comments_beside_and_above_constants(load: LoadModules) -> None:
    found = load(spec("modules/Commented")).root
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
    # Those of variables and definitions.
    body = "VARIABLE x \\* the clock\n\n\\* It starts\n(* at zero. *)\nInit == x = 0\n\nNext == x' = 1"
    found = read(load, body)
    assert found.variables[0].comment == "the clock"
    assert definition(found, "Init").comment == "It starts at zero."
    assert definition(found, "Next").comment == ""


def test_long_comments_after_commas_take_no_time(load: LoadModules) -> None:
    lines = "".join(f"v{n}, \\* as in [a, b], c {n}   \n\\* and so on,   \n" for n in range(200))
    assert len(load(module("M", f"VARIABLES {lines} last")).variables) == 201


def test_pluscal_in_a_comment_is_no_declaration(load: LoadModules) -> None:
    found = load(spec("modules/Algorithm")).root
    assert found.has_pluscal
    assert [(each.name, each.comment) for each in found.variables] == [("x", "")]
    assert [each.name for each in found.definitions] == ["Init"]
    # A broken algorithm is nothing to TLC.
    found = read(load, "(* --fair algorithm Oops { variable = ; }}} *)\nOne == 1")
    assert [each.name for each in found.definitions] == ["One"]


def test_unicode_operators_mean_their_ascii_twins(load: LoadModules) -> None:
    one = load(module("A", "EXTENDS Naturals\nVARIABLE x\nP == \\A i \\in {1} : i \\leq x \\/ i \\notin {x}"))
    two = load(module("B", "EXTENDS Naturals\nVARIABLE x\nP ≜ ∀ i ∈ {1} : i ≤ x ∨ i ∉ {x}"))
    assert one.candidates.invariants == two.candidates.invariants == ("P",)
    ours, others = (found.root.definitions[0].body.arguments for found in (one, two))  # type: ignore[union-attr]
    assert [(t.shape, t.operator) for t in ours] == [(t.shape, t.operator) for t in others]


def test_nested_modules_keep_to_themselves(load: LoadModules) -> None:
    outer = load(spec("modules/Nesting"))
    [inner] = outer.root.nested
    assert (inner.name, [each.name for each in inner.constants]) == ("Inner", ["Step"])
    assert outer.constants == ()
    assert set(outer.definitions) == {"I!Up", "Next"}
    assert outer.level("I!Up").label == "action"
    # A nested module extends those before it.
    both = module("A", "VARIABLE y\nUp == y' = y") + module("B", "EXTENDS A\nTwo == Up")
    outer = load(module("Outer", f"VARIABLE x\n{both}I == INSTANCE B WITH y <- x"))
    assert set(outer.definitions) == {"I!Up", "I!Two"}
    assert outer.level("I!Two").label == "action"


def test_a_module_does_not_extend_those_nested_in_it(load: LoadModules) -> None:
    """SANY looks for a file, and a standard module is one."""
    nested, missing = (module(name, "VARIABLE y") for name in ("Naturals", "Inner"))
    outer = load(module("Outer", f"EXTENDS Naturals\n{nested}VARIABLE x"))
    assert [each.name for each in outer.root.variables] == ["x"]
    assert outer.standard == ("Naturals",)
    refused = raises(InputError, load, module("Outer", f"EXTENDS Inner\n{missing}"))
    assert refused.code == "module-missing"


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
    raised = raises(InputError, load_modules, path)
    assert (raised.code, raised.where) == ("module-syntax", f"{path}:{place}")
    assert said in raised.message
    # In a module below it is found there.
    above = write(module("Above", "EXTENDS M"))
    assert raises(InputError, load_modules, above).where == raised.where


SPECS = Path(__file__).parents[3] / "specs"
TEXT = r"""---- MODULE M ----
(* a (* nested *)
   comment *)
VARIABLE x \* é
Note == "(* no comment *) \* neither"
Init == /\ x = 0 (* why *) /\ TRUE
        \* /\ x = 1
====
"""
BARE = r"""---- MODULE M ----


VARIABLE x
Note == "(* no comment *) \* neither"
Init == /\ x = 0           /\ TRUE

====
"""


def test_all_else_keeps_its_place() -> None:
    assert without_comments(TEXT) == BARE
    text = TEXT.replace("x = 0", "x = ]")
    assert without_comments(text) == text, "it does not parse"


@pytest.mark.parametrize("path", sorted(SPECS.glob("*/*.tla")), ids=lambda path: path.stem)
def test_what_is_left_has_its_line_and_column(path: Path) -> None:
    text = path.read_text()
    bare = without_comments(text)
    assert bare != text
    for before, after in zip(text.split("\n"), bare.split("\n"), strict=True):
        assert after == after.rstrip()
        assert all(b in (" ", a) for a, b in zip(before, after, strict=False))


def test_modules_are_found_in_the_own_folder_then_in_libraries(write: WriteModules, tmp_path: Path) -> None:
    root = write(
        module("Main", "EXTENDS Base\nI == INSTANCE Helper\nTotal == Sum + I!Twice(2)"),
        module("Base", "EXTENDS Naturals, Deep\nCONSTANT N \\* how many\nSum == N + Depth"),
    )
    one = tmp_path / "one"
    write(module("Deep", "CONSTANT M\nVARIABLE d\nDepth == M"), module("Helper", "Twice(x) == x"), folder=one)
    two = tmp_path / "two"
    write(module("Deep", "Depth == 7"), module("Base", "Sum == 0"), folder=two)
    spec = load_modules(root, [one, two])
    paths = [root, tmp_path / "Base.tla", one / "Deep.tla", one / "Helper.tla"]
    assert [(each.name, each.path) for each in spec.modules] == [(path.stem, path) for path in paths]
    assert spec.standard == ("Naturals",)
    assert [each.name for each in spec.extended] == ["Deep", "Base", "Main"]
    assert [(each.name, each.module) for each in spec.constants] == [("M", "Deep"), ("N", "Base")]
    assert [each.name for each in spec.variables] == ["d"]
    assert set(spec.definitions) == {"Depth", "Sum", "I!Twice", "Total"}
    assert spec.definitions["I!Twice"].parameters == ("x",)
    assert spec.file_of(spec.constants[0]).path == one / "Deep.tla"


def test_the_installed_library_comes_last(write: WriteModules, tmp_path: Path) -> None:
    root = write(module("Main", "EXTENDS Outer, TLC"), module("Near", "Own == 1"))
    installed = tmp_path / "installed"
    texts = {"Outer": "EXTENDS Near, Inner", "Near": "Other == 1", "Inner": "In == 1", "TLC": ""}
    write(*(module(*each) for each in texts.items()), folder=installed)
    spec = load_modules(root, installed=installed)
    assert set(spec.definitions) == {"Own", "In"}
    assert [each.name for each in spec.installed] == ["Outer", "Inner"]
    assert spec.standard == ("TLC",)
    # With -L its modules are those of a folder like any other.
    assert load_modules(root, [installed], installed=installed).installed == ()


HIDING = "LOCAL Hidden == 1\nShown == Hidden\nLOCAL INSTANCE Deep"
STEPPING = "VARIABLE y\nStep == y' = y"
ADDING = "CONSTANT N\nPlus(c) == N + c"
RECURSIVE = "RECURSIVE Rec(_)\nLOCAL Rec(n) == IF n = 0 THEN 0 ELSE Rec(0)\nLOCAL Own == 1"


@pytest.mark.parametrize(
    ("main", "others", "definitions"),
    [
        # The user's own module takes precedence over a standard one.
        ("EXTENDS Bags, TLC", {"Bags": "Mine == 1"}, {"Mine": ()}),
        # Local definitions stay at home.
        ("EXTENDS Base\nLOCAL Own == Shown", {"Base": HIDING, "Deep": "Far == 2"}, {"Shown": (), "Own": ()}),
        # SANY ignores LOCAL on a definition that RECURSIVE declared first.
        ("EXTENDS Lib\nA == Rec(1)", {"Lib": RECURSIVE}, {"Rec": ("n",), "A": ()}),
        # An instance without a name shares its definitions.
        ("VARIABLE x\nINSTANCE Base WITH y <- x\nNext == Step", {"Base": STEPPING}, {"Step": (), "Next": ()}),
        # Parameters of an instance come first.
        ("I(a, b) == INSTANCE Base WITH N <- a + b", {"Base": ADDING}, {"I!Plus": ("a", "b", "c")}),
        # A module named inside LET is followed, for its text.
        ("A == LET I == INSTANCE Base IN I!One", {"Base": "One == 1"}, {"A": ()}),
    ],
)
def test_the_definitions_of_a_module(
    load: LoadModules, main: str, others: dict[str, str], definitions: dict[str, tuple[str, ...]]
) -> None:
    spec = load(module("Main", main), *(module(name, body) for name, body in others.items()))
    assert {name: each.parameters for name, each in spec.definitions.items()} == definitions
    assert [each.name for each in spec.modules] == ["Main", *others]
    assert spec.standard == (("TLC",) if "TLC" in main else ())
    assert (spec.constants, [each.name for each in spec.variables]) == ((), ["x"] if "x" in main else [])


def test_a_missing_module_is_named_at_its_place(write: WriteModules, tmp_path: Path) -> None:
    root = write(module("Main", "EXTENDS Naturals,\n  Bass"), module("Base", "A == 1"))
    error = raises(InputError, load_modules, root)
    assert (error.code, error.where) == ("module-missing", f"{root}:3:3")
    assert "Bass" in error.message
    assert "Base" in str(error.hint)
    assert str(tmp_path) in str(error.hint)


@pytest.mark.parametrize(
    ("name", "said"),
    [("SequencesExt", "CommunityModules"), ("BagsTheorems", "TLA+ proof system"), ("Apalache", "Apalache")],
)
def test_a_missing_module_of_a_known_library_says_which(write: WriteModules, name: str, said: str) -> None:
    raised = raises(InputError, lambda: load_modules(write(module("Main", f"EXTENDS {name}"))), match=name)
    assert said in str(raised.hint)


def test_the_names_that_proofs_use_are_there_unless_a_folder_has_the_module(write: WriteModules) -> None:
    root = write(module("Main", "EXTENDS FiniteSetTheorems, TLAPS"))
    spec = load_modules(root)
    assert {"SMT", "FiniteSubsetsOf", "IsWellFoundedOn"} <= set(spec.definitions)
    assert {m.path.parent for m in spec.modules[1:] if m.path} == {PROOFS}
    write(module("TLAPS", "Own == 1"))
    assert {"Own", "FiniteSubsetsOf"} <= set(load_modules(root).definitions)
    assert "SMT" not in load_modules(root).definitions


def test_a_module_in_a_folder_beside_is_taken_if_asked_for(write: WriteModules, tmp_path: Path) -> None:
    root = write(module("Main", "EXTENDS Base"), folder=tmp_path / "here")
    write(module("Base", "A == 1"), folder=tmp_path / "lib")
    assert f"-L {tmp_path / 'lib'}" in str(raises(InputError, load_modules, root).hint)
    assert set(load_modules(root, nearby=True).definitions) == {"A"}
    # With two candidates the choice is ambiguous.
    write(module("Base", "B == 1"), folder=tmp_path / "other")
    raises(InputError, lambda: load_modules(root, nearby=True))


def test_modules_behind_the_first_one_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "Main.tla"
    behind = module("Base", "EXTENDS Deep\nB == D") + module("Deep", "D == 1")
    path.write_text(module("Main", "EXTENDS Base\nA == B") + "Some words.\n" + behind)
    spec = load_modules(path)
    assert {each.name: each.path for each in spec.modules} == dict.fromkeys(("Main", "Base", "Deep"), path)
    assert spec.definitions["B"].span.place == "8:1"
    # TLC gets each in its own file, with unchanged line numbers.
    base = spec.modules[1].text
    assert base.splitlines()[7] == "B == D"
    assert "Main" not in base
    # A file takes precedence over an appended module.
    (tmp_path / "Deep.tla").write_text(module("Deep", "D == 2"))
    assert load_modules(path).modules[2].path == tmp_path / "Deep.tla"
