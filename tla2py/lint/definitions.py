"""How TLC checks a definition: as an initial predicate, an invariant, an action, or a temporal formula."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tla2py.errors import InputError
from tla2py.lint.subject import Mention, Subject, conjuncts, finding, keyword_of, rule
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import LIST_FIELDS, NAME_FIELDS
from tla2py.text import did_you_mean
from tla2py.tla.evaluate import evaluate
from tla2py.tla.graph import ModuleGraph, find_bodies, reached
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, standard_module_of
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply
from tla2py.tlc.config.statements import KEYWORDS

# Standard modules whose operators TLC does not treat as constants.
_CHANGING = ("TLC", "TLCExt", "Randomization")


@deeply
def is_temporal(name: str, spec: ModuleGraph) -> bool:
    """Whether TLC needs the whole state graph for a part of a property; it checks other parts state by state."""
    levels = Levels(spec.resolver)
    parts = (part for root in find_bodies(spec, [name]) for part in conjuncts(root))
    return any(_needs_graph(part.expr, part.scope, levels) for part in parts)


def _needs_graph(expr: Expression, scope: Scope, levels: Levels) -> bool:
    if expr.shape == "apply" and expr.operator == "[]" and expr.arguments:
        expr = expr.arguments[0]
        if expr.shape == "build" and expr.operator == "[]_":
            return False
    return levels.of_expression(expr, scope) > Level.STATE


@deeply
def asks_tlc(name: str, spec: ModuleGraph) -> bool:
    """Whether a definition depends on the search, as ``TLCGet("level")`` does."""
    found = (each.expr for each in reached(spec, find_bodies(spec, [name]), {}) if each.entity is None)
    return any(expr.shape == "apply" and standard_module_of(expr.operator) in _CHANGING for expr in found)


_CHECKED = ("invariants", "properties")
# TLC takes these too where `<-` names a definition, whatever arguments it replaces.
_BUILT_IN = frozenset({"BOOLEAN", "FALSE", "STRING", "TRUE"})
_TO_CHECK = "it cannot bound the search; write PROPERTY {} to check it"
_INVARIANT = re.compile(r"(^Type(OK|Ok|Invariant|Correct(ness)?)|Inv(ariant)?s?)$")


def _defined(subject: Subject, *keys: str) -> Iterator[tuple[Mention, ModuleGraph]]:
    """The names under keywords, each with every module that defines it without parameters."""
    for mention in subject.of(*keys):
        for spec in subject.specs:
            definition = spec.definitions.get(mention.name)
            if definition is not None and not definition.arity:
                yield mention, spec


def _severity(key: str) -> Severity:
    """How bad an unusable definition is: TLC ignores an ALIAS."""
    return Severity.WARNING if key == "alias" else Severity.ERROR


@rule(Severity.ERROR, "unknown-definition")
def unknown_definitions(subject: Subject) -> Iterator[Finding]:
    """TLC stops, except at an ALIAS, which it ignores."""
    names = {name for spec in subject.specs for name in spec.definitions}
    constants = {constant.name for spec in subject.specs for constant in spec.constants}
    standard = {name for spec in subject.specs for name in spec.standard}
    used = [(each.key, each.name, each.place) for each in subject.mentions]
    for binding in subject.bindings:
        if binding.sign == "<-" and binding.module is None and binding.value not in _BUILT_IN:
            used.append(("", binding.value, subject.at(binding.tokens[0])))
    # Loading a sweep already checks the names in its own file.
    for key, name, place in used if subject.specs and subject.statements.statements else ():
        if name not in names:
            if not key and (name in constants or standard_module_of(name) in standard):
                continue
            does = "ignores it silently" if key == "alias" else "stops"
            # A misspelt keyword is taken for a name of the section before it.
            known = [*sorted(names), *(sorted(KEYWORDS) if name.isupper() else ())]
            hint = did_you_mean(name, known, "'tla2py inspect' lists what a module defines")
            message = f"{subject.shown} has no definition {name}: TLC {does}"
            yield finding("unknown-definition", place, message, hint, name, _severity(key))


@rule(Severity.ERROR, "definition-arity")
def definitions_with_parameters(subject: Subject) -> Iterator[Finding]:
    """TLC stops, except at an ALIAS, which it ignores."""
    for mention in subject.of(*NAME_FIELDS, *LIST_FIELDS):
        name = mention.name
        found = [spec.definitions[name] for spec in subject.specs if name in spec.definitions]
        if found and all(definition.arity for definition in found):
            does = "ignores it silently" if mention.key == "alias" else "stops"
            message = f"{name} takes parameters, which {keyword_of(mention.key)} does not allow: TLC {does}"
            hint = f"define one without parameters that applies {name}, and name that"
            yield finding("definition-arity", mention.place, message, hint, name, _severity(mention.key))


@rule(Severity.ERROR, "invariant-level", "property-level", "constraint-level")
def levels(subject: Subject) -> Iterator[Finding]:
    """TLC stops at startup for an invariant or a property, and on evaluation for a constraint."""
    for mention, spec in _defined(subject, *_CHECKED, "constraints", "action_constraints"):
        level, name = spec.level(mention.name), mention.name
        if mention.key == "invariants" and level > Level.STATE:
            kind = "an action" if level is Level.ACTION else "a temporal formula"
            message = f"{name} is {kind}, not a predicate on states: TLC stops"
            right = name if level is Level.TEMPORAL else f"with [][{name}]_vars"
            yield finding("invariant-level", mention.place, message, f"write PROPERTY {right}")
        elif mention.key == "properties" and level is Level.ACTION:
            message = f"{name} is an action, true or false of a single step: TLC stops"
            hint = f"define [][{name}]_vars and write PROPERTY with it"
            yield finding("property-level", mention.place, message, hint)
        elif mention.key == "constraints" and level > Level.STATE:
            message = f"{name} is not a predicate on states: TLC stops when it evaluates it"
            hint = f"write ACTION_CONSTRAINT {name}" if level is Level.ACTION else _TO_CHECK.format(name)
            yield finding("constraint-level", mention.place, message, hint)
        elif mention.key == "action_constraints" and level is Level.TEMPORAL:
            message = f"{name} is a temporal formula: TLC stops when it evaluates it"
            yield finding("constraint-level", mention.place, message, _TO_CHECK.format(name))


@rule(Severity.WARNING, "state-property", "constant-check", "constant-view")
def weak_checks(subject: Subject) -> Iterator[Finding]:
    """TLC checks the first in the initial states only, and evaluates the second once, or stops if it is a postcondition.

    Under a constant view all states are equal, so it looks at the initial ones only.
    """
    replaced = subject.config.replaced_names
    for mention, spec in _defined(subject, *_CHECKED, "postconditions", "view"):
        name = replaced.get(mention.name, mention.name)
        if name not in spec.definitions:
            continue
        level = spec.level(name)
        if mention.key == "properties" and level is Level.STATE:
            message = f"{name} is a predicate on states: TLC checks it in the initial states only"
            hint = f"write INVARIANT {name}, or define []{name}"
            yield finding("state-property", mention.place, message, hint, name)
        elif level is not Level.CONSTANT or not spec.variables or asks_tlc(name, spec):
            continue
        elif mention.key == "view":
            message = f"{name} does not depend on the state: TLC takes all states for the same one"
            hint = "write a VIEW of the variables by which states differ"
            yield finding("constant-view", mention.place, message, hint, name)
        else:
            message = f"{name} does not depend on the state: TLC evaluates it once"
            hint = f"write ASSUME {name} in the module"
            if mention.key == "postconditions":
                never = "is FALSE whatever TLC finds, so it can never be satisfied"
                message = f"{name} {never if _is_false(name, spec) else 'does not depend on what TLC finds'}: TLC stops"
                hint = 'define it by what the search found, as in TLCGet("distinct") > 5'
            yield finding("constant-check", mention.place, message, hint, name)


def _is_false(name: str, spec: ModuleGraph) -> bool:
    try:
        body = spec.definitions[name].body
        return body is not None and evaluate(body, spec.definitions.__getitem__) is False
    except (InputError, KeyError):
        return False


@rule(Severity.WARNING, "symmetry-liveness", "constraint-liveness")
def liveness(subject: Subject) -> Iterator[Finding]:
    """On a graph that lacks states, TLC may miss violations of liveness or report false ones."""
    live = [each.name for each, spec in _defined(subject, "properties") if is_temporal(each.name, spec)]
    names = ", ".join(dict.fromkeys(live))
    for other in subject.of("symmetry", "constraints", "action_constraints") if live else ():
        if other.key == "constraints" and other.name not in subject.specs[0].definitions:
            continue  # tla2py's own, which leaves out no state
        message = f"with {keyword_of(other.key)} {other.name} TLC may miss a violation of liveness"
        if other.key == "symmetry":
            hint = "check liveness in a config without SYMMETRY"
            for name in dict.fromkeys(live):
                wrong = f"{message}, or report a false one: {name}"
                yield finding("symmetry-liveness", other.place, wrong, hint, name)
        else:
            hint = "bound the states by the module's actions or constants"
            yield finding("constraint-liveness", other.place, f"{message}: {names}", hint, other.name)


@rule(Severity.WARNING, "constraint-invariant")
def constrained_invariants(subject: Subject) -> Iterator[Finding]:
    """TLC explores no further from a state that violates it, and does not report the state."""
    checked = {mention.name for mention in subject.of("invariants")}
    for mention, spec in _defined(subject, "constraints"):
        name = mention.name
        if _INVARIANT.search(name) and name not in checked and spec.level(name) is Level.STATE:
            message = f"TLC ignores the successors of states where {name} is false, and reports no violation"
            hint = f"write INVARIANT {name} if it is one"
            yield finding("constraint-invariant", mention.place, message, hint, name)


@rule(Severity.ERROR, "two-behaviours", "no-behaviour")
def behaviours(subject: Subject) -> Iterator[Finding]:
    """TLC stops."""
    named = subject.of("specification", "init", "next")
    keys = {mention.key for mention in named}
    if "specification" in keys and len(keys) > 1:
        message = "SPECIFICATION together with INIT or NEXT: TLC stops"
        yield finding("two-behaviours", named[-1].place, message, "keep SPECIFICATION, or INIT and NEXT")
    varies = any(spec.variables for spec in subject.specs)
    if subject.complete and varies and "specification" not in keys and keys != {"init", "next"}:
        lacks = "NEXT" if "init" in keys else "INIT" if "next" in keys else "SPECIFICATION, or INIT and NEXT"
        message = f"{lacks} is missing: TLC stops"
        found = [name for spec in subject.specs for name in spec.candidates.specification]
        hint = f"write SPECIFICATION {found[0]}" if found else None
        yield finding("no-behaviour", subject.at(None), message, hint)


@rule(Severity.WARNING, "nothing-checked")
def nothing_checked(subject: Subject) -> Iterator[Finding]:
    """TLC reports no error, whatever the module does."""
    assumed = any(spec.assumptions for spec in subject.specs)
    checks = subject.of(*_CHECKED, "postconditions") or subject.config.check_deadlock or assumed
    if subject.complete and subject.specs and not checks:
        message = "nothing is checked: no INVARIANT, no PROPERTY, and the check for deadlock is off"
        yield finding("nothing-checked", subject.at(None), message, "name an INVARIANT or a PROPERTY")
