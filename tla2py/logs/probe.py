"""The module of what an execution about a log prints."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError
from tla2py.logs.action_model import HiddenError, Source, behavior_parts
from tla2py.logs.file_reads import LogReach, is_reading
from tla2py.logs.literal import COUNT_NAME, LOG_MODULE, LOG_NAME
from tla2py.logs.mapping import GIVES, SHOWS
from tla2py.model.logs import LogPart, PartKind
from tla2py.model.model import Config
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import ActionParts, CopyPlace, formula_parts
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression
from tla2py.tla.parse import load_texts, parse_expression
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply
from tla2py.tlc.config.read import parse_config

PROBE = "Tla2pyWhy"
TAG = "tla2py:why"
"""The first element of what the execution prints."""
MOST_STATES = 20
"""How many of the states before a line are printed."""
# The steps of the specification that are printed for these states.
_MOST_STEPS = 500
PRINTER_MODULE = f"{PROBE}Tell"
# The end of the names that ``tla2py.logs.observation`` gives to the formula of a step and to its parts.
STEP = re.compile(r"_Step(_\d+)?$")
LAST = "LAST"
# The registers of TLCSet: the path, whether it is printed, the numbers of states and steps printed, whether the invariant was
# violated, and the steps printed for a position.
_PATH, _TELLS, _STATES, _STEPS, _SHOWN, _TAKEN = range(4100, 4106)


def printer_text(depths: list[int]) -> str:
    """The module of what the copies print, with registers of TLCSet, which are those of one worker.

    The path is the list of the numbers of the conjuncts that TLC has tried so far. A step is printed once for each position
    and path.
    """
    return f"""---- MODULE {PRINTER_MODULE} ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Depths == <<{", ".join(map(str, depths))}>>
Tells(position) == position = {LAST} /\\ TLCGet({_TELLS})
Begins == /\\ TLCSet({_PATH}, <<>>) /\\ TLCSet({_TELLS}, FALSE) /\\ TLCSet({_STATES}, 0)
          /\\ TLCSet({_STEPS}, 0) /\\ TLCSet({_SHOWN}, FALSE) /\\ TLCSet({_TAKEN}, <<0, {{}}>>)
LOCAL Tried(event, number, names, values) ==
  LET before == SelectSeq(TLCGet({_PATH}), LAMBDA each : Depths[each + 1] < Depths[number + 1])
  IN  /\\ TLCSet({_PATH}, Append(before, number))
      /\\ IF TLCGet({_TELLS}) THEN PrintT(<<"{TAG}", event, number, names, values>>) ELSE TRUE
Try(number, names, values) == Tried("try", number, names, values)
Bound(number, names, values) == Tried("bound", number, names, values)
Args(depth, name, names, values) ==
  IF TLCGet({_TELLS}) THEN PrintT(<<"{TAG}", "args", depth, name, names, values>>) ELSE TRUE
Never == FALSE
Pass(number) == TRUE
At(position, values) ==
  /\\ TLCSet({_PATH}, <<>>)
  /\\ PrintT(<<"{TAG}", "at", position>>)
  /\\ IF position = {LAST} /\\ TLCGet({_STATES}) < {MOST_STATES}
     THEN /\\ TLCSet({_STATES}, TLCGet({_STATES}) + 1)
          /\\ TLCSet({_TELLS}, TRUE)
          /\\ PrintT(<<"{TAG}", "state", values>>)
     ELSE TLCSet({_TELLS}, FALSE)
Step(position) ==
  LET path == TLCGet({_PATH})
      taken == TLCGet({_TAKEN})
  IN  IF taken[1] = position /\\ path \\in taken[2] THEN TRUE
      ELSE /\\ PrintT(<<"{TAG}", "step", position, path>>)
           /\\ TLCSet({_TAKEN}, <<position, {{path}} \\cup IF taken[1] = position THEN taken[2] ELSE {{}}>>)
Can(values) ==
  IF TLCGet({_STEPS}) >= {_MOST_STEPS} THEN TRUE
  ELSE TLCSet({_STEPS}, TLCGet({_STEPS}) + 1) /\\ PrintT(<<"{TAG}", "can", values>>)
Furthest(position) == position # {LAST} \\/ TLCGet({_SHOWN}) \\/ ~TLCSet({_SHOWN}, TRUE)
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProbe:
    """What TLC reads in such an execution, and what the numbers that it prints stand for."""

    texts: Mapping[str, str]
    config: Config
    parts: tuple[LogPart, ...]

    def until(self, last: int | None) -> LogProbe:
        """The execution that prints the states at the position ``last``."""
        teller, number = f"{PRINTER_MODULE}.tla", "-1" if last is None else str(last)
        return replace(self, texts={**self.texts, teller: self.texts[teller].replace(LAST, number)})


@dataclass(slots=True)
class _Subject:
    spec: ModuleGraph
    levels: Levels
    modules: dict[str, str]
    replaced: dict[str, str]


# The runs of a sweep share their modules.
@lru_cache(maxsize=16)
@deeply
def log_probe(
    main: str,
    modules: tuple[tuple[str, str], ...],
    config_text: str,
    position: str,
    entries: str | None,
    *,
    enabled: bool,
) -> LogProbe | None:
    """The execution about a run: its modules by file name, and its config. None if the behaviour cannot be copied.

    With ``enabled`` it also prints the steps of the specification itself in the states before the line.
    """
    with contextlib.suppress(InputError, HiddenError):
        texts, config = dict(modules), parse_config(config_text, Path("MC.cfg")).config
        written = f"{LOG_MODULE}.tla"
        if written not in texts:
            texts[written] = f"---- MODULE {LOG_MODULE} ----\n{LOG_NAME} == <<>>\n{COUNT_NAME} == 0\n====\n"
        else:
            written = ""
        spec = load_texts(main, texts)
        inits, step, scope = behavior_parts(spec, config)
        source, replaced = Source(spec), config.replacing_names
        init = " /\\ ".join(source.text(each, scope, "") for each in inits)
        named = config.replaced_names.get(step.operator, step.operator)
        relation = named if step.is_name() else source.text(step, scope, "").strip()
        own = _own_variables(spec, position)
        reach = _reach(spec, entries)
        nexts = ((name, reach.entity(spec.scope.names[name])) for name in spec.candidates.next)
        # The relation of the specification itself, which does not depend on the log.
        steps = next((name for name, needs in nexts if not needs.log and needs.variables & {*own}), None)
        steps = steps if enabled else None
        texts[f"{PROBE}.tla"] = _text(main, init, relation, steps, position, own)
        texts[f"{PRINTER_MODULE}.tla"] = printer_text([])
        spec = load_texts(PROBE, texts)
        subject = _Subject(spec=spec, levels=Levels(spec.resolver), modules=texts, replaced=replaced)
        reach, ours = _reach(spec, entries), frozenset(own)
        parts = _Parts(reach=reach, levels=subject.levels, own=ours, logging=_logging(reach, ours))
        copy = ActionParts(
            query=subject,
            name=f"{PROBE}_Both",
            printer=PRINTER_MODULE,
            action=None,
            # TLC may be unable to evaluate parameters so early.
            tells=lambda place: enabled and parts.is_action(place),
        )
        file = f"{PROBE}.tla"
        texts[file] = re.sub(rf"/\\ {PROBE}_Both$", rf"/\\ {copy.root}", texts[file], flags=re.MULTILINE)
        texts[f"{PRINTER_MODULE}.tla"] = printer_text(copy.depths)
        return LogProbe(
            texts={name: text for name, text in texts.items() if name != written},
            config=replace(
                config,
                specification=None,
                init=f"{PROBE}_Init",
                next=f"{PROBE}_Next",
                invariants=(f"{PROBE}_Furthest",),
                properties=(),
                postconditions=(),
                possible=(),
                alias=None,
                check_deadlock=False,
            ),
            parts=tuple(parts.part(copy, number) for number in range(len(copy.depths))),
        )
    return None


def _reach(spec: ModuleGraph, entries: str | None) -> LogReach:
    """What depends on the log, which is the definition ``entries``; without it, on any file."""

    def is_log(expr: Expression, entity: Entity | None) -> bool:
        if entity is not None and entity.declaration.name in (entries, LOG_NAME):
            return True
        return entries is None and is_reading(expr)

    return LogReach(spec=spec, is_log=is_log)


def _logging(reach: LogReach, own: frozenset[str]) -> frozenset[str]:
    """The modules with definitions that depend on the log, and without variables of the specification, ``own``."""
    spec = reach.spec
    found = {
        module.name
        for module in spec.modules
        for each in module.definitions
        if (entity := spec.scope_of(module).find(each.name)) is not None and reach.entity(entity).log
    }
    return frozenset(found) - {each.module for each in spec.variables if each.name in own}


def _own_variables(spec: ModuleGraph, position: str) -> list[str]:
    """The variables of the specification: not those declared beside the one that counts lines.

    If all are declared there, only that one is left out.
    """
    counting = parse_expression(position).names
    beside = {each.module for each in spec.variables if each.name in counting}
    found = [each.name for each in spec.variables if each.module not in beside]
    return found or [each.name for each in spec.variables if each.name not in counting]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What tells of a conjunct; ``own`` are the variables of the specification, ``logging`` the modules that read logs."""

    reach: LogReach
    levels: Levels
    own: frozenset[str]
    logging: frozenset[str]

    def part(self, copy: ActionParts, number: int) -> LogPart:
        """A conjunct of a copy."""
        conjunct, (expr, place) = copy.conjuncts[number], copy.found[number]
        exists = expr.operator == "\\E"
        judged = [each.domain for each in expr.bounds if each.domain is not None] if exists else [expr]
        needs = self.reach.expressions([(each, place.scope) for each in judged])
        kind: PartKind = "step" if not needs.log else "observed" if needs.variables & self.own else "line"
        return LogPart(
            kind=kind,
            text=_compared(expr) or conjunct.text,
            module=conjunct.module,
            line=conjunct.line,
            column=conjunct.column,
            depth=copy.depths[number],
            path=place.path,
            action=None if exists else self._action(expr, place),
        )

    def is_action(self, place: CopyPlace) -> bool:
        """Whether the innermost definition of a place is an action of the specification, or a step that tla2py wrote."""
        return STEP.search(place.path[-1]) is not None or self._action(None, place) == place.path[-1]

    def _action(self, expr: Expression | None, place: CopyPlace) -> str | None:
        """The outermost definition on the way to a conjunct, or the one that it calls, that is an action and needs no log.

        A definition that only chooses among others is none.
        """
        owners = [
            each for each in zip(place.path, place.owners, strict=True) if not each[0].startswith(PROBE)
        ]
        if expr is not None and (called := _called(expr, place.scope)) is not None:
            owners.append((called.declaration.name, called))
        following = [*(name for name, _ in owners[1:]), None]
        for (name, entity), after in zip(owners, following, strict=False):
            needs, choices = self.reach.entity(entity), self._choices(entity)
            if (
                self.levels.of_entity(entity) == Level.ACTION
                and entity.declaration.module not in self.logging
                and after not in choices
                and not needs.log
                and needs.variables & self.own
            ):
                # A guard of what it chooses is no action of its own.
                if choices and after is None and expr is not None:
                    return name if self._steps(expr, place.scope, entity) else None
                return name
        return None

    def _steps(self, expr: Expression, scope: Scope, entity: Entity) -> bool:
        """Whether a part of a definition says how a variable changes, or calls what does."""
        level = self.levels.of_expression(expr, scope, frozenset(entity.parameters))
        return level == Level.ACTION and expr.operator != "UNCHANGED"

    def _choices(self, entity: Entity) -> set[str]:
        """The definitions that a definition chooses among.

        There are none if it says itself how a variable changes, since what it calls are helpers then, unless it is the
        next-state relation.
        """
        spec = self.reach.spec
        pending = [(entity.body, entity.scope)] if entity.body is not None else []
        found, acts = set[str](), False
        while pending:
            expr, scope = pending.pop()
            inside = spec.resolver.let(scope, expr) if expr.shape == "let" else scope
            parts = formula_parts(expr)
            steps = [each for each in parts if self._steps(each, inside, entity)]
            # An action that says what stays unchanged beside what it calls is not a choice among actions.
            helped = any(each.operator == "UNCHANGED" for each in parts) and all(
                _called(s, inside) for s in steps
            )
            if (called := _called(expr, scope)) is not None:
                found.add(called.declaration.name)
            elif not parts or (expr.operator == "/\\" and (len(steps) > 1 or helped)):
                acts = True
            else:
                pending += [(each, inside) for each in steps]
        return set() if acts and entity.declaration.name not in spec.candidates.next else found


def _compared(expr: Expression) -> str | None:
    """What a conjunct of a module for logs compares, in the terms of the line; None for any other conjunct."""
    if expr.operator == GIVES:
        name = expr.arguments[1].text.strip('"')
        return f"{name} = args.{name}"
    if expr.operator == "=>" and expr.arguments[0].operator == SHOWS:
        name = expr.arguments[0].arguments[1].text.strip('"')
        return f"{name}' = state.{name}"
    return None


def _called(expr: Expression, scope: Scope) -> Entity | None:
    """The definition that an expression calls."""
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    return entity if entity is not None and entity.kind == "definition" else None


def _text(main: str, init: str, relation: str, steps: str | None, position: str, own: list[str]) -> str:
    def record(prime: str) -> str:
        return f"[{', '.join(f'{name} |-> {name}{prime}' for name in own)}]"

    can = [
        f"{PROBE}_Can == {steps}",
        f"{PROBE}_Both == \\/ ({PROBE}_Takes /\\ Tell!Step({position}))",
        f"{' ' * len(PROBE)}         \\/ (Tell!Tells({position}) /\\ {PROBE}_Can /\\ Tell!Can({record(chr(39))}) /\\ FALSE)",
    ]
    return "\n".join(
        [
            f"---- MODULE {PROBE} ----",
            f"EXTENDS {main}",
            f"LOCAL Tell == INSTANCE {PRINTER_MODULE}",
            f"{PROBE}_Takes == {relation}",
            *(can if steps else [f"{PROBE}_Both == {PROBE}_Takes /\\ Tell!Step({position})"]),
            f"{PROBE}_Init == {init}",
            f"{PROBE}_Next ==",
            f"  /\\ Tell!At({position}, {record('')})",
            f"  /\\ {PROBE}_Both",
            f"{PROBE}_Furthest == Tell!Furthest({position})",
            "ASSUME Tell!Begins",
            "====",
            "",
        ]
    )
