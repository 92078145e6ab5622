"""Texts of a stranger in everything that is shown: they stay texts."""

from __future__ import annotations

import html.parser
import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import RunCli, spec

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
MARKUP = "</script><script>owned()</script><img src=x onerror=owned()>]]>&lt;*_|[a](javascript:owned())|"
# TLC reads no control characters in a string; in comments, names of sweeps and files of others there are all.
STRING = MARKUP + "${{ owned }} ::error::owned %0A @team"
HOSTILE = STRING + ESCAPES

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A sweep with hostile texts wherever there may be any; both of its points are not as expected."""
    module = spec("Hostile").replace("HOSTILE", HOSTILE).replace("STRING", STRING)
    (tmp_path / "Hostile.tla").write_text(module)
    name = json.dumps(HOSTILE.replace("/", "-"))
    text = json.dumps(f'"{STRING}"')
    (tmp_path / "sweep.toml").write_text(
        f'name = {name}\nmodule = "Hostile.tla"\n[model]\ninvariants = ["Small", "Said"]\n'
        f'[constants]\nWho = "{{w_1, w_2}}"\n[parameters]\nText = [{text}]\n'
        '[tlc]\nfind = "each"\nmemory = "256MiB"\n[expect]\nverdict = "holds"\n'
    )
    return tmp_path


class Page(html.parser.HTMLParser):
    """What a browser makes of a page: the elements that do or load something, and attributes that run scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts = 0
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag in ("img", "iframe", "object", "embed", "base", "link"):
            self.wrong.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.wrong.append(f"{tag} {name}={value}")


def test_what_is_written_is_text(run_cli: RunCli, hostile: Path) -> None:
    reports = ("--junit", "junit.xml", "--sarif", "gate.sarif", "--summary", "summary.md")
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": None, "GITHUB_WORKSPACE": str(hostile)}
    ended = run_cli("gate", "sweep.toml", "--executor", "local", "-o", "store", *reports, env=env, code=1)
    assert run_cli("report", "store", "-o", "page.html").code == 0
    names = ("summary.md", "page.html", "gate.sarif", "junit.xml")
    texts = {name: (hostile / name).read_text() for name in names}
    texts |= {"stdout": ended.stdout, "stderr": ended.stderr}
    for name, text in texts.items():
        assert "owned" in text, name
        assert not CONTROL.search(text), name
    page = Page(texts["page.html"])
    assert (page.scripts, page.wrong) == (3, [])
    ET.fromstring(texts["junit.xml"])
    said = json.loads(texts["gate.sarif"])["runs"][0]["results"]
    assert any("owned" in json.dumps(result["message"]) for result in said)
    # Markdown: nothing is left that makes a link, a picture, a tag or a mention.
    markdown = re.sub(r"(?s)<(summary|pre)>[^<]*</\1>", "", texts["summary.md"])  # HTML, no Markdown
    assert not re.search(r"<(?!/?details>)|(?<!\\)\]\((?!\\)|(?<!\\)@team", markdown)
    # To the runner only our own lines are commands: what is between is stopped.
    lines = ended.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    after = lines[lines.index(f"::{token}::") + 1 :]
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in after)
    assert lines[0].startswith("::stop-commands::")


def in_a_terminal(folder: Path, *arguments: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    command, env = (sys.executable, "-m", "tla2py", *arguments), os.environ | {"TERM": "xterm"}
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=env
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            ready, _, _ = select.select([ours], [], [], 120)
            try:
                part = os.read(ours, 65536) if ready else b""
            except OSError:
                break
            if not part:
                break
            said += part
        process.wait(120)
    os.close(ours)
    return said.decode("utf-8", "replace")


def test_a_terminal_obeys_nobody_else(hostile: Path) -> None:
    for command in (
        ("sweep", "sweep.toml", "--executor", "local", "-o", "store"),
        ("sweep", "sweep.toml", "--dry-run", "-o", "store"),
        ("inspect", "Hostile.tla"),
        ("cfg", "sweep.toml"),
    ):
        said = in_a_terminal(hostile, *command)
        assert "owned" in said, (command, said)
        for wrong in ("\x1b]", "\x07", "\x1b[2J", "\x9b", "\u202e"):
            assert wrong not in said, (command, said)
