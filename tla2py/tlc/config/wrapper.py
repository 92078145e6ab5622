"""The config of a model, with a wrapper module that extends the root for values that a config cannot express."""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from tla2py.errors import InputError, Place
from tla2py.model.model import (
    LOG_TAG,
    Assignment,
    Config,
    Model,
    Position,
    Substitution,
    bare_name,
    is_expression,
)
from tla2py.text import counted, did_you_mean
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import BRINGS, Constant, Definition, standard_module_of
from tla2py.tla.parse import parse_expression, without_place
from tla2py.tla.replacement import Miss, MissedUse, Node, Replacement, split_module
from tla2py.tlc.config.statements import SINGULAR, literal_names, literal_text
from tla2py.toml import value_text

# The second line of every wrapper module.
WRITTEN = "\\* Written by tla2py: what a config cannot say."
# The register of TLCSet that holds how far a log was explained; users count from 0.
_REGISTER = 4099


def is_wrapper(text: str) -> bool:
    """Whether a text is that of a wrapper module."""
    return WRITTEN in text[:400]


@dataclass(slots=True)
class _Wrapper:
    """The definitions of a wrapper module."""

    spec: ModuleGraph
    definitions: list[str] = field(default_factory=list)
    standard: set[str] = field(default_factory=set)
    model_values: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    assumptions: list[str] = field(default_factory=list)

    def define(self, name: str, parameters: str, body: str) -> str:
        """The name of a new definition with this body."""
        wrapped = "MC_" + re.sub(r"\W", "_", name)
        while wrapped in self.spec.definitions or wrapped in self.model_values | self.names:
            wrapped += "_"
        self.names.add(wrapped)
        self.definitions.append(f"{wrapped}{parameters} ==\n{textwrap.indent(body, '  ')}")
        return wrapped


def build_config(
    model: Model, where: Callable[[str, str], str] | None = None
) -> tuple[Config, str, str | None]:
    """The config, the name of the module to start TLC on, and the text of the wrapper module if one is needed.

    ``where(name, before)`` is the place where the value of a constant or definition, or an expression itself, is written,
    after its beginning ``before``. Raises InputError (``expression-syntax``, ``unknown-name``, ``wrong-arity``) for an invalid value.
    """
    spec = model.spec
    wrapper = _Wrapper(spec)
    assignments = list(model.config.assignments)
    substitutions = list(model.config.substitutions)
    known = _model_values(model)
    reserved = _reserved(model)
    for name, text in model.constants:
        names = literal_names(text)
        if names is not None and not names & (reserved - {name}) and not arity_of(spec, name):
            assignments.append(Assignment(name, literal_text(text)))
        else:
            with _place_errors(name, text, where):
                substitutions.append(Substitution(name, _definition(wrapper, model, name, text, known)))
    written_by: dict[Node | None, str] = {}
    for name, text in model.replacements:
        with _place_errors(name, text, where):
            declared = spec.replacements.declared(*split_module(name))
            _check_once(name, declared, written_by)
            definition = _definition(wrapper, model, name, text, known)
            for side in _left_sides(model, name, text):
                inside = f"[{side.module}] " if side.module else ""
                substitutions.append(Substitution(side.name, inside + definition))
    symmetry = model.config.symmetry
    if model.permuted:
        # TLC fails on the permutations of a set with one element (in util.Set).
        values = dict([*model.config.assignments, *model.constants])
        if permuted := [name for name in model.permuted if not is_single(values.get(name, ""))]:
            wrapper.standard.add("TLC")
            body = " \\union ".join(f"Permutations({name})" for name in permuted)
            symmetry = wrapper.define("symmetry", "", body)
    expressions, numbers = dict[str, str](), Counter[str]()
    for key, text in model.config.names():
        if key in SINGULAR and is_expression(text) and text not in expressions:
            with _place_errors(text, text, where):
                _use(wrapper, text, known | wrapper.model_values, lenient=False)
                numbers[key] += 1
                expressions[text] = wrapper.define(f"{SINGULAR[key]}_{numbers[key]}", "", text)
    assignments += [Assignment(name, name) for name in sorted(wrapper.model_values)]
    counted = _with_progress(wrapper, model.config, model.position) if model.position else model.config
    config = replace(
        counted,
        assignments=tuple(assignments),
        substitutions=tuple(substitutions),
        symmetry=symmetry,
        expressions=tuple(Assignment(name, text) for text, name in expressions.items()),
    )
    if not wrapper.definitions and model.extension is None:
        return config, spec.root.name, None
    main = f"MC_{spec.root.name}"
    while any(main == module.name for module in spec.modules):
        main += "_"
    extends = model.extension.extends if model.extension else (spec.root.name,)
    return config, main, _wrapper_text(main, wrapper, extends)


def _check_once(name: str, declared: Node | None, written_by: dict[Node | None, str]) -> None:
    """Note which name gives a definition its value. Raises InputError (``assigned-twice``) for a second one."""
    if declared is None:
        return
    first = written_by.setdefault(declared, name)
    if first != name:
        raise InputError(
            "assigned-twice",
            f"{first} and {name} are the same definition, the {declared.name} of {declared.module}",
            hint="keep one of them",
        )


def _left_sides(model: Model, name: str, text: str) -> list[Replacement]:
    """Return the left sides by which a config replaces the definition ``name`` wherever the model uses it.

    Raises InputError (``substitution-instance``) where no config can.
    """
    nodes, (left, module) = model.spec.replacements, split_module(name)
    written = Replacement(left, module)
    declared = nodes.declared(left, module)
    if declared is None or (module is None and left in {each.name for each in model.spec.constants}):
        return [written]
    copy = module is not None and nodes.node(module, left) not in (declared, None)
    if copy and standard_module_of(left) is None:
        raise InputError(
            "substitution-instance",
            f"{module} has {left} by INSTANCE of {declared.module}, and TLC would replace it in {module} only",
            hint=f'write "[{declared.module}]{declared.name}", which replaces it wherever it is used',
        )
    if "!" in left and not nodes.is_nested(declared) and nodes.is_shared(declared):
        raise InputError(
            "substitution-instance",
            f"TLC cannot replace {left} alone: {declared.module} has other instances, or is extended too",
            hint=f'write "[{declared.module}]{declared.name}", which replaces {declared.name} in all of them',
        )
    named = {each for _, each in model.config.names()}
    sides = nodes.chosen(declared, written, named)
    used = " ".join([text, *named, *(value for _, value in (*model.constants, *model.replacements))])
    missed = nodes.missed(declared, sides, named, set(re.findall(r"[\w!]+", used)))
    if missed is not None:
        raise explain_miss(missed, declared)
    return sides


def explain_miss(missed: MissedUse, declared: Node) -> InputError:
    """Return the error that no config can replace a definition at one of its uses, with what to do instead."""
    if missed.miss is Miss.PARAMETERS:
        return InputError(
            "substitution-instance",
            f"{missed.name} cannot be replaced: its instance has parameters, and TLC stops at {missed.where}",
            hint=f"make {declared.name} a constant of {declared.module}, or define it there in terms of a constant",
        )
    if missed.miss is Miss.IN_LET:
        return InputError(
            "substitution-instance",
            f"{missed.name} cannot be replaced, because its INSTANCE is inside a LET: "
            f"at {missed.where} TLC would still use the original definition in {declared.module}",
            hint="write the INSTANCE outside of the LET",
        )
    return InputError(
        "substitution-instance",
        f"{declared.name} cannot be replaced, because {declared.module} is nested in another module: "
        f"at {missed.where} TLC would still use the original definition",
        hint=f"put {declared.module} in a file of its own, or make {declared.name} a constant of it",
    )


def _with_progress(wrapper: _Wrapper, config: Config, position: Position) -> Config:
    """The config with constraints that are always true and print each new maximum of a position.

    They come last, so that a state that another one rejects does not count. TLC evaluates action constraints after the
    others, so if there are any, it is such a constraint that prints the position before and after a step.
    """
    wrapper.assumptions.append(f"TLCSet({_REGISTER}, 0)")
    before = _progress(wrapper, position, f"({position.expression})")
    if not config.action_constraints:
        return replace(config, constraints=(*config.constraints, before))
    after = _progress(wrapper, position, f"({position.expression})'")
    return replace(config, action_constraints=(before, *config.action_constraints, after))


def _progress(wrapper: _Wrapper, position: Position, at: str) -> str:
    """The name of a definition that is true and prints the position ``at`` if it is a new maximum.

    A value printed has the tag and the position; then, if the sequence is known, its length and its element there.
    """
    entries = position.entries
    found = f"{at}, {position.length}" if position.length else at
    if entries:
        found += f", Len({entries}), IF {at} \\in 1..Len({entries}) THEN {entries}[{at}] ELSE {{}}"
    wrapper.standard |= {"TLC", "Naturals", *(["Sequences"] if entries else [])}
    body = (
        f"IF {at} >= TLCGet({_REGISTER})\n"
        f'THEN TLCSet({_REGISTER}, {at} + 1) /\\ PrintT(<<"{LOG_TAG}", {found}>>)\n'
        "ELSE TRUE"
    )
    return wrapper.define("log", "", body)


def is_single(text: str) -> bool:
    """Whether a value is a set of one model value."""
    return text.startswith("{") and "," not in text and len(literal_names(text) or ()) == 1


@contextlib.contextmanager
def _place_errors(name: str, text: str, where: Callable[[str, str], str] | None) -> Iterator[None]:
    """Add the place of a value to errors about it."""
    try:
        yield
    except InputError as error:
        message, before = without_place(text, error.message)
        place = error.where or (where(name, before) if where else None)
        # An option has no lines.
        told = message if Place.parse(place or "").line else error.message
        raise InputError(error.code, told, where=place, hint=error.hint) from error


def _definition(wrapper: _Wrapper, model: Model, name: str, text: str, known: frozenset[str]) -> str:
    """The name of a definition for a value: one of the module, or a new one in the wrapper."""
    spec = wrapper.spec
    name, module = split_module(name)
    replaced = {bare_name(n) for n, _ in (*model.replacements, *model.config.substitutions)}
    # TLC allows no name on both sides of <-, even if it is replaced in only one module.
    if text in spec.definitions and "!" not in text and text not in replaced:
        return text
    arity = _arity_to_replace(spec, name, module)
    parameters, body = _split_lambda(text)
    if arity is not None and arity != (parameters.count(",") + 1 if parameters else 0):
        raise InputError(
            "wrong-arity",
            f"{name} takes {counted(arity, 'argument')}, but its value {text!r} does not",
            hint=f"write LAMBDA {', '.join('xyzuvw'[:arity])} : ..."
            if arity
            else "write an expression without parameters",
        )
    _use(wrapper, text, known, lenient=True)
    return wrapper.define(name, f"({parameters})" if parameters else "", body)


def _use(wrapper: _Wrapper, text: str, known: frozenset[str], *, lenient: bool) -> None:
    """Declare what a text uses; in a ``lenient`` one an undefined name is a model value, as in a config."""
    spec = wrapper.spec
    parameters, body = _split_lambda(text)
    expression = _parsed(body)
    undeclared = undeclared_names(text, spec)
    for name in sorted(undeclared & expression.applied if lenient else undeclared - known):
        raise InputError(
            "unknown-name",
            f"{name} is not defined in {spec.root.name}",
            hint=did_you_mean(name, sorted(_visible(spec)), "'tla2py inspect' lists what a module defines"),
        )
    wrapper.model_values |= undeclared | (_names(parameters, body) & known)
    wrapper.standard |= expression.standard


def undeclared_names(text: str, spec: ModuleGraph) -> frozenset[str]:
    """The undeclared names in a value, each a model value. Raises InputError (``expression-syntax``)."""
    names = _names(*_split_lambda(text))
    return frozenset(name for name in names - _visible(spec) if standard_module_of(name) is None)


def _visible(spec: ModuleGraph) -> set[str]:
    """The names that a value may use."""
    return {c.name for c in spec.constants} | {v.name for v in spec.variables} | spec.definitions.keys()


def _split_lambda(text: str) -> tuple[str, str]:
    """The parameters and the body of a LAMBDA; any other value has no parameters."""
    found = re.fullmatch(r"\s*LAMBDA\s+([\w\s,]+?)\s*:(.*)", text, re.DOTALL)
    if found is None:
        return "", text.strip()
    # Keep the alignment of lines: columns matter in a list of conjuncts.
    column = found.start(2) - text.rfind("\n", 0, found.start(2)) - 1
    return found[1], value_text(" " * column + found[2])


def _names(parameters: str, body: str) -> frozenset[str]:
    """The free names of a value."""
    return _parsed(body).names - {part.strip() for part in parameters.split(",")}


def _model_values(model: Model) -> frozenset[str]:
    """The model values that the assignments make; a module must declare those it uses."""
    texts = (text for _, text in (*model.constants, *model.config.assignments))
    found = {name for text in texts for name in literal_names(text) or ()}
    return frozenset(found - model.spec.definitions.keys() - {c.name for c in model.spec.constants})


# Ten thousand points have few different values.
_parsed = lru_cache(maxsize=1 << 12)(parse_expression)


def _reserved(model: Model) -> frozenset[str]:
    """The names that are not model values: definitions, and constants whose value is not their own name."""
    pairs = (*model.constants, *model.config.assignments)
    assigned = {name for name, text in pairs if text.strip() != name}
    replaced = {name for name, _ in (*model.replacements, *model.config.substitutions)}
    constants = {constant.name for constant in model.spec.constants}
    return frozenset(((assigned | replaced) & constants) | model.spec.definitions.keys())


def _arity_to_replace(spec: ModuleGraph, name: str, module: str | None) -> int | None:
    """Return the arity of what replaces a definition: one of ``W(_)!Limit`` counts without the parameters of W."""
    declared = spec.replacements.declared(name, module) if "!" in name else None
    within = arity_of(spec, declared.name, declared.module) if declared is not None else None
    return arity_of(spec, name, module) if within is None else within


def arity_of(spec: ModuleGraph, name: str, module: str | None = None) -> int | None:
    """The arity of a constant or definition, perhaps of another ``module``; None for one of a standard module, such as Seq."""
    if module is None and name in spec.definitions:
        return spec.definitions[name].arity
    declared: list[Constant | Definition] = [*spec.constants]
    if module is not None:
        owner = next((each for each in spec.modules if each.name == module), None)
        declared = [*owner.constants, *owner.definitions] if owner is not None else []
    return next((each.arity for each in declared if each.name == name), None)


def _wrapper_text(main: str, wrapper: _Wrapper, modules: Sequence[str]) -> str:
    spec = wrapper.spec
    # What another module instantiates for itself cannot be seen.
    seen = {each.module for module in spec.extended for each in module.extends}
    instances = (each for module in spec.extended for each in module.instances)
    seen |= {each.module for each in instances if each.name is None and not each.local}
    available = seen | {m for s in seen for m in BRINGS.get(s, ())}
    brought = {module for each in wrapper.standard for module in BRINGS.get(each, ())}
    extends = [*modules, *sorted(wrapper.standard - available - brought)]
    parts = [f"---- MODULE {main} ----\n{WRITTEN}\nEXTENDS {', '.join(extends)}"]
    if wrapper.model_values:
        parts.append(f"CONSTANTS {', '.join(sorted(wrapper.model_values))}")
    assumptions = (f"ASSUME {each}" for each in wrapper.assumptions)
    return "\n\n".join([*parts, *wrapper.definitions, *assumptions, "====\n"])
