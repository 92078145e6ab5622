"""``tla2py prune``."""

from __future__ import annotations

from typing import Annotated

import typer

from tla2py.cli.console import err, show
from tla2py.cli.options import Store as Address
from tla2py.terminal.figures import file_size
from tla2py.text import counted


def prune_command(
    store: Address,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be removed, and remove nothing.")
    ] = False,
) -> None:
    """Remove from a store what none of its points refers to any more.

    That is: the records, outputs, texts and inputs of runs whose module, config or jar has changed since, and of points
    that the sweep file no longer has. A later sweep that comes back to them executes them again.

    Examples:
      tla2py prune runs/NAME --dry-run
      tla2py prune runs/NAME
    """
    # Imported on use, with Arrow.
    from tla2py.store.store import Store
    from tla2py.tables.prune import prune

    opened = Store.open(store)
    unused = prune(opened, dry_run=dry_run)
    if unused.kept:
        err().print(
            f"keeping {counted(unused.kept, 'record')} that no point refers to: an older tla2py did not write which of "
            "them look for checks that cannot fail; sweep this store once more, then prune it",
            soft_wrap=True,
        )
    parts = [counted(count, kind) for kind, count in unused.counts().items()]
    if not parts:
        show(f"nothing to remove from {opened.path}")
        return
    verb = "would remove" if dry_run else "removed"
    show(f"{verb} {', '.join(parts)} from {opened.path}: {file_size(unused.size)}")
