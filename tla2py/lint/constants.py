"""Rules on assignments and substitutions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from tla2py.errors import InputError
from tla2py.lint.names import misspelt_names
from tla2py.lint.subject import UNREACHED, AssignedValue, Subject, checked, finding, rule
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import Config
from tla2py.text import counted, did_you_mean
from tla2py.tla.constant_types import compared_types, required_types
from tla2py.tla.evaluate import expression_of
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Definition, Expression, standard_module_of
from tla2py.tla.replacement import Miss, MissedUse, Node, Replacement
from tla2py.tla.types import MODEL_VALUE, NUMBER, PERMUTED, Type, agree, literal_type
from tla2py.tlc.config.statements import Binding, literal_names
from tla2py.tlc.config.wrapper import arity_of, explain_miss


def mistaken_names(assignments: Sequence[tuple[str, str]], spec: ModuleGraph) -> Iterator[tuple[str, str]]:
    """Each (constant, name) where TLC makes a model value of a definition's or another constant's name."""
    declared = {each.name for each in spec.constants}
    for constant, text in assignments:
        for name in sorted(literal_names(text) or ()):
            definition = spec.definitions.get(name)
            defined = definition is not None and not (name == constant and is_chosen(definition))
            # A constant may be given its own name, and then stand in another one's value.
            other = name in declared and name != constant and (name, name) not in assignments
            if defined or other:
                yield constant, name


# Comments may precede it.
_CHOSEN = re.compile(r"(?:\s|\\\*[^\n]*|\(\*.*?\*\))*+CHOOSE\s+\w+\s*:", re.DOTALL)


def is_chosen(definition: Definition) -> bool:
    """Whether a definition is an unbounded CHOOSE, which TLC cannot evaluate: ``None == CHOOSE n : ...``."""
    # By its text, as the body is unknown where only SANY reads the module.
    return _CHOSEN.match(definition.text.partition("==")[2]) is not None


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


@rule(Severity.WARNING, "unused-model-value", "unknown-constant")
def unknown_constants(subject: Subject) -> Iterator[Finding]:
    """TLC silently ignores both, ``a = a`` and other assignments, and stops at such a substitution."""
    variables = {variable.name for spec in subject.specs for variable in spec.variables}
    known = {*declared_names(subject.specs)}
    for binding in subject.bindings if subject.specs else ():
        name = binding.name.text
        if name in known or standard_module_of(name):
            continue
        if "!" in name or binding.module is not None:
            yield from _unknown_definition(subject, binding)
            continue
        # Another constant may have it as a model value.
        users = (each for each, text in subject.config.assignments if name in (literal_names(text) or ()))
        user = next((each for each in users if each != name), None)
        if name == binding.value and user:
            continue  # to list a model value that a set contains is redundant but harmless
        place, close = subject.at(binding.name.token), did_you_mean(name, sorted(known), None)
        if name == binding.value:
            message = f"{subject.shown} declares no constant {name}, and no set here has it: TLC ignores it"
            yield finding("unused-model-value", place, message, close or "remove it", name)
            continue
        does = "stops" if binding.sign == "<-" else "ignores it silently"
        what = "declares it as a variable" if name in variables else f"declares no constant {name}"
        hint = close or "'tla2py inspect' lists what a module declares"
        if user:
            hint = f"it is a model value in {user}: remove this line, or write {binding.value} there"
        message = f"{subject.shown} {what}: TLC {does}"
        yield finding("unknown-constant", place, message, hint, name, _severity(binding))


def _unknown_definition(subject: Subject, binding: Binding) -> Iterator[Finding]:
    """Find a definition of an instance or of one module that no module has; TLC treats a constant alike."""
    name = binding.name.text
    module = binding.module.text if binding.module is not None else None
    scopes = [
        spec.resolver.scope(module or spec.root.name)
        for spec in subject.specs
        if module is None or module in {each.name for each in spec.modules}
    ]
    entities = [entity for scope in scopes if (entity := scope.find(name)) is not None]
    if not scopes or any(entity.kind == "definition" for entity in entities):
        return
    does = "stops" if binding.sign == "<-" else "ignores it silently"
    what = (
        f"{name} is a constant of {module}, and [{module}] works only for definitions"
        if entities
        else f"{module or subject.shown} defines no {name}"
    )
    known = sorted(
        {each for scope in scopes for each, entity in scope.names.items() if entity.kind == "definition"}
    )
    hint = did_you_mean(name, known, "'tla2py inspect' lists what a module defines")
    if entities:
        hint = f"write {name} {binding.sign} {binding.value}, or change the INSTANCE that gives it a value"
    place = subject.at(binding.name.token)
    yield finding("unknown-constant", place, f"{what}: TLC {does}", hint, name, _severity(binding))


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
                where = spec.file_of(constant).where(constant.span)
                message = f"the constant {constant.name}, which {where} declares, has no value: TLC stops"
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
            place = subject.at(binding.tokens[0])
            yield finding("substitution-chain", place, message, "name its replacement")
        for spec in subject.specs:
            wanted, given = arity_of(spec, name), arity_of(spec, value)
            if wanted is not None and given is not None and wanted != given:
                message = f"{value} takes {counted(given, 'argument')}, {name} takes {wanted}: TLC stops"
                hint = f"name a definition that takes {wanted}"
                yield finding("substitution-arity", subject.at(binding.tokens[0]), message, hint)


@rule(Severity.ERROR, "substitution-instance")
def ignored_substitutions(subject: Subject) -> Iterator[Finding]:
    """TLC reports nothing: it replaces a definition at some of its uses only (tlaplus#792)."""
    for spec in subject.specs if subject.bindings else ():
        sides: dict[Node, list[Replacement]] = {}
        for binding in subject.bindings:
            side = _left_side(binding)
            declared = spec.replacements.declared(side.name, side.module)
            if declared is not None:
                sides.setdefault(declared, []).append(side)
        configs = subject.configs or (subject.config,)
        names = {name for config in configs for _, name in config.names()}
        values = {word for binding in subject.bindings for word in re.findall(r"\w+", binding.value)}
        for binding in subject.bindings:
            side = _left_side(binding)
            declared = spec.replacements.declared(side.name, side.module)
            if declared is None:
                continue
            missed = spec.replacements.missed(declared, sides[declared], names, values)
            if missed is not None:
                message, hint = _miss_words(missed, declared, binding, spec, names)
                yield finding(
                    "substitution-instance", subject.at(binding.name.token), message, hint, side.name
                )


def _left_side(binding: Binding) -> Replacement:
    """Return the left side of a binding, without the arguments of an operator."""
    module = binding.module.text if binding.module is not None else None
    return Replacement(binding.name.text, module)


def _miss_words(
    missed: MissedUse, declared: Node, binding: Binding, spec: ModuleGraph, names: Container[str]
) -> tuple[str, str]:
    """Return what TLC does at a use that a binding does not reach, and the statements that reach it."""
    side = _left_side(binding)
    named = [declared.name] if declared.name in names else []
    chosen = spec.replacements.chosen(declared, side, named)
    if missed.miss in (Miss.IN_LET, Miss.PARAMETERS) or spec.replacements.is_nested(declared):
        error = explain_miss(missed, declared)
        return error.message, error.hint or ""
    hint = "write " + " and ".join(
        replace(each, name=each.name + binding.arguments).text(binding.sign, binding.value) for each in chosen
    )
    if missed.miss is Miss.NAMED:
        message = (
            f"TLC does not replace {missed.name} where the config itself names it: "
            f"[{side.module}] applies only to uses inside definitions"
        )
    else:
        here = side.module or spec.root.name
        message = (
            f"TLC replaces {side.name} in {here} only; at {missed.where} it still uses the original "
            f"{missed.name}, because INSTANCE copies the definitions of {declared.module}"
        )
    return message, hint


def _severity(binding: Binding) -> Severity:
    """How bad it is that TLC does not know the left side: it ignores a value, and stops at a substitution."""
    return Severity.ERROR if binding.sign == "<-" else Severity.WARNING


def declared_names(specs: Iterable[ModuleGraph]) -> Iterator[str]:
    """The names of the definitions and constants that modules declare."""
    for spec in specs:
        yield from spec.definitions
        yield from (constant.name for constant in spec.constants)


def _model_value_fix(binding: Binding, name: str) -> str:
    left = binding.name.text
    if binding.value == name and not binding.arguments:
        return f"write {left} <- {name} to use the module's, or rename the model value"
    return f"define the set in the module and write {left} <- DEFINITION, or rename the model value"


# What other languages take for a boolean or a number.
_LITERAL = re.compile(r"(?i:true|false|\d[\d_]*(e\d+)?[kmgl]?|0x[\da-f_]+|0o[0-7_]+|0b[01_]+)")
_SCALARS = ("string", "number", "boolean")


@rule(Severity.WARNING, "mistaken-model-value")
def model_value_uses(subject: Subject) -> Iterator[Finding]:
    """TLC reports nothing: a model value differs from every other value."""
    for spec in subject.specs if len(subject.specs) == 1 and subject.complete else ():
        yield from odd_model_values(spec, subject.values)


def odd_model_values(spec: ModuleGraph, values: Iterable[AssignedValue]) -> Iterator[Finding]:
    """The findings on values of constants: at most one for each model value of a constant."""
    constants = {constant.name for constant in spec.constants}
    values = [each for each in values if each[0] in constants and literal_names(each[1])]
    try:
        compared = compared_types(spec) if values else {}
    except InputError:
        compared = {}  # nested too deeply
    declared = constants | spec.definitions.keys()
    given = {(constant, text) for constant, text, _ in values}
    reported = {each.place for each in misspelt_names(spec, values)}
    users = Counter(name for _, text in given for name in literal_names(text) or ())
    for constant, text, place in values:
        names = literal_names(text) or frozenset()
        for name in sorted(names - declared):
            if _LITERAL.fullmatch(name):
                meant, fixed = "number", "the number in decimal digits"
                if name.isalpha():
                    meant, fixed = "boolean", name.upper()
                message = f"{name} in {constant} is a model value, not a {meant}"
                yield finding("mistaken-model-value", place(), message, f"write {fixed}", constant)
        kind = compared.get(constant)
        if text not in names - spec.definitions.keys() or _LITERAL.fullmatch(text):
            continue
        alone = (
            users[text] == 1 and _normalize_name(text) != _normalize_name(constant) and text not in declared
        )
        if kind is not None and kind.type.kind in _SCALARS:
            message = f"{constant} is the model value {text}, which no {kind.kind} equals: {kind.reason}"
            yield finding("mistaken-model-value", place(), message, f"{kind.where} compares it", constant)
        elif alone and place() not in reported:
            message = f"{text} is a model value that only {constant} has"
            hint = f'write "{text}" if it is a string, or {constant} = {constant}'
            yield finding("mistaken-model-value", place(), message, hint, constant)


def _normalize_name(name: str) -> str:
    """Return a name without underscores and in lower case, to compare it with others."""
    return name.replace("_", "").lower()


@rule(Severity.WARNING, "constant-kind")
def constant_types(subject: Subject) -> Iterator[Finding]:
    """TLC stops when it evaluates the place that needs the other type."""
    # Several modules may need different types.
    for spec in subject.specs if len(subject.specs) == 1 else ():
        yield from wrong_types(spec, subject.values, subject.configs or [subject.config])


def wrong_types(
    spec: ModuleGraph,
    values: Iterable[AssignedValue],
    configs: Sequence[Config],
    permuted: Container[str] = (),
) -> Iterator[Finding]:
    """The findings on values of the wrong type, once for each constant and type; one that no config reaches is ignored.

    ``permuted`` are the constants of a symmetry.
    """
    try:
        types, reached = required_types(spec), None
    except InputError:
        return  # nested too deeply
    seen: set[tuple[str, Type]] = set()
    for name, text, place in values:
        kind, symmetric = types.get(name), name in permuted
        given = _given(name, text, spec) if kind or symmetric else None
        if given is None or (name, given) in seen:
            continue
        seen.add((name, given))
        if symmetric and not _can_be(given, PERMUTED):
            message = f"{name} is {_describe_type(given)}, but symmetry permutes only sets of model values"
            hint = "give it a set such as {a, b}, or remove it from symmetry"
            yield finding("constant-kind", place(), message, hint)
        elif kind is not None and not _can_be(given, kind.type):
            if reached is None:
                reached = required_types(spec, checked(spec, *configs))
            ignored: str | None = UNREACHED
            if (needed := reached.get(name)) is not None and not _can_be(given, needed.type):
                kind, ignored = needed, None
            message = f"{name} is {_describe_type(given)} but must be a {kind.demand}: {kind.reason}"
            found = finding("constant-kind", place(), message, f"{kind.where} needs it")
            yield replace(found, ignored=ignored)


def _can_be(given: Type, wanted: Type) -> bool:
    # For TLC a string is a sequence.
    return agree(given, wanted) or (given.kind == "string" and wanted.kind == "sequence")


def _given(name: str, text: str, spec: ModuleGraph) -> Type | None:
    """The type of a value, as far as its text shows it."""
    if text == name:
        return MODEL_VALUE
    if text.isdigit():
        return NUMBER  # a parameter may have thousands
    try:
        return _type_of(expression_of(text), spec)
    except InputError:
        return None


def _type_of(expr: Expression, spec: ModuleGraph) -> Type | None:
    if expr.is_name():
        known = expr.operator in spec.scope.names or standard_module_of(expr.operator)
        return None if known else MODEL_VALUE
    if expr.shape == "build" and expr.operator == "{}":
        types = {_type_of(each, spec) for each in expr.arguments}
        # A set may hold a None besides its other elements.
        return Type("set", types.pop() if len(types) == 1 else None)
    return literal_type(expr)


def _describe_type(given: Type) -> str:
    inside = f" of {given.element.kind}s" if given.element is not None else ""
    return f"a {given.kind}{inside}"
