"""What a specification asks of behaviours beside ``Init`` and ``[][Next]_v``, found in its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tla2py.analysis.reference_join import Side, without_checks
from tla2py.tla.instrument import Edit, edited
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression, Module
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply

_CONDITION = "Tla2pyCondition"
_CONJUNCT = "Tla2pyConjunct"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecConjunct:
    """A conjunct of a specification, such as ``WF_vars(Decide)``, with the definition and module around it.

    It asks for ``progress`` if it is ``WF_v(Next)`` or ``SF_v(Next)`` in a specification with ``[][Next]_v``:
    as long as a step is possible, one is taken.
    """

    expr: Expression
    scope: Scope
    definition: Definition
    module: Module
    progress: bool = False

    @property
    def text(self) -> str:
        """Return the conjunct as it is written, on one line."""
        return self.module.excerpt(self.expr.span)


@dataclass(slots=True, kw_only=True)
class SpecificationParts:
    """The conjuncts of a specification: initial predicates, each ``[][A]_v``, and other ``conditions``."""

    initial: list[SpecConjunct] = field(default_factory=list)
    relations: list[SpecConjunct] = field(default_factory=list)
    conditions: list[SpecConjunct] = field(default_factory=list)


@deeply
def find_parts(side: Side) -> SpecificationParts:
    """Return the conjuncts of the specification in a config; none if it names ``Init`` and ``Next``."""
    finder = _PartFinder(side)
    entity = side.spec.scope.find(side.config.specification or "")
    if entity is not None:
        finder.enter(entity)

    parts = finder.parts
    parts.conditions = [
        replace(condition, progress=any(_is_progress(condition, relation) for relation in parts.relations))
        for condition in parts.conditions
    ]
    return parts


@dataclass(slots=True)
class _PartFinder:
    """Collects the conjuncts of definitions."""

    side: Side
    parts: SpecificationParts = field(default_factory=SpecificationParts)
    _seen: set[Entity] = field(default_factory=set)

    def enter(self, entity: Entity) -> None:
        """Collect the conjuncts of a definition."""
        definition = entity.declaration
        if entity.body is None or not isinstance(definition, Definition) or entity in self._seen:
            return
        self._seen.add(entity)
        self._visit(entity.body, entity.scope, definition)

    def _visit(self, expr: Expression, scope: Scope, definition: Definition) -> None:
        module = self.side.spec.file_of(definition)
        conjunct = SpecConjunct(expr=expr, scope=scope, definition=definition, module=module)
        if Levels(self.side.spec.resolver).of_expression(expr, scope) <= Level.STATE:
            self.parts.initial.append(conjunct)
            return
        if expr.shape == "apply" and expr.operator == "/\\":
            for argument in expr.arguments:
                self._visit(argument, scope, definition)
            return

        named = scope.named(expr)
        if named is not None and named.kind == "definition" and "!" not in expr.operator:
            self.enter(named)
        elif expr.operator == "[]" and expr.arguments[0].operator == "[]_":
            self.parts.relations.append(conjunct)
        else:
            self.parts.conditions.append(conjunct)


def _is_progress(condition: SpecConjunct, relation: SpecConjunct) -> bool:
    """Return whether a condition is the fairness of the action in ``[][A]_v``, with the same subscript."""
    if condition.expr.operator not in ("WF_", "SF_") or condition.scope is not relation.scope:
        return False
    subscript, action = condition.expr.arguments
    next_action, next_subscript = relation.expr.arguments[0].arguments
    return _is_same_text(condition.module, action, next_action) and _is_same_text(
        condition.module, subscript, next_subscript
    )


def _is_same_text(module: Module, one: Expression, other: Expression) -> bool:
    return module.excerpt(one.span) == module.excerpt(other.span)


def with_conditions(side: Side, conditions: Sequence[SpecConjunct]) -> Side:
    """Return a side that checks conditions alone, each as a property, see ``condition_names``.

    Of progress it checks that some step is taken: the other specification may take larger or smaller steps.
    """
    names = condition_names(conditions)
    defined = _with_definitions(side, dict(zip(names, conditions, strict=True)))
    return replace(defined, config=replace(without_checks(side.config), properties=tuple(names)))


def condition_names(conditions: Sequence[SpecConjunct]) -> list[str]:
    """Return the names that conditions have as properties."""
    return [f"{_CONDITION}{number}" for number in range(1, len(conditions) + 1)]


def with_conjuncts(side: Side, conjuncts: Sequence[SpecConjunct]) -> tuple[Side, list[str]]:
    """Return a side in which conjuncts have names, and these."""
    names = [f"{_CONJUNCT}{number}" for number in range(1, len(conjuncts) + 1)]
    return _with_definitions(side, dict(zip(names, conjuncts, strict=True))), names


def _with_definitions(side: Side, conjuncts: Mapping[str, SpecConjunct]) -> Side:
    """Return a side whose modules define conjuncts by name, each after the definition that it is in."""
    edits: dict[str, list[Edit]] = {}
    for name, conjunct in conjuncts.items():
        # What follows the definition on its line, such as a comment, comes after the new one.
        end = conjunct.definition.span
        edit = Edit(end.end_line, end.end_column + 1, f"\n{_definition_text(name, conjunct)}\n")
        edits.setdefault(conjunct.module.name, []).append(edit)

    modules: list[Module] = []
    for module in side.spec.modules:
        lines = edited(module.text.split("\n"), edits.get(module.name, ()))
        modules.append(replace(module, text="\n".join(lines)))
    root = next(module for module in modules if module.name == side.spec.root.name)
    return replace(side, spec=replace(side.spec, root=root, modules=tuple(modules)))


def _definition_text(name: str, conjunct: SpecConjunct) -> str:
    module = conjunct.module
    if not conjunct.progress:
        return f"{name} ==\n{module.padded(conjunct.expr.span)}"
    subscript, action = conjunct.expr.arguments
    return "\n".join(
        (
            f"{name}Step ==\n{module.padded(action.span)}",
            f"{name}View ==\n{module.padded(subscript.span)}",
            f"{name} == ([]<>~ENABLED <<{name}Step>>_{name}View) \\/ ([]<><<TRUE>>_{name}View)",
        )
    )
