"""Compare the public surface with the frozen one, and with what ``SIGNED.md`` signs."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SIGNED = FOLDER / "SIGNED.md"
_TOPIC = "# "


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with a topic: changes that nobody signed, and signed changes that are not there."""

    unsigned: list[str]
    missing: list[str]


def frozen_file(topic: str) -> Path:
    """Return the file that holds the frozen lines of a topic."""
    return FOLDER / "surface" / f"{topic}.txt"


def changed_lines(topic: str, lines: Iterable[str]) -> list[str]:
    """Return the lines removed from a topic and added to it, each with a sign, as in a diff without context."""
    before = frozen_file(topic).read_text("utf-8").splitlines()
    difference = difflib.unified_diff(before, list(lines), lineterm="", n=0)
    body = list(difference)[2:]
    return [line for line in body if not line.startswith("@@")]


def signed_lines(topic: str, text: str) -> list[str]:
    """Return the changes of a topic that a text in the form of ``SIGNED.md`` signs.

    They stand in blocks fenced as ``diff``; a line ``# TOPIC`` in a block names the topic of the lines below it.
    """
    lines = []
    in_block = False
    named = ""
    for line in text.splitlines():
        if line.startswith("```"):
            in_block = line == "```diff"
            named = ""
        elif in_block and line.startswith(_TOPIC):
            named = line.removeprefix(_TOPIC)
        elif in_block and named == topic:
            lines.append(line)
    return lines


def judge_topic(topic: str, lines: Iterable[str]) -> Verdict:
    """Compare a topic's present lines with the frozen and the signed ones, in any order."""
    changed = Counter(changed_lines(topic, lines))
    signed = Counter(signed_lines(topic, SIGNED.read_text("utf-8")))
    return Verdict(
        unsigned=sorted((changed - signed).elements()),
        missing=sorted((signed - changed).elements()),
    )


def block_to_sign(topic: str, verdict: Verdict) -> str:
    """Return the text to put into ``SIGNED.md`` for a topic's unsigned changes."""
    return "\n".join(["```diff", f"{_TOPIC}{topic}", *verdict.unsigned, "```"])
