"""Executes the notebooks, renders them to pages, and strips what an execution left in them.

Usage: python scripts/notebooks.py [--html DIR] [--strip] [NOTEBOOK...]

Without options each notebook is executed against real stores, in runs/, and nothing is written but those. With --html the
executed notebooks are also rendered to DIR, a self-contained page each. With --strip nothing is executed.
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
    """The notebook without outputs, counts and what a front end has put into it."""
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
    """The notebook with its outputs, executed in a folder. Raises CellExecutionError."""
    # The kernel is this Python, whatever kernels a user has registered, and finds the commands beside it.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    client = NotebookClient(
        book,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        # The kernel warns of its own sockets.
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    return book


def render(book: NotebookNode, title: str) -> str:
    """An executed notebook as a page that needs nothing else."""
    # A widget has no server in a page; what it stands for is shown by the cells before it.
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                output.data = {"text/html": "<p><em>(an interactive stepper, in Jupyter)</em></p>"}
        # What libraries write on standard error is noise in a page.
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    exporter = HTMLExporter(config=Config({"HTMLExporter": {"template_name": "basic"}}))
    body, _ = exporter.from_notebook_node(book)
    # Links between notebooks lead to their pages here.
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
    """Do what the command line asks for; 1 if a notebook failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--html", type=Path, metavar="DIR")
    parser.add_argument("--strip", action="store_true")
    given = parser.parse_args()
    failed = 0
    for path in given.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")):
        book = read(path)
        if given.strip:
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
        if given.html:
            given.html.mkdir(parents=True, exist_ok=True)
            title = book.cells[0].source.splitlines()[0].removeprefix("# ")
            (given.html / f"{path.stem}.html").write_text(render(book, f"tla2py: {title}"), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
