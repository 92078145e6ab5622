"""Errors in what a sweep file says of its grid."""

from __future__ import annotations

from tests.errors.provoke import Lab, provokes
from tests.errors.sweepfiles import HEAD


@provokes("grid-size", "sweep.toml:2:1")
def too_many_points(lab: Lab) -> None:
    lab.write("Pair.tla", "---- MODULE Pair ----\nCONSTANTS A, B\nVARIABLE x\nSpec == [][x' = x]_x\n====\n")
    rule = "{ from = 1, to = 2000 }"
    lab.plan(f'module = "Pair.tla"\n[parameters]\nA = {rule}\nB = {rule}\n')


provokes.plans(
    HEAD,
    ("assigned-twice", "5:1", "[constants]\nMax = 1\n[parameters]\nMax = [1, 2]\n"),
    ("empty-parameter", "3:1", "[parameters]\nMax = []\n"),
    ("empty-parameter", "2:1", "config = []\n"),
    ("values", "3:1", "[parameters]\nMax = { from = 1 }\n"),
    ("duplicate-point", "3:1", "[parameters]\nMax = [1, 1]\n"),
    ("empty-grid", "5:1", "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Max = 1 }]\n"),
    ("grid-key", "5:1", "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Mex = 1 }]\n"),
    ("unknown-name", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Mex > 1"\n'),
    ("not-a-predicate", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max + 1"\n'),
    ("not-a-value", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max > TRUE"\n'),
    ("not-understood", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "ENABLED Up"\n'),
)

provokes.rows(("empty-parameter", "sweep.toml:1:1", lambda lab: lab.plan("module = []\n")))
