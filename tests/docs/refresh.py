"""Writes into pages what their commands print now, where that is not what they show.

Usage: python -m tests.docs.refresh [--long] PAGE.md...

Output that is shortened with `...` is left as it is and told, since only a person knows what to leave out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.docs.blocks import Block, own
from tests.docs.session import Session


def refresh(page: Path, *, long: bool) -> list[str]:
    """Rewrite a page; the places whose output is shortened and no longer right."""
    text = page.read_text(encoding="utf-8")
    left = []

    def differ(block: Block, shown: str, printed: str) -> None:
        nonlocal text
        if "..." in shown:
            left.append(f"{block.place} prints\n{printed}")
        else:
            text = text.replace(shown, printed, 1)

    skipped = {"not run"} if long else {"not run", "long"}
    with tempfile.TemporaryDirectory() as folder:
        session = Session(page, Path(folder), differ)
        for block in own(page):
            if not skipped & set(block.notes):
                session.run(block)
    page.write_text(text, encoding="utf-8")
    return left


def main() -> int:
    """Refresh the pages that are named; 1 where something is left to do by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="run the blocks that take long, too")
    parser.add_argument("pages", nargs="+", type=Path)
    given = parser.parse_args()
    left = [place for page in given.pages for place in refresh(page.resolve(), long=given.long)]
    sys.stdout.write("\n".join(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
