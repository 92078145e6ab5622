"""Rules on assignments and substitutions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.config.literal import literal_names
from tla2py.config.statements import Binding
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.subject import Subject
from tla2py.lint.values import mistaken_names
from tla2py.syntax import ModuleGraph
from tla2py.syntax.standard import standard_module_of
from tla2py.text import counted, did_you_mean


@rule(Severity.ERROR, "model-value")
def model_values(subject: Subject) -> Iterator[Finding]:
    """To the right of ``=``, TLC makes every name a model value, even that of a definition."""
    for spec in subject.specs:
        for constant, name in mistaken_names(subject.config.assignments, spec):
            for binding in subject.bindings:
                if binding.name.text + binding.arguments != constant:
                    continue
                for token in binding.tokens:
                    if token.text == name:
                        message = f"TLC makes {name} a model value here and ignores the module's {name}"
                        fix = _model_value_fix(binding, name)
                        yield finding("model-value", subject.at(token), message, fix, constant)


@rule(Severity.WARNING, "unused-model-value")
def unused_model_values(subject: Subject) -> Iterator[Finding]:
    """TLC ignores ``a = a`` if the module does not declare ``a``."""
    for binding, name in _undeclared(subject):
        if name == binding.value:
            message = f"{subject.shown} declares no constant {name}, and no set here has it: TLC ignores it"
            hint = _close(subject, name) or "remove it"
            yield finding("unused-model-value", subject.at(binding.name.token), message, hint, name)


@rule(Severity.WARNING, "unknown-constant")
def unknown_constants(subject: Subject) -> Iterator[Finding]:
    """TLC silently ignores such an assignment, and stops at such a substitution."""
    variables = {variable.name for spec in subject.specs for variable in spec.variables}
    for binding, name in _undeclared(subject):
        if name != binding.value:
            does = "stops" if binding.sign == "<-" else "ignores it silently"
            what = "declares it as a variable" if name in variables else f"declares no constant {name}"
            message = f"{subject.shown} {what}: TLC {does}"
            inspect = "'tla2py inspect' lists what a module declares"
            hint = _model_value_hint(subject, binding) or _close(subject, name) or inspect
            place, severity = subject.at(binding.name.token), _severity(binding)
            yield finding("unknown-constant", place, message, hint, name, severity)


@rule(Severity.WARNING, "unknown-module")
def unknown_modules(subject: Subject) -> Iterator[Finding]:
    """TLC silently ignores ``= [Module] value`` for such a module, and stops at ``<- [Module] Name``."""
    known = {module for spec in subject.specs for module in (*spec.standard, *(m.name for m in spec.modules))}
    nested = {inner.name for spec in subject.specs for module in spec.modules for inner in module.nested}
    for binding in subject.bindings if subject.specs else ():
        module = binding.module
        if module is None or module.text in known | nested:
            continue
        does = "stops" if binding.sign == "<-" else "ignores it silently"
        message = f"{subject.shown} has no module {module.text}: TLC {does}"
        hint = did_you_mean(module.text, sorted(known), None)
        place, severity = subject.at(module.token), _severity(binding)
        yield finding("unknown-module", place, message, hint, module.text, severity)


@rule(Severity.ERROR, "unassigned-constant")
def unassigned_constants(subject: Subject) -> Iterator[Finding]:
    """TLC stops at startup."""
    assigned = {name for statement in subject.statements.statements for name in statement.assigned}
    assigned |= {binding.name.text for binding in subject.bindings}
    for spec in subject.specs if subject.complete else ():
        for constant in spec.constants:
            if constant.name not in assigned:
                module = next((m for m in spec.modules if m.name == constant.module), None)
                declared = f", which {module.where(constant.span)} declares," if module else ""
                message = f"the constant {constant.name}{declared} has no value: TLC stops"
                hint = f"write CONSTANT {constant.name} = ..., or <- a definition"
                yield finding("unassigned-constant", subject.at(None), message, hint)


@rule(Severity.WARNING, "operator-constant")
def operator_constants(subject: Subject) -> Iterator[Finding]:
    """TLC gives an operator that is assigned a value this value for all arguments, and stops at a table without one."""
    arities = {each.name: each.arity for spec in subject.specs for each in spec.constants}
    for binding in subject.bindings:
        arity = arities.get(binding.name.text)
        if arity is None or binding.sign == "<-" or bool(arity) == bool(binding.arguments):
            continue
        name = binding.name.text
        if arity:
            message = f"{name} takes {counted(arity, 'argument')}: TLC gives it the value {binding.value} for all of them"
            hint = f"define it in the module and write {name} <- DEFINITION"
        else:
            message, hint = f"{name} takes no arguments: TLC reads this as a table", f"write {name} = ..."
        severity = Severity.WARNING if arity else Severity.ERROR
        yield finding("operator-constant", subject.at(binding.name.token), message, hint, name, severity)


@rule(Severity.ERROR, "substitution-chain", "substitution-arity")
def substitutions(subject: Subject) -> Iterator[Finding]:
    """TLC stops at both."""
    plain = [each for each in subject.bindings if each.sign == "<-" and each.module is None]
    left = {binding.name.text for binding in plain}
    for binding in plain:
        name, value = binding.name.text, binding.value
        if value in left:
            message = f"{value} is itself replaced: TLC allows no name on both sides of <-"
            yield finding(
                "substitution-chain", subject.at(binding.tokens[0]), message, "name its replacement"
            )
        for spec in subject.specs:
            wanted, given = _arity(spec, name), _arity(spec, value)
            if wanted is not None and given is not None and wanted != given:
                message = f"{value} takes {counted(given, 'argument')}, {name} takes {wanted}: TLC stops"
                right = f"name a definition that takes {wanted}"
                yield finding("substitution-arity", subject.at(binding.tokens[0]), message, right)


def _severity(binding: Binding) -> Severity:
    """How bad it is that TLC does not know the left side: it ignores a value, and stops at a substitution."""
    return Severity.ERROR if binding.sign == "<-" else Severity.WARNING


def _arity(spec: ModuleGraph, name: str) -> int | None:
    definition = spec.definitions.get(name)
    if definition is not None:
        return definition.arity
    return next((each.arity for each in spec.constants if each.name == name), None)


def _undeclared(subject: Subject) -> Iterator[tuple[Binding, str]]:
    """The assignments to names that no module declares."""
    known = set(_declared(subject.specs))
    for binding in subject.bindings if subject.specs else ():
        name = binding.name.text
        # Listing a model value that a set contains is redundant but harmless.
        listed = name == binding.value and _user_of(subject, name)
        if not (name in known or listed or standard_module_of(name) or "!" in name or binding.module):
            yield binding, name


def _user_of(subject: Subject, name: str) -> str | None:
    """Another constant whose value contains the name as a model value."""
    pairs = subject.config.assignments
    return next((user for user, text in pairs if user != name and name in (literal_names(text) or ())), None)


def _model_value_hint(subject: Subject, binding: Binding) -> str | None:
    name = binding.name.text
    user = _user_of(subject, name)
    return (
        f"it is a model value in {user}: remove this line, or write {binding.value} there" if user else None
    )


def _declared(specs: Iterable[ModuleGraph]) -> Iterator[str]:
    for spec in specs:
        yield from spec.definitions
        yield from (constant.name for constant in spec.constants)


def _close(subject: Subject, name: str) -> str | None:
    return did_you_mean(name, sorted(_declared(subject.specs)), None)


def _model_value_fix(binding: Binding, name: str) -> str:
    left = binding.name.text
    if binding.value == name and not binding.arguments:
        return f"write {left} <- {name} to use the module's, or rename the model value"
    return f"define the set in the module and write {left} <- DEFINITION, or rename the model value"
