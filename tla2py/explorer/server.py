"""The explorer on 127.0.0.1: a page for one person, whose address has a random token."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tla2py.errors import Tla2pyError
from tla2py.explorer.answers import Answers
from tla2py.explorer.bundle import bundle, content_policy
from tla2py.explorer.data import StoreData

_HOST = "127.0.0.1"
_MOST_BYTES = 1 << 16
# Parts of the data that are kept for the next load of the page.
_MOST_CHUNKS = 16


class ExplorerServer:
    """The page and the data of a store, at ``address``."""

    def __init__(self, data: StoreData, answers: Answers, port: int = 0) -> None:
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

    @contextmanager
    def serving(self) -> Iterator[str]:
        """The address, answered by a thread until the block ends."""
        thread = threading.Thread(target=self.serve, daemon=True)
        thread.start()
        try:
            yield self.address
        finally:
            self._server.shutdown()
            thread.join()

    def page(self) -> str:
        """The page; its data are requested."""
        script, style = bundle("page.js"), bundle("explorer.css")
        name = str(self._data.overview["name"]).replace("&", "&amp;").replace("<", "&lt;")
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark">'
            f"<title>{name}: tla2py explorer</title><style>{style}</style></head>"
            f'<body class="x-host"><main><h1>{name}</h1><div id="explorer" data-served></div></main>'
            f'<script type="module">{script}</script></body></html>\n'
        )

    @property
    def policy(self) -> str:
        """The content security policy of the page."""
        return content_policy(bundle("page.js"), bundle("explorer.css"), connect="'self'")

    def data(self, name: str) -> object | None:
        """The data of a name below the token; None for another name."""
        if name == "overview":
            return self._data.overview
        number = name.removeprefix("chunk-")
        if number != name and number.isascii() and number.isdigit() and int(number) < self._data.size:
            return self._chunk(int(number))
        return None

    def asked(self, question: Any) -> object:
        """The answer to a question, or what prevents it."""
        try:
            with self._asking:
                return self._answers.answer(question if isinstance(question, dict) else {})
        except Tla2pyError as error:
            return {"error": error.message, "hint": error.hint}

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
                self._send_json(explorer.asked(question))

            def _allowed(self) -> str | None:
                """The name after the token; None if the request has been refused."""
                origin = self.headers.get("Origin")
                if self.headers.get("Host") != explorer._authority or origin not in (
                    None,
                    f"http://{explorer._authority}",
                ):
                    self.send_error(HTTPStatus.FORBIDDEN)
                    return None
                token, slash, name = self.path.removeprefix("/").partition("/")
                if not slash or not secrets.compare_digest(token.encode(), explorer._token.encode()):
                    self.send_error(HTTPStatus.FORBIDDEN)
                    return None
                return name

            def _send_json(self, found: object) -> None:
                text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
                self._send("application/json; charset=utf-8", text.encode())

            def _send(self, kind: str, body: bytes) -> None:
                self.send_response(HTTPStatus.OK)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    "Content-Security-Policy": explorer.policy,
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
