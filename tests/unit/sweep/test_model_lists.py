"""Lists of [model] as parameters: which invariants and properties are checked may vary from point to point."""

from __future__ import annotations

import pytest

from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.sweep.plan import plan_sweep

HEAD = 'module = "Counter.tla"\n[constants]\nMax = 1\n'


def test_each_value_of_a_list_is_the_names_of_one_point(load: LoadSweep) -> None:
    sweep = load(
        HEAD + '[parameters]\ninvariants = ["", "Small", "Small, Init"]\nproperties = ["", "Small"]\n'
    )
    configs = [run.config for run in plan_sweep(sweep, "jar").runs]
    assert [(config.invariants, config.properties) for config in configs] == [
        (invariants, properties)
        for invariants in ((), ("Small",), ("Small", "Init"))
        for properties in ((), ("Small",))
    ]


def test_a_parameter_goes_before_the_list_of_the_model(load: LoadSweep) -> None:
    text = '[model]\ninvariants = ["Small"]\nconstraints = ["Small"]\n[parameters]\ninvariants = [""]\n'
    (run,) = plan_sweep(load(HEAD + text), "jar").runs
    assert run.config.invariants == ()
    assert run.config.constraints == ("Small",)


def test_a_name_that_is_no_definition_is_told_at_its_place(load: LoadSweep) -> None:
    sweep = load(HEAD + '[parameters]\nproperties = ["Small, Smal"]\n')
    with pytest.raises(InputError, match="Smal") as raised:
        plan_sweep(sweep, "jar")
    assert raised.value.code == "unknown-definition"
    assert "Small?" in str(raised.value.hint)
    assert ".toml:5:23" in str(raised.value)
