"""Configs as text, and wrapper modules for what a config cannot say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import COUNTER
from tests.raising import raises
from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.model.model import Assignment, Config, Model, Substitution
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.wrapper import build_config

CONFIG = Config(
    specification="Spec",
    assignments=(Assignment("N", "3"), Assignment("S", "{a, b}")),
    substitutions=(Substitution("Nat", "SmallNat"), Substitution("Seq", "[Sequences] BoundedSeq")),
    invariants=("Inv", "TypeOk"),
    properties=("Live",),
    symmetry="Sym",
)


TEXT = """\
\\* Written by tla2py.
SPECIFICATION Spec
CONSTANTS
  N = 3
  S = {a, b}
  Nat <- SmallNat
  Seq <- [Sequences] BoundedSeq
INVARIANTS
  Inv
  TypeOk
PROPERTIES
  Live
SYMMETRY Sym
"""


def test_the_text_of_a_config() -> None:
    assert render_config(CONFIG, default_template()) == TEXT
    # What is empty leaves no trace.
    text = render_config(Config(init="Init", next="Next"), default_template())
    assert text.splitlines()[1:] == ["INIT Init", "NEXT Next"]
    # Deadlock is told to the reader, since old configs cannot say it.
    text = render_config(replace(CONFIG, check_deadlock=False), default_template())
    assert "-deadlock" in text.splitlines()[0]
    assert "CHECK_DEADLOCK" not in text
    assert text.splitlines()[1:] == render_config(CONFIG, default_template()).splitlines()[1:]


@pytest.mark.parametrize(
    ("template", "line", "said"),
    [
        ("{{ config.specifications }}", 1, "specifications"),
        ("{{ model }}", 1, "'model' is undefined"),
        ("{% if config.nothing %}x{% endif %}", 1, "nothing"),
        ("{% for i in invariants %}{{ i }}{% endfor %}", 1, "'invariants' is undefined"),
        ("INIT Init\n{% if %}\n", 2, ""),
        ("{{ 1 // 0 }}", 1, ""),
        # No template is a program.
        ("{{ config.__class__.__init__.__globals__['__builtins__']['open']('stolen', 'w') }}", 1, "unsafe"),
    ],
)
def test_a_mistake_in_a_template_is_told_with_its_line(template: str, line: int, said: str) -> None:
    raised = raises(InputError, render_config, CONFIG, template, where="own.cfg.j2", match=said or None)
    assert (raised.code, raised.where) == ("template", f"own.cfg.j2:{line}")
    assert not said or "config" in str(raised.hint)


def test_a_template_takes_no_more_memory_than_it_may() -> None:
    deep = "(" * 3000 + ")" * 3000
    for template in ("{{ 'a' * 10 ** 10 }}", "{{ 'a' * 10 ** 9 }}" * 3, f"{{{{ {deep} }}}}"):
        assert raises(InputError, render_config, CONFIG, template, where="own.cfg.j2").code == "template"
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
    raised = raises(InputError, render_config, CONFIG, template, where="own.cfg.j2", match="seconds")
    assert (raised.code, raised.where) == ("template", "own.cfg.j2")
    assert render_config(CONFIG, "INIT {{ config.init }}\n") == f"INIT {CONFIG.init}\n"


@pytest.fixture
def model(load: LoadSweep) -> Model:
    """Box with values that a config can express, except functions."""
    values = 'Low = 0\nOrigin = "<<0, 1>>"\nWho = "{a, b}"\nTable = "[w \\\\in Who |-> 0]"\n'
    sweep = load('module = "Box.tla"\n[constants]\n' + values + 'Pick = "LAMBDA x, y : x"\n')
    return sweep.model(sweep.points[0])


def with_constant(model: Model, name: str, text: str) -> Model:
    constants = tuple(Assignment(n, text if n == name else t) for n, t in model.constants)
    return replace(model, constants=constants)


def built(model: Model) -> tuple[Config, str, str]:
    config, main, wrapper = build_config(model)
    assert wrapper is not None
    return config, main, wrapper


def body(wrapper: str, name: str) -> str:
    """A definition in a wrapper, up to the next empty line."""
    return wrapper[wrapper.index(f"\nMC_{name}") + 1 :].partition("\n\n")[0]


def test_no_module_is_written_where_none_is_needed(load: LoadSweep, tmp_path: Path) -> None:
    sweep = load('module = "Counter.tla"\n[parameters]\nMax = [1, "Max", "{a}"]\n')
    for point, value in zip(sweep.points, ("1", "Max", "{a}"), strict=True):
        config, main, wrapper = build_config(sweep.model(point))
        assert (main, wrapper) == ("Counter", None)
        assert config.assignments == (("Max", value),)
    # The wrapper has the name of no module.
    (tmp_path / "MC_Mine.tla").write_text("---- MODULE MC_Mine ----\n====\n")
    mine = COUNTER.replace("Counter", "Mine").replace("Naturals", "Naturals, MC_Mine")
    (tmp_path / "Mine.tla").write_text(mine)
    sweep = load('module = "Mine.tla"\n[model]\ninit = "Init"\nnext = "Next"\n[constants]\nMax = "1 + 1"\n')
    _, main, wrapper = built(sweep.model(sweep.points[0]))
    assert main == "MC_Mine_"
    assert wrapper.startswith("---- MODULE MC_Mine_ ----\n")


def test_the_wrapper_module(model: Model) -> None:
    config, main, wrapper = built(model)
    assert main == "MC_Box"
    assert config.assignments == (("Low", "0"), ("Who", "{a, b}"), ("Nil", "Nil"))
    assert config.substitutions == (("Origin", "MC_Origin"), ("Table", "MC_Table"), ("Pick", "MC_Pick"))
    assert wrapper == (
        "---- MODULE MC_Box ----\n\\* Written by tla2py: what a config cannot say.\nEXTENDS Box\n\n"
        "MC_Origin ==\n  <<0, 1>>\n\nMC_Table ==\n  [w \\in Who |-> 0]\n\nMC_Pick(x, y) ==\n  x\n\n====\n"
    )


def test_the_name_of_a_definition_is_substituted_not_made_a_model_value(model: Model) -> None:
    config, _, wrapper = built(with_constant(model, "Low", "Limit"))
    assert dict(config.substitutions)["Low"] == "Limit"
    assert "MC_Low" not in wrapper
    config, _, wrapper = built(with_constant(model, "Who", "{Limit, b}"))
    assert body(wrapper, "Who") == "MC_Who ==\n  {Limit, b}"
    assert "CONSTANTS b" in wrapper
    assert ("b", "b") in config.assignments
    # One name is replaced in two modules.
    both = replace(model, replacements=(Substitution("Top", "0..2"), Substitution("[Naturals]Top", "0..3")))
    config, _, wrapper = built(both)
    assert dict(config.substitutions[-2:]) == {"Top": "[Naturals] MC_Top_"}
    assert [value for _, value in config.substitutions[-2:]] == ["MC_Top", "[Naturals] MC_Top_"]
    assert (body(wrapper, "Top ==").split()[-1], body(wrapper, "Top_ ==").split()[-1]) == ("0..2", "0..3")


@pytest.mark.parametrize(
    ("name", "value", "has", "lacks"),
    [
        ("Table", "[w \\in {a, c} |-> IF w = a THEN fast ELSE Low]", "CONSTANTS a, c, fast\n", ""),
        # What an expression binds is no model value.
        ("Pick", "LAMBDA p, q : LET r == p IN {s \\in {q} : s = r}", "", "CONSTANTS"),
        # The standard modules that it needs are extended.
        ("Origin", "<<0, Cardinality({})>>", "EXTENDS Box\n", ""),
        ("Origin", "(1 :> 0 @@ 2 :> Len(ToString(1)))", "EXTENDS Box, TLC\n", ""),
        # Names do not clash.
        ("Low", "-1 + MC_Low", "MC_Low_ ==\n  -1 + MC_Low\n", ""),
    ],
)
def test_what_expressions_need(model: Model, name: str, value: str, has: str, lacks: str) -> None:
    config, _, wrapper = built(with_constant(model, name, value))
    assert has in wrapper
    assert not lacks or lacks not in wrapper
    if name == "Table":
        assert config.assignments[-3:] == (("a", "a"), ("c", "c"), ("fast", "fast"))


def test_symmetry_of_constants(model: Model) -> None:
    config, _, wrapper = built(replace(model, permuted=("Who", "Low")))
    assert config.symmetry == "MC_symmetry"
    assert body(wrapper, "symmetry") == "MC_symmetry ==\n  Permutations(Who) \\union Permutations(Low)"
    assert "EXTENDS Box, TLC\n" in wrapper
    assert built(replace(model, config=replace(model.config, symmetry="Sym")))[0].symmetry == "Sym"
    assert built(model)[0].symmetry is None
    # Nothing is permuted in a set of one.
    single = replace(with_constant(model, "Who", "{w1}"), permuted=("Who", "Low"))
    assert body(built(single)[2], "symmetry") == "MC_symmetry ==\n  Permutations(Low)"
    assert built(replace(single, permuted=("Who",)))[0].symmetry is None


def test_columns_are_kept(model: Model) -> None:
    _, _, wrapper = built(with_constant(model, "Low", "/\\ TRUE => FALSE\n/\\ Low2"))
    assert body(wrapper, "Low") == "MC_Low ==\n  /\\ TRUE => FALSE\n  /\\ Low2"
    _, _, wrapper = built(with_constant(model, "Pick", "LAMBDA x, y : /\\ x => y\n              /\\ x"))
    assert body(wrapper, "Pick") == "MC_Pick(x, y) ==\n  /\\ x => y\n  /\\ x"
    _, _, wrapper = built(with_constant(model, "Pick", "LAMBDA x,\n  y :\n    \\/ x => y\n    \\/ x"))
    assert body(wrapper, "Pick").endswith("==\n  \\/ x => y\n  \\/ x")


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("Low", "1 +", "expression-syntax", "1 +"),
        ("Low", "LAMBDA x : x", "wrong-arity", "Low takes 0 arguments"),
        ("Pick", "Low + 1", "wrong-arity", "Pick takes 2 arguments"),
        ("Pick", "LAMBDA x : x", "wrong-arity", "write LAMBDA x, y"),
        ("Pick", "3", "wrong-arity", "Pick takes 2 arguments"),
        # Without arguments the name would be a model value.
        ("Low", "Twice(2)", "unknown-name", "Twice is not defined in "),
        ("Pick", "LAMBDA x, y : Picc(x, y)", "unknown-name", "did you mean Pick?"),
        ("Low", "1 == 2\nOther == 3", "expression-syntax", "not a TLA+ expression"),
    ],
)
def test_what_cannot_stand_in_a_module(model: Model, name: str, value: str, code: str, said: str) -> None:
    raised = raises(InputError, lambda: build_config(with_constant(model, name, value)))
    assert raised.code == code
    assert said in str(raised)
