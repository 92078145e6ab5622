"""Documentation, notebooks and lists that stay true."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from scripts.reference.errors import errors_page
from scripts.reference.pages import PAGES, ROOT
from scripts.reference.raised import raised_errors
from tla2py.model.outcome import VERDICTS, Outcome
from tla2py.sweep import sections


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_what_the_code_does(name: str) -> None:
    made = PAGES[name]()
    assert (ROOT / name).read_text(encoding="utf-8") == made, "run make pages, and commit what it wrote"


def test_the_page_of_errors_shows_what_is_said() -> None:
    parser = MarkdownIt("commonmark").enable("table")
    shown = {
        "".join(part.content for part in token.children or ())
        for token in parser.parse(errors_page())
        if token.type == "inline"
    }
    errors = raised_errors()
    assert {" ".join(each.message.split()) for each in errors} <= shown
    assert {" ".join(each.hint.split()) for each in errors if each.hint} <= shown
    assert "pip install 'tla2py[spark]'" in errors_page()


def test_the_page_on_verdicts_has_every_outcome() -> None:
    page = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE))
    assert rows == {outcome.value: verdict.value for outcome, verdict in VERDICTS.items()}


def test_the_sweep_file_page_has_every_key() -> None:
    page = (ROOT / "docs" / "sweep-file.md").read_text()
    names = ["ModelSection", "GridSection", "ValuesTable", "TlcSection", "ExpectSection", "Sections"]
    for section in (getattr(sections, name) for name in names):
        for key in section.__struct_encode_fields__:
            assert re.search(rf"`\[*{key}\]*`|`\[\[\w+\.{key}\]\]|\[\[expect\.{key}\]\]", page), key


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("specs/*/*.md")])
)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", prose):
        assert target.startswith("https://") or (page.parent / target).exists(), target


BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped_and_its_links_lead_somewhere(path: Path) -> None:
    # When this fails: python scripts/notebooks.py --strip
    book = json.loads(path.read_text(encoding="utf-8"))
    assert set(book["metadata"]) == {"kernelspec", "language_info"}
    for cell in book["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    text = "\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (path.parent / target).exists(), target


def test_what_contributors_are_told_to_touch_is_there() -> None:
    assert len(BOOKS) == 5
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:tla2py|tests|scripts|specs|docs|\.github)/[\w./-]*)`", text)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
    # In the lists a name stands beside the file that has it.
    named = re.findall(r"`(\w+)`(?:, its verdict in `\w+`)? in `([\w/]+\.py)`", text)
    assert [(name, path) for name, path in named if name not in (ROOT / path).read_text("utf-8")] == []
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= set(targets)


def test_the_oldest_python_is_the_same_everywhere() -> None:
    """What the package promises is what the texts say, what the tools are set to, and what runs the core tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert project["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "action.yml")]
    said = {
        (page.name, version)
        for page in (*pages, *ROOT.glob("docs/**/*.md"))
        for version in re.findall(r"Python (3\.\d+) or newer", page.read_text())
    }
    assert {name for name, _ in said} >= {*(page.name for page in pages), "tools.md"}
    assert {version for _, version in said} == {oldest}
    minor = oldest.removeprefix("3.")
    action = (ROOT / "action.yml").read_text()
    assert f"python3.{minor}; do" in action
    assert f"(3, {minor})" in action
    # The wheel is tried on these.
    assert f'INSTALLERS="python3.{minor} ' in (ROOT / "CONTRIBUTING.md").read_text()
    job = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["test"]
    matrix = job["strategy"]["matrix"]
    assert "test" in matrix["target"]
    assert matrix["python"] == [oldest]
    # What else it adds are the newest one and a system without walls.
    assert [(each["os"], each["python"]) for each in matrix["include"]] == [
        ("ubuntu-latest", "3.14"), ("macos-latest", oldest)
    ]  # fmt: skip
    [setup] = (step for step in job["steps"] if "setup-python" in step.get("uses", ""))
    assert setup["with"]["python-version"] == "${{ matrix.python }}"


NO_FILE = "Cannot find source file for module {} imported in module M."
NO_KEYWORD = (
    "TLC found an error in the configuration file at line 3\nIt was expecting a keyword, but did not find it."
)
SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "corpus.py"


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    ("outcome", "said", "reached", "reason", "detail"),
    [
        (Outcome.ERROR, "TLCGet(config) was undefined.", set(), "lacks", 'TLCGet("config")'),
        (Outcome.ERROR, "Error: unrecognized option: -generate", set(), "lacks", "the option -generate"),
        (Outcome.ERROR_CONFIG_PARSE, NO_KEYWORD, set(), "lacks", "POSTCONDITION in configs"),
        (Outcome.ERROR_SPEC_PARSE, NO_FILE.format("TLCExt"), set(), "lacks", "module TLCExt"),
        (Outcome.ERROR_SPEC_PARSE, NO_FILE.format("Mine"), set(), "absent", "Mine"),
        (Outcome.ERROR_SPEC_PARSE, "Unknown operator: `x'.", set(), "sany", "Unknown operator: `x'."),
        (Outcome.TIMEOUT, "", set(), "limits", "timeout"),
        (Outcome.OUT_OF_MEMORY, "", {"IOUtils"}, "limits", "out of memory"),
        (Outcome.FAILURE_SPEC_EVAL, "in IOUtils", {"M", "Folds", "IOUtils"}, "java", "IOUtils: in IOUtils"),
        (Outcome.ERROR, "odd", {"M", "Folds", "IOUtils"}, "java", "Folds, IOUtils: odd"),
        (Outcome.ERROR, "odd", {"M"}, "real", "odd"),
        # What a model with such modules violates is violated all the same.
        (Outcome.VIOLATION_SAFETY, "Invariant I is violated.", {"Folds"}, "real", "Invariant I is violated."),
        (Outcome.SUCCESS, "", {"Folds"}, "real", ""),
    ],
)
def test_reasons(
    script: dict[str, object], outcome: Outcome, said: str, reached: set[str], reason: str, detail: str
) -> None:
    explain = script["explain"]
    assert callable(explain)
    config = "INIT Init\nNEXT Next\nPOSTCONDITION Post\n"
    assert explain(outcome, said, config, reached) == (reason, detail)
