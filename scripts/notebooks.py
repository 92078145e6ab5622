"""Executes the notebooks, renders them as pages, and strips their outputs.

Usage: python scripts/notebooks.py [--html DIR] [--strip] [NOTEBOOK...]

Without options, each notebook is executed against real stores in runs/; the notebooks themselves do not change. With --html,
the executed notebooks are also rendered to DIR as self-contained pages. With --strip, nothing is executed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
TIMEOUT = 1800

STYLE = """
body{margin:0 auto;max-width:76em;padding:1em;font:15px/1.5 system-ui,sans-serif;color-scheme:light dark}
pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.highlight{background:rgba(127,127,127,.1);border-radius:6px;padding:.1em .8em;margin:.8em 0}
.highlight pre{line-height:1.4}.output{overflow-x:auto}.jp-InputPrompt,.jp-OutputPrompt,.prompt{display:none}
table.dataframe{border-collapse:collapse;font-size:13px}
table.dataframe td,table.dataframe th{padding:.2em .6em;border:0;border-bottom:1px solid rgba(127,127,127,.3);text-align:right}
a.anchor-link{display:none}
@media(prefers-color-scheme:dark){DARK}
"""


def read(path: Path) -> NotebookNode:
    """A notebook from disk."""
    return nbformat.read(path, as_version=4)


def strip(book: NotebookNode) -> NotebookNode:
    """The notebook without outputs, execution counts and front-end metadata."""
    for cell in book.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    book.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return book


def execute(book: NotebookNode, folder: Path = NOTEBOOKS) -> NotebookNode:
    """The notebook executed in a folder, with its outputs. Raises CellExecutionError."""
    # Commands in cells are those installed with this Python.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    client = NotebookClient(
        book,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        # Suppresses warnings about the kernel's own sockets.
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    return book


def render(book: NotebookNode, title: str) -> str:
    """An executed notebook as a self-contained page."""
    # A page has no kernel for widgets; the cells before them show the same.
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                output.data = {"text/html": "<p><em>(the explorer, in Jupyter)</em></p>"}
        # Standard error of libraries is noise in a page.
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    exporter = HTMLExporter(config=Config({"HTMLExporter": {"template_name": "basic"}}))
    body, _ = exporter.from_notebook_node(book)
    # Point links between notebooks to their pages.
    body = re.sub(r'href="([\w-]+)\.ipynb"', r'href="\1.html"', body)
    body = re.sub(r'href="(sweeps/[\w.-]+)"', r'href="../../notebooks/\1"', body)
    body = re.sub(r'href="\.\./specs/', 'href="../../specs/', body)
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "monokai"))
    colours = light + STYLE.replace("DARK", re.sub(r"background(-color)?: #\w+;?", "", dark))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{colours}</style></head><body><main>{body}</main></body></html>\n"
    )


def main() -> int:
    """Execute, render or strip the notebooks; returns 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--html", type=Path, metavar="DIR")
    parser.add_argument("--strip", action="store_true")
    options = parser.parse_args()
    failed = 0
    for path in options.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")):
        book = read(path)
        if options.strip:
            path.write_text(nbformat.writes(strip(book)) + "\n", encoding="utf-8")
            continue
        begun = time.monotonic()
        try:
            execute(book)
        except CellExecutionError as error:
            failed = 1
            print(f"{path.name} failed:\n{error}", file=sys.stderr)
            continue
        print(f"{path.name}: {time.monotonic() - begun:.0f} s", flush=True)
        if options.html:
            options.html.mkdir(parents=True, exist_ok=True)
            title = book.cells[0].source.splitlines()[0].removeprefix("# ")
            (options.html / f"{path.stem}.html").write_text(
                render(book, f"tla2py: {title}"), encoding="utf-8"
            )
    return failed


if __name__ == "__main__":
    sys.exit(main())
