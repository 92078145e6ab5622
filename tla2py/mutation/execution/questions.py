"""What a run of a mutant is asked, and nothing besides."""

from __future__ import annotations

from dataclasses import replace

from tla2py.model.run import Run, TlcOptions


def first_violation(run: Run) -> Run:
    """The run, up to the first violation."""
    return replace(run, options=_plain(run.options))


def each_check(run: Run) -> Run:
    """The run, which answers for each check whether it is violated."""
    return replace(run, options=replace(_plain(run.options), find="each"))


def with_graph(run: Run) -> Run:
    """The run, which writes its state graph."""
    return replace(run, options=replace(_plain(run.options), graph=True))


def _plain(options: TlcOptions) -> TlcOptions:
    return replace(options, find="first", coverage=False, graph=False, behaviours=False)
