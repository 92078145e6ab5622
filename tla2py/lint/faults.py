r"""What released TLCs are known to answer wrongly, as a table, and the rule that names it where a model has the construct.

The days are those of TLC's own commits and releases; each fault was seen under the TLCs of January 2020, 1.7.4 and
September 2025 by running the module that its test keeps. The branch of the releases 1.7.x gets few of the fixes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tla2py.errors import Place
from tla2py.lint.subject import UNREACHED, Subject, conjuncts, finding, rule, steps
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import Config
from tla2py.tla.graph import ModuleGraph, ScopedExpression, find_bodies, reached
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply
from tla2py.tlc.tools.jar import Jar

Kind = Literal["wrong", "bogus", "lost", "loud"]
"""``wrong``: a violation is missed or made up; ``bogus``: only made up; ``lost``: states too; ``loud``: TLC stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A construct that some releases of TLC answer wrongly.

    ``issue`` is its number at tlaplus/tlaplus, 0 if nobody reported it. ``since`` and ``fixed`` are the days of the first
    build with and without it, "" for always and never; ``maintained`` is ``fixed`` among the releases 1.7.x. ``found``
    yields where a model has the construct; None if that cannot be told from the text, or where tla2py does not rely on
    TLC: ``handled`` says what it does instead.
    """

    code: str
    issue: int
    kind: Kind
    construct: str
    effect: str
    since: str = ""
    fixed: str = ""
    maintained: str = ""
    handled: str = ""
    found: Callable[[_Looked], Iterator[ScopedExpression]] | None = None

    def concerns(self, jar: Jar) -> bool:
        """Whether the TLC of a jar has the fault; one whose build has no date counts as having it."""
        fixed = self.maintained if jar.tag.startswith("1.7.") else self.fixed
        return (not jar.date or jar.date >= self.since) and (not fixed or jar.date < fixed)

    @property
    def source(self) -> str:
        """Where TLC's project has it, such as ``tlaplus#1145``, "" if nowhere."""
        return f"tlaplus#{self.issue}" if self.issue else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """A model of a module: the names by their field of ``Config``, and TLC's workers."""

    names: tuple[tuple[str, str], ...]
    spec: ModuleGraph
    workers: int

    @property
    def levels(self) -> Levels:
        return Levels(self.spec.resolver)

    def reaches(self, *keys: str) -> Iterator[ScopedExpression]:
        """Every expression that the names under keywords reach, by default under all."""
        return reached(self.spec, self.roots(*keys), {})

    def roots(self, *keys: str) -> Iterator[ScopedExpression]:
        """The bodies of the names under keywords, by default under all."""
        return find_bodies(self.spec, [name for key, name in self.names if not keys or key in keys])

    def inside(self, each: ScopedExpression) -> Iterator[ScopedExpression]:
        return reached(self.spec, [each], {})


def _applies(expr: Expression, *operators: str) -> bool:
    return expr.shape == "apply" and expr.operator in operators


def _library(each: ScopedExpression, *names: str) -> bool:
    """Whether an expression applies an operator of a standard module."""
    operator = each.expr.operator.rpartition("!")[2]
    return each.expr.shape == "apply" and operator in names and each.entity is None


_DRAWS = ("RandomElement", "RandomSubset", "RandomSetOfSubsets", "RandomSubsetSet")


def _random_eval(looked: _Looked) -> Iterator[ScopedExpression]:
    for each in looked.reaches():
        if _library(each, "TLCEval") and any(_library(inner, *_DRAWS) for inner in looked.inside(each)):
            yield each


def _lazy_except(looked: _Looked) -> Iterator[ScopedExpression]:
    # Only where the result is applied at once does TLC keep the function lazy.
    for each in looked.reaches():
        applied = each.expr.arguments[:1] if each.expr.shape == "build" and each.expr.operator == "[]" else ()
        updates = [part for call in applied for part in call.arguments if part.operator == "EXCEPT"]
        if any(update.arguments[0].operator == "[|->]" for update in updates if update.arguments):
            yield each


def _shared_except(looked: _Looked) -> Iterator[ScopedExpression]:
    for each in looked.reaches():
        if each.expr.shape == "build" and each.expr.operator == "EXCEPT":
            base = _value(each.expr.arguments[0], each.scope)
            domains = [bound.domain for bound in base.bounds] if base.operator == "[|->]" else []
            if any(domain and _value(domain, each.scope).operator == "[->]" for domain in domains):
                yield each


def _value(expr: Expression, scope: Scope) -> Expression:
    """What a name without arguments stands for, at any depth."""
    for _ in range(20):
        entity = scope.named(expr)
        if entity is None or entity.body is None:
            break
        expr, scope = entity.body, entity.scope
    return expr


def _instance_enabled(looked: _Looked) -> Iterator[ScopedExpression]:
    for each in looked.reaches():
        if each.expr.operator in ("ENABLED", "WF_", "SF_") and _substitutes(each.scope):
            lambdas = (one.expr for one in looked.inside(each) if one.expr.operator == "LAMBDA")
            if any(_applies(part, "'") for inner in lambdas for part in inner.walk()):
                yield each


def _substitutes(scope: Scope) -> bool:
    return any(entity.kind == "substituted" for entity in scope.names.values())


def _instance_names(looked: _Looked) -> Iterator[ScopedExpression]:
    outer = {each.name for each in looked.spec.variables} | {each.name for each in looked.spec.constants}
    for each in looked.reaches():
        entity = each.entity
        if entity is not None and entity.kind == "definition" and _substitutes(each.scope):
            plain = each.expr.operator.rpartition("!")[2]
            if plain in outer and entity.declaration.name == plain and not entity.enclosed:
                yield each


def _let_variable(looked: _Looked) -> Iterator[ScopedExpression]:
    reaches = list(looked.reaches("specification", "init", "next"))
    handed = {
        (each.entity, parameter)
        for each in reaches
        if each.entity is not None
        for parameter, argument in zip(each.entity.parameters, each.expr.arguments, strict=False)
        if _assignable(argument, each.scope)
    }
    for each in (each for each in reaches if each.expr.shape == "let"):
        scope = looked.spec.resolver.let(each.scope, each.expr)
        for definition in each.expr.definitions:
            body, name = definition.body, definition.name
            if body is None or definition.arity:
                continue
            primed = _applies(body, "'") and body.arguments[0].is_name()
            parameter = body.is_name() and (each.owner, body.operator) in handed
            if (primed or parameter) and any(_hands_on(one, name, scope) for one in each.expr.walk()):
                yield each


def _assignable(expr: Expression, scope: Scope) -> bool:
    """Whether an expression is a variable, primed or not, or a parameter, which has no entity."""
    name = expr.arguments[0] if _applies(expr, "'") else expr
    entity = scope.named(name)
    return name.is_name() and (entity is None or entity.kind == "variable")


def _hands_on(expr: Expression, name: str, scope: Scope) -> bool:
    """Whether an expression hands a name to an operator of the user's; those of the standard modules assign nothing."""
    user = expr.shape == "apply" and scope.find(expr.operator) is not None
    return user and any(one.is_name() and one.operator == name for one in expr.arguments)


def _constant_formula(looked: _Looked) -> Iterator[ScopedExpression]:
    levels = looked.levels
    for each in looked.reaches("properties"):
        expr = each.expr
        if _applies(expr, "~>", "<>"):
            part = expr.arguments[0]
        elif _applies(expr, "[]") and _applies(expr.arguments[0], "=>"):
            part, right = expr.arguments[0].arguments
            if levels.of_expression(right, each.scope) < Level.TEMPORAL:
                continue
        else:
            continue
        harmless = part.shape == "literal" and part.text == "TRUE" and not _applies(expr, "<>")
        if levels.of_expression(part, each.scope) is Level.CONSTANT and not harmless:
            yield each


def _recurrence(looked: _Looked) -> Iterator[ScopedExpression]:
    for root in looked.roots("properties"):
        for each in conjuncts(root, "\\A"):
            kinds = set(_disjuncts(each, looked.levels, negated=False))
            if kinds == {"now", "recurs"} and _applies(each.expr, "=>", "\\/"):
                yield each


def _disjuncts(each: ScopedExpression, levels: Levels, *, negated: bool) -> Iterator[str]:
    """What a formula asks for, part by part: ``now``, of this state or all; ``recurs``, again and again; or ``other``."""
    expr, entity = each.expr, each.entity
    if levels.of_expression(expr, each.scope) <= Level.STATE:
        yield "now"
        return
    if expr.is_name() and entity is not None and entity.body is not None:
        inner = ScopedExpression(expr=entity.body, scope=entity.scope, owner=entity)
        yield from _disjuncts(inner, levels, negated=negated)
        return
    parts = [ScopedExpression(expr=part, scope=each.scope, owner=each.owner) for part in expr.arguments]
    if _applies(expr, "~"):
        yield from _disjuncts(parts[0], levels, negated=not negated)
    elif _applies(expr, "=>") and not negated:
        yield from _disjuncts(parts[0], levels, negated=True)
        yield from _disjuncts(parts[1], levels, negated=False)
    elif _applies(expr, "/\\" if negated else "\\/"):
        for part in parts:
            yield from _disjuncts(part, levels, negated=negated)
    elif _applies(expr, "<>", "[]"):
        inside = expr.arguments[0]
        if _applies(inside, "[]", "<>") and inside.operator != expr.operator:
            yield "recurs"
        else:
            every = expr.operator == ("<>" if negated else "[]")
            yield "now" if every and levels.of_expression(inside, each.scope) <= Level.STATE else "other"
    else:
        yield "other"


def _other_conjunct(looked: _Looked, *operators: str) -> Iterator[ScopedExpression]:
    for name in (name for key, name in looked.names if key == "specification"):
        for each in steps(looked.spec, name):
            if _applies(each.expr, *operators) and each.expr.arguments[0].operator != "[]_":
                yield each


def _level(looked: _Looked) -> Iterator[ScopedExpression]:
    for each in looked.reaches("constraints", "action_constraints", "next", "specification"):
        if _library(each, "TLCGet") and each.expr.arguments and each.expr.arguments[0].text == '"level"':
            yield each


def _several_workers(looked: _Looked) -> Iterator[ScopedExpression]:
    if looked.workers != 1:
        for root in looked.roots("properties"):
            if looked.levels.of_expression(root.expr, root.scope) is Level.TEMPORAL:
                yield root


def _empty_function_sets(looked: _Looked) -> Iterator[ScopedExpression]:
    for comparison in looked.reaches():
        if not _applies(comparison.expr, "=", "#"):
            continue
        sides = [_value(side, comparison.scope) for side in comparison.expr.arguments]
        if all(side.operator == "[->]" for side in sides):
            parts = [part for side in sides for part in side.arguments]
            if any(_is_empty_set(_value(part, comparison.scope)) for part in parts):
                yield comparison


def _is_empty_set(expr: Expression) -> bool:
    """Whether an expression is written as the empty set, ``{}``."""
    return expr.shape == "build" and expr.operator == "{}" and not expr.arguments


FAULTS: tuple[Fault, ...] = (
    Fault(
        code="lazy-except",
        issue=1145,
        kind="wrong",
        construct="an update of a function constructor, handed to an operator whose result is applied at once",
        effect="reads the function without the update",
        fixed="2025-02-18",
        found=_lazy_except,
    ),
    Fault(
        code="shared-except",
        issue=1302,
        kind="wrong",
        construct="an update of a function whose domain is a set of functions",
        effect="can lose a key at the second update",
        fixed="2026-02-10",
        found=_shared_except,
    ),
    Fault(
        code="instance-enabled",
        issue=725,
        kind="wrong",
        construct="ENABLED or fairness inside an instance, of an action with a primed variable in a LAMBDA",
        effect="can take the action for enabled where it is not",
        fixed="2026-03-09",
        found=_instance_enabled,
    ),
    Fault(
        code="recurrence",
        issue=1037,
        kind="bogus",
        construct="a property with a predicate on states or []P as one alternative and <>[]Q or []<>Q as another",
        effect="can report a prefix without a loop as its violation",
        since="2022-01-31",
        fixed="2026-03-13",
        maintained="1980-01-01",
        found=_recurrence,
    ),
    Fault(
        code="constant-formula",
        issue=604,
        kind="bogus",
        construct="a constant expression where a temporal formula has a predicate on states",
        effect="can report a violation that does not exist",
        fixed="2021-04-20",
        found=_constant_formula,
    ),
    Fault(
        code="random-eval",
        issue=648,
        kind="wrong",
        construct="TLCEval around a random value",
        effect="draws the value anew at each evaluation",
        fixed="2022-02-24",
        found=_random_eval,
    ),
    Fault(
        code="instance-names",
        issue=362,
        kind="wrong",
        construct="a definition of an instance with the name of a variable or constant of the module around it",
        effect="takes one for the other",
        fixed="2021-01-22",
        maintained="2024-08-08",
        found=_instance_names,
    ),
    Fault(
        code="let-variable",
        issue=798,
        kind="lost",
        construct="a variable that an action assigns through LET z == x IN Op(z)",
        effect="can lose states without a word",
        fixed="2023-03-16",
        maintained="2024-08-08",
        found=_let_variable,
    ),
    Fault(
        code="liveness-workers",
        issue=971,
        kind="wrong",
        construct="a temporal property checked by several workers",
        effect="can miss a violation",
        fixed="2024-07-25",
        maintained="2024-07-25",
        found=_several_workers,
    ),
    Fault(
        code="boxed-conjunct",
        issue=525,
        kind="bogus",
        construct="a conjunct []P or <>P of the specification, P a predicate on states",
        effect="ignores it without a word",
        fixed="2022-07-14",
        found=lambda looked: _other_conjunct(looked, "[]", "<>"),
    ),
    Fault(
        code="negated-conjunct",
        issue=0,
        kind="bogus",
        construct="a conjunct of the specification that negates a temporal formula",
        effect="ignores it without a word",
        found=lambda looked: _other_conjunct(looked, "~"),
    ),
    Fault(
        code="level-from-zero",
        issue=0,
        kind="lost",
        construct='TLCGet("level")',
        effect="counts it from 0, later releases from 1, so that a bound on it cuts at another depth",
        fixed="2021-04-02",
        found=_level,
    ),
    Fault(
        code="empty-functions",
        issue=1407,
        kind="wrong",
        construct="an equality of sets of functions [S -> T] in which S or T is empty",
        effect="can call equal sets unequal",
        # Merged in the first days of September 2026.
        fixed="2026-09-14",
        found=_empty_function_sets,
    ),
    Fault(
        code="view-liveness",
        issue=0,
        kind="wrong",
        construct="a temporal property checked with a VIEW that leaves out a variable",
        effect="looks for loops among views instead of states",
        handled="`view-liveness`, an error of the gate",
    ),
    Fault(
        code="substitution-instance",
        issue=792,
        kind="wrong",
        construct="a substitution in a config of a definition that comes by INSTANCE",
        effect="ignores it without a word",
        handled="writes the form that works, `[Module]`; `substitution-instance`, an error of lint",
    ),
    Fault(
        code="simulated-liveness",
        issue=204,
        kind="bogus",
        construct="a temporal property that is simulated",
        effect="can close a behaviour into a loop that the specification's fairness rules out",
        handled="believes a violation only where TLC confirms its loop",
    ),
    Fault(
        code="simulated-assumption",
        issue=496,
        kind="wrong",
        construct="an ASSUME of a model that is simulated",
        effect="does not evaluate it",
        fixed="2020-08-10",
        maintained="2020-12-31",
        handled="`tlc-lacks`, a note",
    ),
    Fault(
        code="named-temporal",
        issue=1134,
        kind="loud",
        construct="a temporal formula handed to an operator",
        effect="stops",
        fixed="2025-02-07",
    ),
    Fault(
        code="state-argument",
        issue=1244,
        kind="loud",
        construct="a conjunct of the specification that is an operator applied to the initial predicate",
        effect="stops",
        since="2025-02-07",
        fixed="2026-02-20",
        maintained="1980-01-01",
    ),
    Fault(
        code="eval-constant",
        issue=0,
        kind="loud",
        construct="TLCEval in place of a constant operator",
        effect="stops",
        since="2022-02-06",
        maintained="1980-01-01",
    ),
    Fault(
        code="instance-prime",
        issue=725,
        kind="loud",
        construct="ENABLED of an expression with a primed variable of an instance",
        effect="stops",
        fixed="2026-03-09",
    ),
    Fault(
        code="many-fairness",
        issue=742,
        kind="loud",
        construct="more than 31 conditions of strong fairness",
        effect="stops, or calls the property a tautology",
    ),
    Fault(
        code="instance-fairness",
        issue=748,
        kind="loud",
        construct=(
            "fairness, outside of an instance, of an action of the instance, "
            "one of whose variables is an expression outside"
        ),
        effect="stops, and calls a variable undefined; fairness written inside the instance works",
        handled="names this cause and the way round beside TLC's message",
    ),
    Fault(
        code="unequal-domains",
        issue=652,
        kind="loud",
        construct=(
            "a comparison of functions or records whose domains have the same size but differ, "
            "and whose values have different types"
        ),
        effect="stops; they are unequal",
        fixed="2021-07-29",
    ),
    Fault(
        code="silent-error",
        issue=763,
        kind="loud",
        construct="fairness whose subscript takes two values that TLC cannot compare",
        effect="stops without a message",
        since="2021-05-06",
        maintained="1980-01-01",
        handled="repeats the run with another installed TLC, and shows that one's message",
    ),
)


KNOWN_WRONG = "jar-known-wrong"


@rule(Severity.WARNING, KNOWN_WRONG)
def known_wrong(subject: Subject) -> Iterator[Finding]:
    """The TLC in use is known to answer this construct wrongly, without saying so."""
    if subject.dialect is None:
        return
    jar, names = subject.dialect.jar, tuple((each.key, each.name) for each in subject.mentions)
    tlc = f"{jar.tlc} of {jar.date or 'unknown date'}"
    for spec in subject.specs:
        looked = _Looked(names=names, spec=spec, workers=subject.workers)
        met = dict(_met(looked))
        # The keyword of a definition that nothing names is not known.
        unnamed = replace(looked, names=tuple(("", name) for name in spec.definitions))
        beyond = dict(_met(unnamed)) if subject.everything else {}
        for fault, where in (beyond | met).items():
            if fault.concerns(jar):
                known = f" ({fault.source})" if fault.source else ""
                message = f"{fault.construct}: {tlc} {fault.effect}{known}"
                hint = jar.newer if fault.fixed else "write it another way; no TLC is known to read it"
                module = next((m for m in spec.modules if m.name == where.scope.module.name), spec.root)
                place = Place.parse(module.where(where.expr.span))
                found = finding(KNOWN_WRONG, place, message, hint, fault.code)
                yield found if fault in met else replace(found, ignored=UNREACHED)


def faults_met(spec: ModuleGraph, config: Config, workers: int) -> tuple[Fault, ...]:
    """The faults whose constructs a model has, whatever its TLC; those that the text does not show are left out."""
    looked = _Looked(names=tuple(config.names()), spec=spec, workers=workers)
    return tuple(fault for fault, _ in _met(looked))


@deeply
def _met(looked: _Looked) -> tuple[tuple[Fault, ScopedExpression], ...]:
    """The faults that may pass unnoticed, each with the first place of its construct."""
    found = ((fault, next(fault.found(looked), None)) for fault in FAULTS if fault.found is not None)
    return tuple((fault, where) for fault, where in found if where is not None)
