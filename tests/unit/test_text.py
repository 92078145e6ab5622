"""Words of messages: plurals, durations, hints, help."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text
from typer.testing import CliRunner

from scripts.reference.pages import ROOT
from tests.raising import raises
from tla2py.cli.app import app, run_command
from tla2py.errors import InputError
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.text import listed, parameter_text, parse_duration, parse_memory, spans, value_shown

MIB = 1024**2


def test_durations() -> None:
    seconds: dict[str | int, float] = {90: 90, "90": 90, "90s": 90, "2m": 120, "1.5m": 90, "1h30m": 5400}
    seconds |= {"1h 30m 1s": 5401, "500ms": 0.5, "1d": 86400, " 3 s ": 3}
    for written, expected in seconds.items():
        assert parse_duration(written) == pytest.approx(expected)


def test_no_durations() -> None:
    wrong = ("", "m", "2 weeks", "-5s", "5s!", "1h-30m", "2M", "0", 0, "0s", -1, "1e3", "inf", "nan")
    for written in wrong:
        raised = raises(InputError, parse_duration, written, "here:3:1")
        assert (raised.code, raised.where) == ("duration", "here:3:1"), written


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_parts_of_a_duration_add_up(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == hours * 3600 + minutes * 60 + seconds


def test_amounts_of_memory() -> None:
    sizes: dict[str | int, int] = {"128MiB": 128, "1GiB": 1024, "1gib": 1024, "2g": 2048, "1.5 GB": 1536}
    sizes |= {"1t": 1024 * 1024, f"{200 * 1024}k": 200, 200 * MIB: 200, f"{200 * MIB}b": 200}
    for written, size in sizes.items():
        assert parse_memory(written) == size * MIB


def test_no_amounts_of_memory() -> None:
    none = [(text, "not an amount") for text in ("", "lots", "1XB", "-1GiB", "1 GiB more", "9" * 400)]
    for written, reason in (*none, *((few, "less than a JVM needs") for few in ("127MiB", 0, "1"))):
        raised = raises(InputError, parse_memory, written, "here:4:1", match=reason)
        assert (raised.code, raised.where) == ("memory", "here:4:1")


def test_parameters_are_named_with_their_values() -> None:
    assert parameter_text({"N": "1", "Procs": "{p1, p2}"}) == "N = 1, Procs = {p1, p2}"
    # What is left out is not shown as nothing.
    assert parameter_text({"N": "1", "symmetry": ""}) == "N = 1, symmetry = (none)"
    assert (value_shown(""), parameter_text({})) == ("(none)", "the model")


def test_a_list_is_cut_and_consecutive_numbers_are_spans() -> None:
    assert (listed([], 2), listed(["a", 2], 2)) == ("", "a, 2")
    assert listed(range(5), 3) == "0, 1, 2 and 2 more"
    assert spans([7, 2, 1, 3]) == [(1, 3), (7, 7)]
    assert spans([]) == []


# These quote what TLC and its Toolbox say.
QUOTING = {ROOT / "docs" / "corpus.md", ROOT / "docs" / "howto" / "from-other-tools.md"}
WORDS = ROOT / "docs" / "reference" / "words.md"
PAGES = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("specs/*/*.md")} - {WORDS, *QUOTING}
)
# What TLC says, and what shells and Java call things, stays as it is.
FOREIGN = {"tlc/output/messages.py", "tlc/places.py"}


def ruled_out() -> list[str]:
    rows = [line.split("|")[3] for line in WORDS.read_text().splitlines() if line.startswith("| ")]
    return [word for cell in rows for word in re.findall(r"`([^`]+)`", cell)]


def pattern() -> re.Pattern[str]:
    escaped = map(re.escape, ruled_out())
    words = "|".join(
        re.sub("y", "(?:y|ies)", word, count=1) if word.endswith("y") else word for word in escaped
    )
    return re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)


def prose(page: Path) -> str:
    """A page without its blocks of code and without what it quotes as code."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", text)


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of a module that a user may read, with the help of commands."""
    hidden = set()
    for node in ast.walk(tree):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
        if documented and not getattr(node, "name", "").endswith("_command"):
            hidden.add(id(node.body[0].value))  # type: ignore[attr-defined]
        # An option comes with the name of its value, as in `--config FILE.cfg`.
        called = (
            getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        )
        if called in ("option", "shared"):
            hidden.add(id(node.args[0]))  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node


def test_there_are_words() -> None:
    assert len(ruled_out()) > 10
    found = pattern().findall("An experiment in two directories, each a time-out")
    assert found == ["experiment", "directories", "time-out"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path) -> None:
    assert pattern().findall(prose(page)) == []


def test_messages_and_help() -> None:
    found = []
    for path in sorted((ROOT / "tla2py").rglob("*.py")):
        if str(path.relative_to(ROOT / "tla2py")) in FOREIGN:
            continue
        for node in texts(ast.parse(path.read_text("utf-8"))):
            if " " in str(node.value) and pattern().search(str(node.value)):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}")
    assert found == []


SPEC = Path(__file__).parent.parent / "specs" / "Counter.tla"
LEFT_OUT = "{ Bound = 1, invariants = '' }"
WRITE = "write Max = [1, 2] for these values"
LISTS = 'invariants = ["", "Small"]'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(SPEC, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hint(folder: Path, constants: str, parameters: str) -> str:
    """What is said of a sweep file that cannot be read."""
    head = 'module = "Counter.tla"\n[model]\ninit = "Init"\nnext = "Next"\n[constants]\n'
    (folder / "sweep.toml").write_text(f"{head}{constants}\n[parameters]\n{parameters}\n")
    return raises(InputError, run_command, ["cfg", "sweep.toml"]).hint or ""


@pytest.mark.parametrize(
    ("parameters", "right"),
    [
        ("Max = 1", WRITE + ", Max = { from = 1, to = 3 } for a range; a single value"),
        ('Max = "1..3"', WRITE),
        ("Max = [1.5]", "TLC knows whole numbers only"),
        ("Max = [1]", 'assign a value, such as Procs = "{p1, p2}" under [constants]'),
    ],
)
def test_parameters(folder: Path, parameters: str, right: str) -> None:
    assert right in hint(folder, "Bound = 3", parameters)


def test_a_constant_that_check_is_not_given(folder: Path) -> None:
    raised = raises(InputError, run_command, ["check", "Counter.tla", "--init", "Init", "--next", "Next"])
    assert (raised.hint or "").endswith("assign a value, such as -c 'Procs={p1, p2}'")


def test_an_option_that_is_not_there(folder: Path) -> None:
    for option, meant in (("--symmetry", ""), ("--memry", "--memory"), ("--invarient", "--invariant")):
        raised = raises(InputError, run_command, ["check", "Counter.tla", option], match=option)
        assert raised.code == "usage"
        assert ("Possible options" in str(raised)) == bool(meant)
        assert meant in str(raised)


@pytest.mark.parametrize(
    ("parameters", "match", "said"),
    [
        ("Bound = { from = 1, to = 6 }", "{ Bound = 7 }", "Bound is one of 1, 2, 3, 4, ..."),
        ("Bound = [1, 2]", "{ Bound = 7 }", "Bound is one of 1, 2"),
        ("Bound = [1]", "{ Bound = '1 + 1' }", "Bound is 1 at every point"),
        (f"Bound = [1]\n{LISTS}", '{ invariants = "Smal" }', "invariants is one of (none), Small"),
        (
            f"Bound = [1, 2]\n{LISTS}\n[grid]\nexclude = [{LEFT_OUT}]",
            LEFT_OUT,
            "without those that [grid] excludes",
        ),
    ],
)
def test_an_expectation_of_no_point(folder: Path, parameters: str, match: str, said: str) -> None:
    head = 'module = "Counter.tla"\n[constants]\nProcs = "{p}"\nMax = 1\n[parameters]\n'
    row = f"\n[[expect.point]]\nmatch = {match}\nverdict = 'holds'\n"
    (folder / "sweep.toml").write_text(f"{head}{parameters}{row}")
    sweep = load_sweep(folder / "sweep.toml")
    raised = raises(InputError, lambda: check_expectations(sweep, plan_sweep(sweep, "")))
    assert raised.code == "expect-no-point"
    assert (raised.hint or "").endswith(said)


GROUP = typer.main.get_command(app)
CONTEXT = typer.Context(GROUP)
COMMANDS = [(), *((name,) for name in GROUP.list_commands(CONTEXT))]  # type: ignore[attr-defined]
COMMANDS += [("tools", "install"), ("tools", "path"), ("examples", "copy")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_in_plain_text(command: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, [*command, "-h"], terminal_width=100).stdout
    assert re.search(r"Usage: .*\bCOMMAND\b|Usage: .*" + " ".join(command), told)
    assert re.search(r"--help +-h ", told)
    assert "\x1b" not in told
    # What takes arguments has an example.
    assert not command or "Example" in told or "COMMAND" in told
    # No word of it is taken for markup.
    found = GROUP
    for name in command:
        found = found.get_command(CONTEXT, name)  # type: ignore[attr-defined]
    helps = [found.help, found.epilog, *(getattr(each, "help", None) for each in found.params)]
    for text in filter(None, helps):
        assert Text.from_markup(text).plain == text


def test_commands_and_shared_options_are_in_panels() -> None:
    told = CliRunner().invoke(app, ["-h"], terminal_width=100).stdout
    assert re.findall(r"╭─ ([\w -]+?) ─", told) == ["Options", "run", "understand", "write", "house-keeping"]
    told = CliRunner().invoke(app, ["explain", "-h"], terminal_width=80).stdout
    assert re.findall(r"╭─ ([\w -]+?) ─", told)[-1] == "Options of several commands"
    assert told.index("--suggest") < told.index("--json")
    # A paragraph ends where the terminal does.
    assert "Rivals fit the same points;\n" in re.sub(" +\n", "\n", told)
