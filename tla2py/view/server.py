"""The explorer served: its script and style, the answers to what it asks, its server and its widget."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tla2py.analysis.questions import origin_of, require_modules, trace_with_origin, verify_traces
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError, Tla2pyError
from tla2py.model.trace import SIMULATED, State, Trace
from tla2py.model.trace_text import action_text, derived, step_changes
from tla2py.replay.confirm import first_outside, follow_trace
from tla2py.replay.query import Origin
from tla2py.replay.successors import Successors, evaluate_enabled, find_initial, find_successors
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.explorer import StoreData, packed, store_data
from tla2py.view.markup import templates

_FOLDER = Path(__file__).parent / "bundle"
File: TypeAlias = Literal["page.js", "widget.js", "explorer.css"]


@cache
def built(name: File) -> str:
    """The text of a built file."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def bundle(name: File) -> str:
    """The text of a built file, as it can stand in HTML."""
    return built(name).replace("</", "<\\/")


def content_policy(script: str, style: str, *, connect: str = "'none'") -> str:
    """A content security policy for a page with this script and this style, which sends requests to ``connect`` alone."""
    return (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class PageAnswers:
    """Answers questions about the counterexamples of a store.

    A question names what it asks, ``ask``, and a counterexample by its ``number``. Raises InputError: ``usage`` for a
    question that is not understood, and as the analyses do.
    """

    def __init__(self, data: StoreData, tla2tools: Path | None = None) -> None:
        self._data = data
        self._view = data.view
        self._tla2tools = tla2tools
        self._following = cache(self._follow)

    def answer(self, question: Mapping[str, object]) -> object:
        """The answer to a question."""
        view, jar = self._view, self._tla2tools
        match question:
            case {"ask": "values", "number": int(number), "expression": str(expression)}:
                trace = view.with_values(expression, tla2tools=jar).trace(*self._at(number))
                return {"values": [dict(state.evaluated).get(expression, "") for state in trace.states]}
            case {"ask": "conjuncts", "number": int(number)}:
                found = view.conjuncts(*self._at(number), tla2tools=jar)
                return {"rows": [row.to_json() for row in found.rows], "turning": found.to_json()}
            case {"ask": "successors", "number": int(number), "state": int(state)}:
                trace, origin = trace_with_origin(view, *self._at(number), jar)
                return _steps(find_successors(trace, trace.state(state), origin))
            case {"ask": "walk", "point": int(point), "steps": [*steps]}:
                walked, after = self._following(point, *(each for each in steps if isinstance(each, int)))
                values = list(step_changes(None, after.state)) if after.state else []
                return {"walked": [action_text(state) for state in walked], "values": values, **_steps(after)}
            case {"ask": "confirm", "number": int(number)}:
                [judged] = verify_traces(view, find_toolchain(jar), *self._at(number))
                return {"judgement": judged.judgement, "reason": judged.reason}
            case {"ask": "arguments", "number": int(number)}:
                trace = view.with_arguments(jar).trace(*self._at(number))
                return {"actions": list(map(action_text, trace.states)), "derived": derived(trace)}
            case {"ask": "replay", "number": int(number), "point": int(point), "other": bool(other)}:
                compared = self._data.other if other else self._data.own
                if compared is not None:
                    return self._replay(number, point, compared.view)
        raise InputError("usage", "the explorer cannot answer this question", hint="reload the page")

    def asked(self, question: object) -> object:
        """The answer to what a page asks, or what prevents it."""
        try:
            return self.answer(question if isinstance(question, dict) else {})
        except Tla2pyError as error:
            return {"error": error.message, "hint": error.hint}

    def _at(self, number: int) -> tuple[int, int]:
        if not 0 <= number < len(self._data.own.found):
            raise InputError("usage", f"no counterexample {number}", hint="reload the page")
        one = self._data.own.found[number]
        return one.point, one.trace

    def _follow(self, point: int, *steps: int) -> tuple[tuple[State, ...], Successors]:
        """The states of a walk through those of a point, and what follows, at first the initial states.

        A step is a place in what followed before.
        """
        origin = self._origin(self._view, point)
        if not steps:
            return (), find_initial(origin)
        before, found = self._following(point, *steps[:-1])
        if steps[-1] not in range(len(found.states)):
            raise InputError("usage", "no such step", hint="reload the page")
        walked = (*before, found.states[steps[-1]])
        return walked, find_successors(Trace(kind=SIMULATED, name="", states=walked), walked[-1], origin)

    def _origin(self, view: StoreView, point: int) -> Origin:
        require_modules(view)
        entry = view.points.find(point)
        if entry is None:
            raise InputError("usage", f"no point {point}", hint="reload the page")
        return origin_of(view, entry.run_id, find_toolchain(self._tla2tools))

    def _replay(self, number: int, point: int, view: StoreView) -> object:
        """The first step of a counterexample that another point does not allow, and what forbids it there."""
        trace, origin = self._view.trace(*self._at(number)), self._origin(view, point)
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


def _steps(found: Successors) -> dict[str, object]:
    steps = [
        {"action": action_text(each), "changes": list(step_changes(found.state, each))}
        for each in found.states
    ]
    return {"steps": steps, "disabled": list(found.disabled)}


_HOST = "127.0.0.1"
_MOST_BYTES = 1 << 16
# Parts of the data that are kept for the next load of the page.
_MOST_CHUNKS = 16


class ExplorerServer:
    """The page and the data of a store, at ``address``."""

    def __init__(self, data: StoreData, answers: PageAnswers, port: int = 0) -> None:
        self._data = data
        self._answers = answers
        self._chunk = lru_cache(maxsize=_MOST_CHUNKS)(data.chunk)
        # One run of TLC at a time.
        self._asking = threading.Lock()
        self._token = secrets.token_urlsafe(24)
        self._server = ThreadingHTTPServer((_HOST, port), self._handler())
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{self._authority}/{self._token}/"

    @property
    def _authority(self) -> str:
        return f"{_HOST}:{self._server.server_port}"

    def serve(self) -> None:
        """Answer requests until the process is interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.2)
        finally:
            self._server.server_close()

    def page(self) -> str:
        """The page; its data are requested."""
        script, style = bundle("page.js"), bundle("explorer.css")
        template = templates().get_template("explorer.html.j2")
        return template.render(name=self._data.overview["name"], script=script, style=style)

    def data(self, name: str) -> object | None:
        """The data of a name below the token; None for another name."""
        if name == "overview":
            return self._data.overview
        number = name.removeprefix("chunk-")
        if number != name and number.isascii() and number.isdigit() and int(number) < self._data.size:
            return self._chunk(int(number))
        return None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        explorer = self

        class Handler(BaseHTTPRequestHandler):
            server_version = "tla2py"
            sys_version = ""

            def do_GET(self) -> None:
                name = self._allowed()
                if name is None:
                    return
                if name == "":
                    self._send("text/html; charset=utf-8", explorer.page().encode())
                elif (found := explorer.data(name)) is not None:
                    self._send_json(found)
                else:
                    self.send_error(HTTPStatus.NOT_FOUND)

            def do_POST(self) -> None:
                name = self._allowed()
                if name is None:
                    return
                length = self.headers.get("Content-Length", "")
                if name != "ask" or not length.isdigit() or int(length) > _MOST_BYTES:
                    self.send_error(HTTPStatus.BAD_REQUEST)
                    return
                try:
                    question = json.loads(self.rfile.read(int(length)))
                except ValueError:
                    self.send_error(HTTPStatus.BAD_REQUEST)
                    return
                with explorer._asking:
                    found = explorer._answers.asked(question)
                self._send_json(found)

            def _allowed(self) -> str | None:
                """The name after the token; None if the request has been refused."""
                host, origin, here = self.headers.get("Host"), self.headers.get("Origin"), explorer._authority
                token, slash, name = self.path.removeprefix("/").partition("/")
                ours = host == here and origin in (None, f"http://{here}") and bool(slash)
                if ours and secrets.compare_digest(token.encode(), explorer._token.encode()):
                    return name
                self.send_error(HTTPStatus.FORBIDDEN)
                return None

            def _send_json(self, found: object) -> None:
                text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
                self._send("application/json; charset=utf-8", text.encode())

            def _send(self, kind: str, body: bytes) -> None:
                policy = content_policy(bundle("page.js"), bundle("explorer.css"), connect="'self'")
                self.send_response(HTTPStatus.OK)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    "Content-Security-Policy": policy,
                    "Cache-Control": "no-store",
                    "Referrer-Policy": "no-referrer",
                    "X-Content-Type-Options": "nosniff",
                    "X-Frame-Options": "DENY",
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
                """Nothing: standard error is for problems."""

        return Handler


def store_explorer(
    view: StoreView, point: int | None = None, number: int = 1, other: StoreView | None = None
) -> Any:
    """The explorer of a store at a point's counterexample, by default the shortest of the most frequent kind.

    ``other`` is the store that it is compared with. Raises InputError: ``extra-missing`` if anywidget is not installed,
    and as ``StoreView.trace`` does.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            "extra-missing",
            "the explorer needs the package anywidget",
            hint="pip install anywidget, or write a page with tla2py report",
        ) from error
    data = store_data(view, other=other)
    answers = PageAnswers(data)

    class StoreExplorer(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = built("widget.js")
        _css = built("explorer.css")
        overview = traitlets.Unicode().tag(sync=True)
        chunks = traitlets.List(traitlets.Unicode()).tag(sync=True)
        number = traitlets.Int(allow_none=True).tag(sync=True)
        index = traitlets.Int(1).tag(sync=True)

        @property
        def state(self) -> State:
            if self.number is None:
                raise InputError("no-trace", "no counterexample is shown", hint="the store has none")
            return data.own.trace(self.number).state(self.index)

    shown = _number(data, point, number)
    widget: Any = StoreExplorer(
        overview=packed(data.overview),
        chunks=[packed(chunk) for chunk in data.chunks()],
        number=shown,
        index=1 if shown is None else data.own.found[shown].length,
    )

    def answer(_: object, message: object, __: object) -> None:
        asked = message if isinstance(message, dict) else {}
        widget.send({"id": asked.get("id"), "answer": answers.asked(asked.get("question"))})

    widget.on_msg(answer)
    return widget


def _number(data: StoreData, point: int | None, number: int) -> int | None:
    """The number of the counterexample that is shown first. Raises what ``StoreView.trace`` raises."""
    if point is None:
        return data.own.found.index(data.kinds[0].shortest) if data.kinds else None
    data.view.trace(point, number)
    found = enumerate(data.own.found)
    return next(place for place, one in found if point in one.points and one.trace == number)
