"""Confirming a counterexample with TLC itself: the trace is written out as a module whose only behaviour it is.

That module is checked twice. First against the model's own specification as a property: TLC then says whether the first
state satisfies the initial predicate, each step the next-state relation, and the lasso, or the stuttering, the fairness
conditions. Then against what the trace is said to violate, which has to fail at its last state.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tla2py.cfg.read import parse_config
from tla2py.cfg.render import default_template, render_config
from tla2py.errors import InputError
from tla2py.execute import execute_run
from tla2py.outcome import Verdict
from tla2py.result import RunResult
from tla2py.run import Config, Run, RunRecord, TlcOptions, digest_run, digest_text
from tla2py.syntax import Spec, load_spec
from tla2py.tlc.codes import Code
from tla2py.tlc.toolchain import Toolchain
from tla2py.trace import State, Trace
from tla2py.values import format_value, state_to_itf

_MODULE = "ConfirmTrace"
_INDEX = "confirmTraceIndex"
_STUCK = "deadlock"
# What TLC prints in place of a value that it did not evaluate.
_NO_VALUE = re.compile(r"<expression|<LAZY|<Operator|<Java Method|\bUNDEF\b|\bnull\b|\{ <")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Whether TLC confirms a trace; ``reason`` says in words what was confirmed, or what is wrong with the trace."""

    confirmed: bool
    reason: str


def confirm_trace(
    trace: Trace, record: RunRecord, sources: Mapping[str, str], toolchain: Toolchain
) -> Confirmation:
    """TLC's own judgement of a trace that a run with this record found; ``sources`` gives module texts by sha256.

    Raises InputError (``not-confirmable``) for a trace that cannot be written as a module: one whose states were made
    by an ALIAS, or hold a value that TLC printed without evaluating it.
    """
    config = parse_config(record.executions[0].config_text, Path("MC.cfg")).config
    if config.alias:
        raise InputError("not-confirmable", f"the states are those of the ALIAS {config.alias}")
    spec = _spec(record, sources)
    checker = _Checker(trace, record, sources, toolchain, config, spec)
    problem = checker.behaviour() or checker.violation()
    said = f"{trace.name or trace.kind} violated {'by the whole' if _forever(trace) else 'in the last'}"
    return Confirmation(
        confirmed=problem is None,
        reason=problem or f"{len(trace.states)} states, each a step of the specification; {said}",
    )


def _forever(trace: Trace) -> bool:
    return trace.stuttering or trace.loop_start is not None


def _spec(record: RunRecord, sources: Mapping[str, str]) -> Spec:
    with tempfile.TemporaryDirectory(prefix="tla2py-") as folder:
        for name, sha256 in record.modules:
            (Path(folder) / name).write_text(sources[sha256], encoding="utf-8")
        return load_spec(Path(folder) / f"{record.main}.tla")


class _Checker:
    """The checks of one trace."""

    def __init__(
        self,
        trace: Trace,
        record: RunRecord,
        sources: Mapping[str, str],
        toolchain: Toolchain,
        config: Config,
        spec: Spec,
    ) -> None:
        self.trace, self.record, self.sources = trace, record, sources
        self.toolchain, self.config, self.spec = toolchain, config, spec
        self.variables = tuple(variable.name for variable in spec.variables)
        names = {name for state in trace.states for name in _model_values(state)}
        self.model_values = sorted(names - {constant.name for constant in spec.constants})
        self._check_writable()

    def _check_writable(self) -> None:
        for state in self.trace.states:
            if set(state.values) != set(self.variables):
                raise InputError("not-confirmable", f"state {state.index} does not have the spec's variables")
            for variable, value in state.values.items():
                if _NO_VALUE.search(re.sub(r'"(\\.|[^"\\])*"', '""', format_value(value))):
                    raise InputError(
                        "not-confirmable", f"TLC printed no value for {variable} in state {state.index}"
                    )
        for name in self.model_values:
            if not re.fullmatch(r"\w*[A-Za-z]\w*", name) or name in self.spec.definitions:
                raise InputError("not-confirmable", f"the model value {name} cannot be named in a module")

    def behaviour(self) -> str | None:
        """What is wrong with the trace as a behaviour of the specification; None if nothing is."""
        original = self.config.specification or "ConfirmTraceOriginal"
        result = self._check(properties=(original,))
        kinds = {violation.kind for violation in result.violations}
        found = max((len(trace.states) for trace in result.traces), default=0)
        if "action_property" in kinds:
            if _forever(self.trace) and found > len(self.trace.states):
                return f"state {self.trace.loop_start} does not follow state {len(self.trace.states)}"
            return f"state {found} does not follow state {found - 1}"
        if any(diagnostic.code == Code.PROPERTY_INITIAL for diagnostic in result.diagnostics):
            return "the first state is no initial state"
        if kinds == {"temporal_property"}:
            # A finite trace need not be fair.
            return "the behaviour is not fair" if _forever(self.trace) else None
        return None if result.verdict is Verdict.HOLDS else f"TLC could not follow it: {_said(result)}"

    def violation(self) -> str | None:
        """Why the trace does not violate what it is said to violate; None if it does."""
        kind, name = self.trace.kind, self.trace.name
        if kind == "deadlock":
            result = self._check(invariants=("ConfirmTraceNotStuck",))
            return self._failed_at_end(result, "a step is possible in the last state")
        if kind == "assert":
            result = self._check(specification="ConfirmTraceOneMore")
            stopped = "Assert" in _said(result) or any(v.kind == "assert" for v in result.violations)
            return None if stopped else "no step from the last state fails an assertion"
        if kind == "invariant":
            if name not in self.spec.definitions:
                return f"there is no definition {name}"
            return self._failed_at_end(
                self._check(invariants=(name,)), f"{name} holds in the last state or fails before"
            )
        if name not in self.spec.definitions:
            return f"there is no definition {name}"
        result = self._check(properties=(name,))
        if kind == "action_property":
            return self._failed_at_end(result, f"{name} holds of the last step or fails before")
        return None if result.violations else f"{name} holds of this behaviour"

    def _failed_at_end(self, result: RunResult, otherwise: str) -> str | None:
        if result.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
            return f"TLC could not evaluate it: {_said(result)}"
        length = max((len(trace.states) for trace in result.traces), default=0)
        return None if result.violations and length == len(self.trace.states) else otherwise

    def _check(
        self,
        *,
        specification: str = "ConfirmTraceSpec",
        invariants: Iterable[str] = (),
        properties: Iterable[str] = (),
    ) -> RunResult:
        config = Config(
            specification=specification,
            assignments=(*self.config.assignments, *self._new_model_values()),
            substitutions=self.config.substitutions,
            invariants=tuple(invariants),
            properties=tuple(properties),
            check_deadlock=False,
        )
        module, main = self._module(), self._main()
        own = {f"{_MODULE}.tla": digest_text(module), f"{self.record.main}.tla": digest_text(main)}
        modules = tuple({**dict(self.record.modules), **own}.items())
        text = render_config(config, default_template())
        options = TlcOptions(check_deadlock=False, java_options=self.record.options.java_options)
        run = Run(
            run_id=digest_run(_MODULE, modules, text, options, self.toolchain.jar.sha256),
            main=_MODULE,
            modules=modules,
            config=config,
            config_text=text,
            template=default_template(),
            options=options,
            limits=self.record.limits,
            jar_sha256=self.toolchain.jar.sha256,
        )
        with execute_run(
            run, {**self.sources, digest_text(module): module, digest_text(main): main}, self.toolchain
        ) as executed:
            return executed.result

    def _new_model_values(self) -> Iterable[tuple[str, str]]:
        assigned = {name for name, _ in self.config.assignments}
        return ((name, name) for name in self.model_values if name not in assigned)

    def _main(self) -> str:
        """The root module, with what the check names visible to the module that extends it."""
        text = self.sources[dict(self.record.modules)[f"{self.record.main}.tla"]]
        config = self.config
        named = (config.specification, config.init, config.next, self.trace.name, *self.spec.nexts[:1])
        named = (*named, *(definition for _, definition in config.substitutions))
        names = "|".join(re.escape(name) for name in named if name)
        return re.sub(rf"\bLOCAL(?=\s+({names})\s*==)", "", text) if names else text

    def _module(self) -> str:
        names = ", ".join(self.variables)
        count = len(self.trace.states)
        states = ",\n  ".join(
            "[" + ", ".join(f"{name} |-> {format_value(state.values[name])}" for name in self.variables) + "]"
            for state in self.trace.states
        )
        here = [f"/\\ {name} = ConfirmTraceStates[{_INDEX}].{name}" for name in self.variables]
        there = [f"/\\ {name}' = ConfirmTraceStates[{_INDEX}'].{name}" for name in self.variables]
        after = f"{_INDEX} + 1"
        if self.trace.loop_start is not None:
            after = f"IF {_INDEX} = {count} THEN {self.trace.loop_start} ELSE {after}"
        lines = [
            f"---- MODULE {_MODULE} ----",
            f"EXTENDS {self.record.main}, Integers, TLC",
            *([f"CONSTANTS {', '.join(self.model_values)}"] if self.model_values else []),
            f"VARIABLE {_INDEX}",
            f"ConfirmTraceStates == <<\n  {states}\n>>",
            f"ConfirmTraceVars == <<{names}, {_INDEX}>>",
            f"ConfirmTraceInit ==\n  /\\ {_INDEX} = 1\n  " + "\n  ".join(here),
            "ConfirmTraceNext ==",
            *([] if self.trace.loop_start is not None else [f"  /\\ {_INDEX} < {count}"]),
            f"  /\\ {_INDEX}' = {after}",
            *(f"  {line}" for line in there),
            "ConfirmTraceSpec ==",
            "  /\\ ConfirmTraceInit",
            "  /\\ [][ConfirmTraceNext]_ConfirmTraceVars",
            # Without this the trace could stop anywhere, which is no lasso of its own.
            *(["  /\\ WF_ConfirmTraceVars(ConfirmTraceNext)"] if _forever(self.trace) else []),
        ]
        if self.config.specification is None:
            lines.append(f"ConfirmTraceOriginal == {self.config.init} /\\ [][{self.config.next}]_<<{names}>>")
        if self.trace.kind == "deadlock":
            lines.append(f"ConfirmTraceNotStuck == {_INDEX} = {count} => ENABLED ({self._next()})")
        if self.trace.kind == "assert":
            # ENABLED would stop at the first step it finds; this looks for all of them.
            step = f"{_INDEX} = {count} /\\ {_INDEX}' = {count + 1} /\\ ({self._next()})"
            lines.append(
                f"ConfirmTraceOneMore == ConfirmTraceInit /\\ [][ConfirmTraceNext \\/ ({step})]_ConfirmTraceVars"
            )
        return "\n".join([*lines, "====", ""])

    def _next(self) -> str:
        found = self.config.next or next(iter(self.spec.nexts), None)
        if found is None:
            raise InputError("not-confirmable", "the specification names no next-state relation")
        return found


def _model_values(state: State) -> list[str]:
    meta = state_to_itf(state.values).get("#meta")
    names = meta.get("modelValues") if isinstance(meta, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _said(result: RunResult) -> str:
    errors = [d.text for d in result.diagnostics if d.severity == "error"]
    return " ".join((errors[0] if errors else result.outcome.value).split())[:300]
