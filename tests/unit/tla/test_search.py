"""EXTENDS and INSTANCE find modules in folders as TLC does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.tla.conftest import LoadModules, WriteModules, module
from tla2py.errors import InputError
from tla2py.tla.parse import PROOFS, load_modules


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
    assert [(each.name, each.path) for each in spec.modules] == [
        ("Main", root),
        ("Base", tmp_path / "Base.tla"),
        ("Deep", one / "Deep.tla"),
        ("Helper", one / "Helper.tla"),
    ]
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
    texts = (
        module("Outer", "EXTENDS Near, Inner"),
        module("Near", "Other == 1"),
        module("Inner", "In == 1"),
        module("TLC", ""),
    )
    write(*texts, folder=installed)
    spec = load_modules(root, installed=installed)
    assert set(spec.definitions) == {"Own", "In"}
    assert [each.name for each in spec.installed] == ["Outer", "Inner"]
    assert spec.standard == ("TLC",)
    # With -L its modules are those of a folder like any other.
    assert load_modules(root, [installed], installed=installed).installed == ()


def test_a_module_of_ones_own_goes_before_a_standard_one(load: LoadModules) -> None:
    spec = load(module("Main", "EXTENDS Bags, TLC"), module("Bags", "Mine == 1"))
    assert spec.standard == ("TLC",)
    assert "Mine" in spec.definitions


def test_local_definitions_stay_at_home(load: LoadModules) -> None:
    spec = load(
        module("Main", "EXTENDS Base\nLOCAL Own == Shown"),
        module("Base", "LOCAL Hidden == 1\nShown == Hidden\nLOCAL INSTANCE Deep"),
        module("Deep", "Far == 2"),
    )
    assert set(spec.definitions) == {"Shown", "Own"}


def test_an_instance_without_a_name_shares_its_definitions(load: LoadModules) -> None:
    spec = load(
        module("Main", "VARIABLE x\nINSTANCE Base WITH y <- x\nNext == Step"),
        module("Base", "VARIABLE y\nStep == y' = y"),
    )
    assert set(spec.definitions) == {"Step", "Next"}
    assert [each.name for each in spec.variables] == ["x"]


def test_parameters_of_an_instance_come_first(load: LoadModules) -> None:
    spec = load(
        module("Main", "I(a, b) == INSTANCE Base WITH N <- a + b"),
        module("Base", "CONSTANT N\nPlus(c) == N + c"),
    )
    assert spec.definitions["I!Plus"].parameters == ("a", "b", "c")
    assert spec.constants == ()


def test_a_module_named_inside_let_is_followed(load: LoadModules) -> None:
    spec = load(
        module("Main", "A == LET I == INSTANCE Base IN I!One"),
        module("Base", "One == 1"),
    )
    assert [each.name for each in spec.modules] == ["Main", "Base"]


def test_a_missing_module_is_named_at_its_place(write: WriteModules, tmp_path: Path) -> None:
    root = write(module("Main", "EXTENDS Naturals,\n  Bass"), module("Base", "A == 1"))
    with pytest.raises(InputError) as raised:
        load_modules(root)
    error = raised.value
    assert (error.code, error.where) == ("module-missing", f"{root}:3:3")
    assert "Bass" in error.message
    assert "Base" in str(error.hint)
    assert str(tmp_path) in str(error.hint)


@pytest.mark.parametrize(
    ("name", "said"),
    [("SequencesExt", "CommunityModules"), ("BagsTheorems", "TLA+ proof system"), ("Apalache", "Apalache")],
)
def test_a_missing_module_of_a_known_library_says_which(write: WriteModules, name: str, said: str) -> None:
    with pytest.raises(InputError, match=name) as raised:
        load_modules(write(module("Main", f"EXTENDS {name}")))
    assert said in str(raised.value.hint)


def test_the_names_that_proofs_use_are_there_unless_a_folder_has_the_module(
    write: WriteModules, tmp_path: Path
) -> None:
    root = write(module("Main", "EXTENDS FiniteSetTheorems, TLAPS"))
    spec = load_modules(root)
    assert {"SMT", "FiniteSubsetsOf", "IsWellFoundedOn"} <= set(spec.definitions)
    assert {m.path.parent for m in spec.modules[1:] if m.path} == {PROOFS}
    write(module("TLAPS", "Own == 1"))
    assert {"Own", "FiniteSubsetsOf"} <= set(load_modules(root).definitions)
    assert "SMT" not in load_modules(root).definitions


def test_a_module_in_a_folder_beside_is_told_of_and_taken_if_asked_for(
    write: WriteModules, tmp_path: Path
) -> None:
    root = write(module("Main", "EXTENDS Base"), folder=tmp_path / "here")
    write(module("Base", "A == 1"), folder=tmp_path / "lib")
    with pytest.raises(InputError) as raised:
        load_modules(root)
    assert f"-L {tmp_path / 'lib'}" in str(raised.value.hint)
    assert set(load_modules(root, nearby=True).definitions) == {"A"}
    # With two candidates the choice is ambiguous.
    write(module("Base", "B == 1"), folder=tmp_path / "other")
    with pytest.raises(InputError):
        load_modules(root, nearby=True)


def test_a_circle_is_an_error(write: WriteModules) -> None:
    root = write(module("A", "EXTENDS B"), module("B", "EXTENDS C"), module("C", "I == INSTANCE B"))
    with pytest.raises(InputError) as raised:
        load_modules(root)
    assert raised.value.code == "module-cycle"
    assert "B needs C needs B" in raised.value.message


def test_a_syntax_error_in_a_module_below_is_found_there(write: WriteModules, tmp_path: Path) -> None:
    root = write(module("A", "EXTENDS B"), module("B", "X == ["))
    with pytest.raises(InputError) as raised:
        load_modules(root)
    assert str(raised.value.where).startswith(str(tmp_path / "B.tla"))


def test_modules_behind_the_first_one_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "Main.tla"
    path.write_text(
        module("Main", "EXTENDS Base\nA == B")
        + "Some words.\n"
        + module("Base", "EXTENDS Deep\nB == D")
        + module("Deep", "D == 1")
    )
    spec = load_modules(path)
    assert [(each.name, each.path) for each in spec.modules] == [
        ("Main", path),
        ("Base", path),
        ("Deep", path),
    ]
    assert spec.definitions["B"].span.place == "8:1"
    # TLC gets each in its own file, with unchanged line numbers.
    base = spec.modules[1].text
    assert base.splitlines()[7] == "B == D"
    assert "Main" not in base
    # A file takes precedence over an appended module.
    (tmp_path / "Deep.tla").write_text(module("Deep", "D == 2"))
    assert load_modules(path).modules[2].path == tmp_path / "Deep.tla"
