"""A headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0


def find_chromium() -> str:
    """The path of the browser. A test without it fails: what it would have tested is not known to work."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    assert found, f"none of {', '.join(NAMES)} is on the PATH; on Debian: apt-get install chromium"
    return found


class Tab:
    """A page of the browser. ``problems`` has what its console says and every request that left the file."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: WebSocketClientConnection) -> None:
        self._loop = loop
        self._socket = socket
        self._last = 0
        self.problems: list[str] = []
        self.events: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        number = self._last
        text = json.dumps({"id": number, "method": method, "params": parameters})
        self._loop.run_until_complete(self._send(text))
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])

    def open(self, url: str) -> None:
        # Another fragment of the same page would not load it again.
        for place in ("about:blank", url):
            self.events.clear()
            self.call("Page.navigate", url=place)
            while "Page.loadEventFired" not in self.events:
                self._receive()

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript, or of the promise that it is."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Wait until an expression is true: the browser tells its page of some things a little later."""
        until = time.monotonic() + SECONDS
        while not self.run(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        script = f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: "center"}});
            const box = found.getClientRects()[0];
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        x, y = self.run(script)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector: str, text: str) -> None:
        """Type into a field, in place of what it has."""
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def choose(self, selector: str, value: str) -> None:
        script = f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.value = {json.dumps(value)};
            found.dispatchEvent(new Event("change", {{bubbles: true}}));
            return found.value;
        }})()"""
        assert self.run(script) == value

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show the page in a window of a size, light or dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    async def _send(self, text: str) -> None:
        await self._socket.write_message(text)

    def _receive(self) -> dict[str, Any]:
        async def read() -> Any:
            return await asyncio.wait_for(self._socket.read_message(), SECONDS)

        message: dict[str, Any] = json.loads(self._loop.run_until_complete(read()))
        method, told = message.get("method", ""), message.get("params", {})
        self.events.append(method)
        if method in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.problems.append(json.dumps(told))
        elif method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(
            ("file:", "about:")
        ):
            self.problems.append(told["request"]["url"])
        return message


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Tab]:
    """A browser of its own, with its profile in a folder, and the page it begins with."""
    options = ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run"]
    options += ["remote-debugging-port=0", f"user-data-dir={folder}"]
    command = [find_chromium(), *(f"--{option}" for option in options), "about:blank"]
    loop = asyncio.new_event_loop()
    with (
        (folder / "browser.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        try:
            port = _wait_for_port(folder / "DevToolsActivePort")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]

            async def connect() -> WebSocketClientConnection:
                return await websocket_connect(pages[0]["webSocketDebuggerUrl"], max_message_size=1 << 28)

            socket = loop.run_until_complete(connect())
            yield Tab(loop, socket)
            socket.close()
        finally:
            process.terminate()
            process.wait(SECONDS)
            loop.close()


def _wait_for_port(file: Path) -> int:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if file.exists() and (lines := file.read_text().splitlines()):
            return int(lines[0])
        time.sleep(0.05)
    raise AssertionError(f"the browser did not start: {(file.parent / 'browser.log').read_text()}")
