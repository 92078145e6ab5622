"""Rules on what a config says of constants and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.config.literal import literal_names
from tla2py.config.statements import Binding
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Subject
from tla2py.lint.values import mistaken_names
from tla2py.syntax import ModuleGraph
from tla2py.syntax.standard import standard_module_of
from tla2py.text import did_you_mean


@rule(Severity.ERROR, model_value="a model value that has the name of something declared")
def model_values(subject: Subject) -> Iterator[Found]:
    """To the right of ``=`` every name is a model value, also that of a definition."""
    for spec in subject.specs:
        for constant, name in mistaken_names(subject.config.assignments, spec):
            for binding in subject.bindings:
                if binding.name.text + binding.arguments != constant:
                    continue
                for token in binding.tokens:
                    if token.text == name:
                        message = (
                            f"TLC makes {name} a model value here, not what the module declares as {name}"
                        )
                        yield "model-value", subject.at(token), message, _instead(binding, name)


@rule(Severity.WARNING, unused_model_value="a model value that nothing uses")
def unused_model_values(subject: Subject) -> Iterator[Found]:
    """TLC passes over ``a = a`` where the module declares no ``a``."""
    for binding, name in _undeclared(subject):
        if name == binding.value:
            message = (
                f"{subject.shown} declares no constant {name}, and no set here has it: TLC passes over it"
            )
            hint = _close(subject, name) or "leave it out"
            yield "unused-model-value", subject.at(binding.name.token), message, hint


@rule(Severity.ERROR, unknown_constant="a constant that the module does not declare")
def unknown_constants(subject: Subject) -> Iterator[Found]:
    """TLC passes over an assignment to it without a word."""
    variables = {variable.name for spec in subject.specs for variable in spec.variables}
    for binding, name in _undeclared(subject):
        if name != binding.value:
            does = "stops at it" if binding.sign == "<-" else "passes over it without a word"
            what = "declares it as a variable" if name in variables else f"declares no constant {name}"
            message = f"{subject.shown} {what}: TLC {does}"
            inspect = "'tla2py inspect' lists what a module declares"
            hint = _still_a_model_value(subject, binding) or _close(subject, name) or inspect
            yield "unknown-constant", subject.at(binding.name.token), message, hint


@rule(Severity.ERROR, unknown_module="a module that is not there")
def unknown_modules(subject: Subject) -> Iterator[Found]:
    """TLC passes over ``= [Module] value`` for one without a word."""
    known = {module for spec in subject.specs for module in (*spec.standard, *(m.name for m in spec.modules))}
    nested = {inner.name for spec in subject.specs for module in spec.modules for inner in module.nested}
    for binding in subject.bindings if subject.specs else ():
        module = binding.module
        if module is None or module.text in known | nested:
            continue
        does = "stops at it" if binding.sign == "<-" else "passes over it without a word"
        message = f"{subject.shown} has no module {module.text}: TLC {does}"
        yield (
            "unknown-module",
            subject.at(module.token),
            message,
            did_you_mean(module.text, sorted(known), None),
        )


@rule(Severity.ERROR, unassigned_constant="a constant without a value")
def unassigned_constants(subject: Subject) -> Iterator[Found]:
    """TLC stops before it does anything."""
    statements = subject.statements.statements if subject.statements else ()
    assigned = {name for statement in statements for name in statement.assigned}
    assigned |= {binding.name.text for binding in subject.bindings}
    for spec in subject.specs if subject.complete else ():
        for constant in spec.constants:
            if constant.name not in assigned:
                module = next((m for m in spec.modules if m.name == constant.module), None)
                declared = f", which {module.where(constant.span)} declares," if module else ""
                message = f"the constant {constant.name}{declared} has no value: TLC stops"
                hint = f"write CONSTANT {constant.name} = ..., or <- a definition"
                yield "unassigned-constant", subject.at(None), message, hint


@rule(Severity.ERROR, operator_constant="a constant with arguments where it has none, or without")
def operator_constants(subject: Subject) -> Iterator[Found]:
    """TLC gives an operator that is assigned one value this value whatever it is applied to."""
    arities = {each.name: each.arity for spec in subject.specs for each in spec.constants}
    for binding in subject.bindings:
        arity = arities.get(binding.name.text)
        if arity is None or binding.sign == "<-" or bool(arity) == bool(binding.arguments):
            continue
        name = binding.name.text
        if arity:
            message = (
                f"{name} takes {arity} argument{'s' * (arity > 1)}: TLC takes {binding.value} for every one"
            )
            hint = f"define it in the module: {name} <- DEFINITION"
        else:
            message, hint = f"{name} takes no arguments: TLC makes a table of it", f"write {name} = ..."
        yield "operator-constant", subject.at(binding.name.token), message, hint


@rule(
    Severity.ERROR,
    substitution_chain="a definition that is itself replaced",
    substitution_arity="a definition that takes other arguments than what it replaces",
)
def substitutions(subject: Subject) -> Iterator[Found]:
    """TLC stops at both."""
    plain = [each for each in subject.bindings if each.sign == "<-" and each.module is None]
    left = {binding.name.text for binding in plain}
    for binding in plain:
        name, value = binding.name.text, binding.value
        if value in left:
            message = f"{value} is replaced itself: TLC wants no name on both sides of <-"
            yield "substitution-chain", subject.at(binding.tokens[0]), message, "name what replaces it"
        for spec in subject.specs:
            wanted, given = _arity(spec, name), _arity(spec, value)
            if wanted is not None and given is not None and wanted != given:
                message = f"{value} takes {given} arguments and {name} takes {wanted}: TLC stops"
                right = f"name a definition that takes {wanted}"
                yield "substitution-arity", subject.at(binding.tokens[0]), message, right


def _arity(spec: ModuleGraph, name: str) -> int | None:
    definition = spec.definitions.get(name)
    if definition is not None:
        return definition.arity
    return next((each.arity for each in spec.constants if each.name == name), None)


def _undeclared(subject: Subject) -> Iterator[tuple[Binding, str]]:
    """What is assigned though no module declares it."""
    known = set(_declared(subject.specs))
    for binding in subject.bindings if subject.specs else ():
        name = binding.name.text
        # A model value that is only listed, to be used in a set elsewhere, says the same as the set alone.
        listed = name == binding.value and _user_of(subject, name)
        # What a module says of itself alone is not looked at, nor is what a standard module defines.
        if not (name in known or listed or standard_module_of(name) or "!" in name or binding.module):
            yield binding, name


def _user_of(subject: Subject, name: str) -> str | None:
    """Another constant in whose value a name is a model value."""
    pairs = subject.config.assignments
    return next((user for user, text in pairs if user != name and name in (literal_names(text) or ())), None)


def _still_a_model_value(subject: Subject, binding: Binding) -> str | None:
    name = binding.name.text
    user = _user_of(subject, name)
    return f"in {user} it is a model value: leave this out, or write {binding.value} there" if user else None


def _declared(specs: Iterable[ModuleGraph]) -> Iterator[str]:
    for spec in specs:
        yield from spec.definitions
        yield from (constant.name for constant in spec.constants)


def _close(subject: Subject, name: str) -> str | None:
    return did_you_mean(name, sorted(_declared(subject.specs)), None)


def _instead(binding: Binding, name: str) -> str:
    left = binding.name.text
    if binding.value == name and not binding.arguments:
        return f"write {left} <- {name} for what the module declares, or give the model value another name"
    return f"define the set in the module: {left} <- DEFINITION, or give the model value another name"
