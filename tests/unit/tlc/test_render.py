"""Configs rendered from the default template and from a sweep's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.model.model import Assignment, Config, Substitution
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.config.render import default_template, render_config

CONFIG = Config(
    specification="Spec",
    assignments=(Assignment("N", "3"), Assignment("S", "{a, b}")),
    substitutions=(Substitution("Nat", "SmallNat"), Substitution("Seq", "[Sequences] BoundedSeq")),
    invariants=("Inv", "TypeOk"),
    properties=("Live",),
    symmetry="Sym",
)


def test_the_text_of_a_config() -> None:
    assert render_config(CONFIG, default_template()) == (
        "\\* Written by tla2py.\n"
        "SPECIFICATION Spec\n"
        "CONSTANTS\n"
        "  N = 3\n"
        "  S = {a, b}\n"
        "  Nat <- SmallNat\n"
        "  Seq <- [Sequences] BoundedSeq\n"
        "INVARIANTS\n"
        "  Inv\n"
        "  TypeOk\n"
        "PROPERTIES\n"
        "  Live\n"
        "SYMMETRY Sym\n"
    )


def test_what_is_empty_leaves_no_trace() -> None:
    text = render_config(Config(init="Init", next="Next"), default_template())
    assert text.splitlines()[1:] == ["INIT Init", "NEXT Next"]


def test_deadlock_is_told_to_the_reader_since_old_configs_cannot_say_it() -> None:
    text = render_config(replace(CONFIG, check_deadlock=False), default_template())
    assert "-deadlock" in text.splitlines()[0]
    assert "CHECK_DEADLOCK" not in text
    assert text.splitlines()[1:] == render_config(CONFIG, default_template()).splitlines()[1:]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ config.specifications }}", "specifications"),
        ("{{ model }}", "'model' is undefined"),
        ("{% if config.nothing %}x{% endif %}", "nothing"),
        ("{% for i in invariants %}{{ i }}{% endfor %}", "'invariants' is undefined"),
    ],
)
def test_an_undefined_name_is_an_error(template: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        render_config(CONFIG, template, where="own.cfg.j2")
    assert raised.value.code == "template"
    assert raised.value.where == "own.cfg.j2:1"
    assert "config" in str(raised.value.hint)


def test_what_is_no_template_is_told_with_its_line() -> None:
    with pytest.raises(InputError) as raised:
        render_config(CONFIG, "INIT Init\n{% if %}\n", where="own.cfg.j2")
    assert (raised.value.code, raised.value.where) == ("template", "own.cfg.j2:2")


def test_what_fails_while_rendering_is_an_error() -> None:
    with pytest.raises(InputError) as raised:
        render_config(CONFIG, "{{ 1 // 0 }}", where="own.cfg.j2")
    assert (raised.value.code, raised.value.where) == ("template", "own.cfg.j2:1")


def test_a_sweep_may_name_its_own_template(load: LoadSweep, tmp_path: Path) -> None:
    (tmp_path / "own.cfg.j2").write_text(
        "{% for name, value in config.assignments %}CONSTANT {{ name }} = {{ value }}\n{% endfor %}"
        "SPECIFICATION {{ config.specification }}\n"
    )
    head = 'module = "Counter.tla"\ntemplate = "own.cfg.j2"\n'
    plan = plan_sweep(load(head + "[parameters]\nMax = [1, 2]\n"), "jar")
    assert [run.config_text for run in plan.runs] == [
        f"CONSTANT Max = {n}\nSPECIFICATION Spec\n" for n in (1, 2)
    ]


def test_mistakes_in_its_template_name_the_file(load: LoadSweep, tmp_path: Path) -> None:
    head = 'module = "Counter.tla"\ntemplate = "own.cfg.j2"\n[constants]\nMax = 1\n'
    with pytest.raises(InputError, match=r"own\.cfg\.j2") as raised:
        load(head)
    assert raised.value.code == "template-missing"
    assert raised.value.where == f"{tmp_path / 'sweep.toml'}:2:1"
    (tmp_path / "own.cfg.j2").write_text("\n\n{{ config.invariant }}\n")
    with pytest.raises(InputError, match="invariant") as raised:
        plan_sweep(load(head), "jar")
    assert raised.value.where == f"{tmp_path / 'own.cfg.j2'}:3"


@pytest.mark.parametrize(
    "template", ["{{ 'a' * 10 ** 10 }}", "{{ 'a' * 10 ** 9 }}" * 3, "{{ " + "(" * 3000 + ")" * 3000 + " }}"]
)
def test_a_template_takes_no_more_memory_than_it_may(template: str) -> None:
    with pytest.raises(InputError) as raised:
        render_config(CONFIG, template, where="own.cfg.j2")
    assert raised.value.code == "template"
    # The next one is rendered all the same.
    assert render_config(CONFIG, "INIT {{ config.init }}\n") == f"INIT {CONFIG.init}\n"


@pytest.mark.faults
@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{{ f(n + 1) if n < 99 }}{{ f(n + 1) if n < 99 }}{% endmacro %}{{ f(0) }}",
    ],
)
def test_a_template_that_does_not_end(template: str) -> None:
    with pytest.raises(InputError, match="seconds") as raised:
        render_config(CONFIG, template, where="own.cfg.j2")
    assert (raised.value.code, raised.value.where) == ("template", "own.cfg.j2")
    assert render_config(CONFIG, "INIT {{ config.init }}\n") == f"INIT {CONFIG.init}\n"
