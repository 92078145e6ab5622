"""Questions of the explorer that runs of TLC answer, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tla2py.errors import InputError
from tla2py.explore.questions import origin_of, require_modules, stored_successors
from tla2py.explore.traces import verify_traces
from tla2py.explore.view import StoreView
from tla2py.explorer.data import StoreData
from tla2py.replay.confirm import first_outside, follow_trace
from tla2py.replay.enabled import evaluate_enabled
from tla2py.replay.query import Origin
from tla2py.show.plain import action_text, derived, step_changes
from tla2py.toolchain.toolchain import find_toolchain
from tla2py.trace.trace import Trace

Question = Mapping[str, object]


class Answers:
    """Answers questions about the counterexamples of a store.

    A question names what it asks, ``ask``, and a counterexample by its ``number``. Raises InputError: ``usage`` for a
    question that is not understood, and as the analyses do.
    """

    def __init__(self, data: StoreData, tla2tools: Path | None = None) -> None:
        self._data = data
        self._view = data.view
        self._tla2tools = tla2tools

    def answer(self, question: Question) -> object:
        """The answer to a question."""
        match question:
            case {"ask": "values", "number": int(number), "expression": str(expression)}:
                return self._values(self._at(number), expression)
            case {"ask": "conjuncts", "number": int(number)}:
                return self._conjuncts(self._at(number))
            case {"ask": "successors", "number": int(number), "state": int(state)}:
                return self._successors(self._at(number), state)
            case {"ask": "confirm", "number": int(number)}:
                return self._confirm(self._at(number))
            case {"ask": "arguments", "number": int(number)}:
                return self._arguments(self._at(number))
            case {"ask": "replay", "number": int(number), "point": int(point), "other": bool(other)}:
                compared = self._data.other if other else self._data.own
                if compared is not None:
                    return self._replay(number, point, compared.view)
        raise InputError("usage", "the explorer cannot answer this question", hint="reload the page")

    def _at(self, number: int) -> tuple[int, int]:
        if not 0 <= number < len(self._data.own.found):
            raise InputError("usage", f"no counterexample {number}", hint="reload the page")
        one = self._data.own.found[number]
        return one.point, one.trace

    def _values(self, at: tuple[int, int], expression: str) -> object:
        """The value of an expression in each state, as text."""
        trace = self._view.with_values(expression, tla2tools=self._tla2tools).trace(*at)
        return {"values": [dict(state.evaluated).get(expression, "") for state in trace.states]}

    def _conjuncts(self, at: tuple[int, int]) -> object:
        """The conjuncts of the violated invariant with their values in each state."""
        found = self._view.conjuncts(*at, tla2tools=self._tla2tools)
        return {"rows": [row.to_json() for row in found.rows], "turning": found.to_json()}

    def _successors(self, at: tuple[int, int], state: int) -> object:
        """The steps from a state with their changes, and the actions that are not enabled there."""
        found = stored_successors(self._view, *at, state, self._tla2tools)
        return {
            "steps": [
                {"action": action_text(each), "changes": list(step_changes(found.state, each))}
                for each in found.states
            ],
            "disabled": list(found.disabled),
        }

    def _confirm(self, at: tuple[int, int]) -> object:
        """TLC's judgement of the counterexample, with the reason."""
        [judged] = verify_traces(self._view, find_toolchain(self._tla2tools), *at)
        return {"judgement": judged.judgement, "reason": judged.reason}

    def _arguments(self, at: tuple[int, int]) -> object:
        """The actions with their arguments, for each state."""
        trace = self._view.with_arguments(self._tla2tools).trace(*at)
        return {"actions": [action_text(state) for state in trace.states], "derived": derived(trace)}

    def _replay(self, number: int, point: int, view: StoreView) -> object:
        """The first step of a counterexample that another point does not allow, and what forbids it there."""
        require_modules(view)
        trace = self._view.trace(*self._at(number))
        entry = view.points.find(point)
        if entry is None:
            raise InputError("usage", f"no point {point}", hint="reload the page")
        origin = origin_of(view, entry.run_id, find_toolchain(self._tla2tools))
        stop, outside = follow_trace(trace, origin), first_outside(trace, origin)
        found = {"state": stop, "action": None, "conjunct": None, "place": None, "constraint": None}
        if outside is not None and outside[0] < (stop or len(trace.states)):
            return found | {"state": outside[0], "constraint": outside[1]}
        return found if stop is None or stop < 2 else found | self._forbidden(trace, stop, origin)

    def _forbidden(self, trace: Trace, stop: int, origin: Origin) -> dict[str, object]:
        """The action of a step that is not possible, and the conjunct or another reason that forbids it."""
        state = trace.state(stop)
        name, step = state.action or "", {"action": action_text(state)}
        try:
            enabled = evaluate_enabled(trace, name, trace.state(stop - 1), origin)
        except InputError as error:
            return {**step, "reason": error.message}
        if enabled.enabled:
            return {**step, "reason": f"{name} is enabled there, but does not lead to this state"}
        if enabled.stopped is None:
            return {**step}
        return {**step, "conjunct": enabled.stopped.text, "place": enabled.stopped.place}
