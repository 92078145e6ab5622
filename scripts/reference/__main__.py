"""Rewrites the generated pages and prints the names of those that changed."""

from __future__ import annotations

from scripts.reference.pages import PAGES, ROOT


def main() -> None:
    """Write the pages into docs/."""
    for name, text in PAGES.items():
        path = ROOT / name
        made = text()
        if not path.is_file() or path.read_text(encoding="utf-8") != made:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made, encoding="utf-8")
            print(f"wrote {name}")


main()
