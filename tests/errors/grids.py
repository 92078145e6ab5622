"""Errors in what a sweep file says of its grid."""

from __future__ import annotations

from tests.errors.provoke import Lab, provokes
from tests.errors.sweepfiles import HEAD


@provokes("assigned-twice", "sweep.toml:5:1")
def constant_and_parameter(lab: Lab) -> None:
    lab.plan(HEAD + "[constants]\nMax = 1\n[parameters]\nMax = [1, 2]\n")


@provokes("empty-parameter", "sweep.toml:3:1")
def parameter_without_values(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = []\n")


@provokes("empty-parameter", "sweep.toml:1:1")
def no_module_at_all(lab: Lab) -> None:
    lab.plan("module = []\n")


@provokes("empty-parameter", "sweep.toml:2:1")
def no_config_at_all(lab: Lab) -> None:
    lab.plan(HEAD + "config = []\n")


@provokes("values", "sweep.toml:3:1")
def rule_that_is_none(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = { from = 1 }\n")


@provokes("empty-parameter", "sweep.toml:3:1")
def rule_without_a_step(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = { from = 1, to = 2, step = 0 }\n")


@provokes("values", "sweep.toml:3:1")
def rule_with_too_many_values(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = { from = 1, to = 1000000 }\n")


@provokes("values", "sweep.toml:3:1")
def rule_for_no_name(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = { model_values = "1", sizes = [1] }\n')


@provokes("wrong-type", "sweep.toml:3:1")
def rule_for_no_size(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = { model_values = "b", sizes = [-1] }\n')


@provokes("grid-size", "sweep.toml:2:1")
def too_many_points(lab: Lab) -> None:
    lab.write("Pair.tla", "---- MODULE Pair ----\nCONSTANTS A, B\nVARIABLE x\nSpec == [][x' = x]_x\n====\n")
    rule = "{ from = 1, to = 2000 }"
    lab.plan(f'module = "Pair.tla"\n[parameters]\nA = {rule}\nB = {rule}\n')


@provokes("duplicate-point", "sweep.toml:3:1")
def value_given_twice(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = [1, 1]\n")


@provokes("duplicate-point", "sweep.toml:5:1")
def point_included_twice(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = [1, 2]\n[grid]\ninclude = [{ Max = 1 }]\n")


@provokes("empty-grid", "sweep.toml:5:1")
def every_point_excluded(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Max = 1 }]\n")


@provokes("grid-key", "sweep.toml:5:1")
def excluded_by_no_parameter(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Mex = 1 }]\n")


@provokes("grid-key", "sweep.toml:5:1")
def repeated_check(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMax = [1]\n[grid]\nrepeat = 2\n")


@provokes("grid-key", "sweep.toml:5:1")
def zipped_twice(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1]\n[grid]\nzip = [["Max", "Max"]]\n')


@provokes("unknown-name", "sweep.toml:5:1")
def predicate_of_an_unknown_name(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Mex > 1"\n')


@provokes("not-a-predicate", "sweep.toml:5:1")
def predicate_that_is_a_number(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max + 1"\n')


@provokes("not-a-value", "sweep.toml:5:1")
def predicate_that_adds_text(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max > TRUE"\n')


@provokes("not-understood", "sweep.toml:5:1")
def predicate_of_an_action(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "ENABLED Up"\n')
