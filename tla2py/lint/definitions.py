"""Rules on the definitions that a config names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tla2py.config.statements import LISTS, SINGLE
from tla2py.errors import Place
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Mention, Subject, keyword_of
from tla2py.lint.temporal import asks_tlc, parts_of
from tla2py.syntax import Level, ModuleGraph
from tla2py.text import did_you_mean

_CHECKED = ("invariants", "properties")
_TO_CHECK = "it cannot bound the search; write PROPERTY {} to have it checked"
_INVARIANT = re.compile(r"(^Type(OK|Ok|Invariant|Correct(ness)?)|Inv(ariant)?s?)$")


def _defined(subject: Subject, *keys: str) -> Iterator[tuple[Mention, ModuleGraph]]:
    """The names under keywords, with each module that defines them without parameters."""
    for mention in subject.of(*keys):
        for spec in subject.specs:
            definition = spec.definitions.get(mention.name)
            if definition is not None and not definition.arity:
                yield mention, spec


@rule(Severity.ERROR, unknown_definition="a name that the module does not define")
def unknown_definitions(subject: Subject) -> Iterator[Found]:
    """TLC stops at them, but for an ALIAS, which it passes over."""
    names = {name for spec in subject.specs for name in spec.definitions}
    constants = {constant.name for spec in subject.specs for constant in spec.constants}
    used = [(each.key, each.name, each.place) for each in subject.mentions]
    for binding in subject.bindings:
        if binding.sign == "<-" and binding.module is None:
            used.append(("", binding.value, subject.at(binding.tokens[0])))
    # A sweep holds the names of its own file against its modules when it reads it.
    for key, name, place in used if subject.specs and subject.statements else ():
        if name not in names:
            if not key and name in constants:
                continue
            does = "passes over it without a word" if key == "alias" else "stops"
            hint = did_you_mean(name, sorted(names), "'tla2py inspect' lists what a module declares")
            message = f"{subject.shown} has no definition {name}: TLC {does}"
            yield "unknown-definition", place, message, hint


@rule(Severity.ERROR, definition_arity="a definition with parameters where TLC wants none")
def definitions_with_parameters(subject: Subject) -> Iterator[Found]:
    """TLC stops at them."""
    for mention in subject.of(*SINGLE.values(), *LISTS.values()):
        name = mention.name
        found = [spec.definitions[name] for spec in subject.specs if name in spec.definitions]
        if found and all(definition.arity for definition in found):
            wants = f"{keyword_of(mention.key)} wants a definition without"
            message = f"{name} takes parameters: TLC stops, as {wants}"
            right = f"define one without parameters that applies {name}, and name that"
            yield "definition-arity", mention.place, message, right


@rule(
    Severity.ERROR,
    invariant_level="an invariant that is not a predicate on states",
    property_level="a property that speaks of a step alone",
    constraint_level="a constraint that is not a predicate on states, or on steps",
)
def levels(subject: Subject) -> Iterator[Found]:
    """TLC stops at an invariant and a property that it cannot take, and at a constraint when it evaluates it."""
    for mention, spec in _defined(subject, *_CHECKED, "constraints", "action_constraints"):
        level, name = spec.level(mention.name), mention.name
        if mention.key == "invariants" and level > Level.STATE:
            kind = "an action" if level is Level.ACTION else "a temporal formula"
            message = f"{name} is {kind}, not a predicate on states: TLC stops"
            hint = (
                f"write PROPERTY {name}"
                if level is Level.TEMPORAL
                else f"write PROPERTY with [][{name}]_vars"
            )
            yield "invariant-level", mention.place, message, hint
        elif mention.key == "properties" and level is Level.ACTION:
            message = f"{name} is an action: TLC stops, as it is true or false of one step only"
            yield (
                "property-level",
                mention.place,
                message,
                f"define [][{name}]_vars and write PROPERTY with it",
            )
        elif mention.key == "constraints" and level > Level.STATE:
            message = f"{name} is not a predicate on states: TLC stops when it comes to it"
            right = f"write ACTION_CONSTRAINT {name}" if level is Level.ACTION else _TO_CHECK.format(name)
            yield "constraint-level", mention.place, message, right
        elif mention.key == "action_constraints" and level is Level.TEMPORAL:
            message = f"{name} is a temporal formula: TLC stops when it comes to it"
            yield "constraint-level", mention.place, message, _TO_CHECK.format(name)


@rule(
    Severity.WARNING,
    state_property="a property that is a predicate on states",
    constant_check="an invariant or a property that speaks of no state",
)
def weak_checks(subject: Subject) -> Iterator[Found]:
    """TLC holds the first against initial states only and evaluates the second once."""
    replaced = {name for name, _ in subject.config.substitutions}
    for mention, spec in _defined(subject, *_CHECKED):
        level, name = spec.level(mention.name), mention.name
        if name in replaced:
            continue
        if mention.key == "properties" and level is Level.STATE:
            message = f"{name} is a predicate on states: TLC holds it against the initial states only"
            yield "state-property", mention.place, message, f"write INVARIANT {name}, or define []{name}"
        elif level is Level.CONSTANT and spec.variables and not asks_tlc(name, spec):
            message = f"{name} speaks of no state: TLC evaluates it once and checks nothing as it goes on"
            yield "constant-check", mention.place, message, f"write ASSUME {name} in the module"


@rule(
    Severity.WARNING,
    symmetry_liveness="symmetry together with liveness",
    constraint_liveness="a constraint together with liveness",
)
def liveness(subject: Subject) -> Iterator[Found]:
    """TLC may miss violations of liveness in a graph that lacks states, or see some that are none."""
    live = [
        each.name for each, spec in _defined(subject, "properties") if "temporal" in parts_of(each.name, spec)
    ]
    names = ", ".join(dict.fromkeys(live))
    for other in subject.of("symmetry", "constraints", "action_constraints") if live else ():
        message = f"with {keyword_of(other.key)} {other.name} TLC may miss a violation of liveness"
        if other.key == "symmetry":
            message += f", or see one that is none: {names}"
            yield "symmetry-liveness", other.place, message, "check liveness in a config without SYMMETRY"
        else:
            hint = "bound the states in the module's actions or by its constants"
            yield "constraint-liveness", other.place, f"{message}: {names}", hint


@rule(Severity.WARNING, constraint_invariant="an invariant under CONSTRAINT")
def constrained_invariants(subject: Subject) -> Iterator[Found]:
    """TLC goes on from no state that violates it, and reports none."""
    checked = {mention.name for mention in subject.of("invariants")}
    for mention, spec in _defined(subject, "constraints"):
        if (
            _INVARIANT.search(mention.name)
            and mention.name not in checked
            and spec.level(mention.name) is Level.STATE
        ):
            message = f"TLC goes on from no state in which {mention.name} is false, and does not report it"
            yield (
                "constraint-invariant",
                mention.place,
                message,
                f"write INVARIANT {mention.name}, if it is meant as one",
            )


@rule(
    Severity.ERROR,
    two_behaviours="SPECIFICATION beside INIT or NEXT",
    no_behaviour="no behaviour to check",
)
def behaviours(subject: Subject) -> Iterator[Found]:
    """TLC stops at both."""
    named = subject.of("specification", "init", "next")
    keys = {mention.key for mention in named}
    if "specification" in keys and len(keys) > 1:
        last = named[-1]
        message = "SPECIFICATION together with INIT or NEXT: TLC stops"
        yield "two-behaviours", last.place, message, "keep SPECIFICATION, or INIT and NEXT"
    varies = any(spec.variables for spec in subject.specs)
    if subject.complete and varies and not keys & {"specification"} and keys != {"init", "next"}:
        lacking = (
            "NEXT" if "init" in keys else "INIT" if "next" in keys else "SPECIFICATION, or INIT and NEXT"
        )
        message = f"there is no {lacking}: TLC stops"
        yield "no-behaviour", Place(file=str(subject.path)), message, _candidates(subject)


@rule(Severity.WARNING, nothing_checked="a config that checks nothing")
def nothing_checked(subject: Subject) -> Iterator[Found]:
    """Whatever the module does, TLC says that no error has been found."""
    checks = subject.of(*_CHECKED, "postconditions")
    assumed = any(spec.assumptions for spec in subject.specs)
    if (
        subject.complete
        and not checks
        and not subject.config.check_deadlock
        and not assumed
        and subject.specs
    ):
        message = "nothing is checked: there is no INVARIANT and no PROPERTY, and deadlock is not looked for"
        yield "nothing-checked", Place(file=str(subject.path)), message, "name an INVARIANT or a PROPERTY"


def _candidates(subject: Subject) -> str | None:
    found = [name for spec in subject.specs for name in spec.candidates.specifications]
    return f"write SPECIFICATION {found[0]}" if found else None
