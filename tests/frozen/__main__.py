"""Show what of the public surface changed without a signature: ``python -m tests.frozen``.

It prints the block to put into ``SIGNED.md``, below a line that gives the reason, and names signed changes that are no
longer there. ``--freeze`` writes the present surface as the frozen one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.frozen.answers import json_lines
from tests.frozen.differences import block_to_sign, frozen_file, judge_topic
from tests.frozen.surface import TOPICS


def present_surface() -> dict[str, list[str]]:
    """Return the lines of every topic, of ``json`` by running the commands."""
    surface = {topic: collect() for topic, collect in TOPICS.items()}
    with tempfile.TemporaryDirectory() as folder:
        surface["json"] = json_lines(Path(folder))
    return surface


def main() -> int:
    """Print the unsigned differences; return 1 if there are any."""
    exit_code = 0
    for topic, lines in present_surface().items():
        if "--freeze" in sys.argv:
            frozen_file(topic).write_text("".join(f"{line}\n" for line in lines), "utf-8")
            continue

        verdict = judge_topic(topic, lines)
        if verdict.unsigned:
            print(block_to_sign(topic, verdict))
        for line in verdict.missing:
            print(f"{topic}: signed in SIGNED.md, but the surface has no such change: {line}")
        if verdict.unsigned or verdict.missing:
            exit_code = 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
