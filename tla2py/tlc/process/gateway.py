"""A client of a Py4J gateway, which calls methods in a JVM.

Py4J's own client reconnects when a connection breaks, then sends a command twice, and logs errors; here a lost gateway
is an error. Py4J's client also releases objects only when Python's garbage collector finds them, but TLC's classes must
go with the run that loaded them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.model.model import GivenVariable

# The gateway holds back each answer until the previous one is acknowledged, which Linux does after 40 ms unless
# requested each time; other systems do not have this option.
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)


class GatewayError(Exception):
    """The gateway is gone or does not answer in time, or the call has thrown an exception."""


@functools.cache
def gateway_jar() -> Path | None:
    """The jar of Py4J, or None if it is missing."""
    # Imported on use, as commands without runs do not need it: it brings the parser of e-mail.
    from importlib.metadata import PackageNotFoundError, distribution

    with contextlib.suppress(PackageNotFoundError):
        for file in distribution("py4j").files or ():
            if file.suffix == ".jar" and (jar := Path(str(file.locate())).resolve()).is_file():
                return jar
    # Spark's workers may import Py4J from an archive without its jar; Spark's folder has one.
    home = os.environ.get("SPARK_HOME")
    return next(Path(home, "jars").glob("py4j-*.jar"), None) if home else None


@dataclass(frozen=True, slots=True)
class JavaReference:
    """An object in the JVM."""

    id: str


class Gateway:
    """A connection to a gateway on this machine. Every method raises GatewayError."""

    def __init__(self, port: int, token: str, timeout_seconds: float) -> None:
        self._made: list[str] = []
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), timeout_seconds)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._answers = self._socket.makefile("rb")
        except OSError as error:
            raise GatewayError(str(error)) from error
        self._ask(f"A\n{token}\n")

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._answers.close()
            self._socket.close()

    def call(
        self, target: JavaReference | str, method: str, *arguments: JavaReference | str | int | None
    ) -> object:
        """The result of a method of an object, or of a class given by name."""
        name = target.id if isinstance(target, JavaReference) else f"z:{target}"
        return self._ask(f"c\n{name}\n{method}\n{_written(arguments)}e\n")

    def get(
        self, target: JavaReference | str, method: str, *arguments: JavaReference | str | int | None
    ) -> JavaReference:
        """The object that a method returns."""
        return _reference(self.call(target, method, *arguments))

    def type(self, name: str) -> JavaReference:
        """The class with a name."""
        return self.get("java.lang.Class", "forName", name)

    def new(self, name: str, *arguments: JavaReference | str | int | None) -> JavaReference:
        """A new instance of a class."""
        return _reference(self._ask(f"i\n{name}\n{_written(arguments)}e\n"))

    def array(self, name: str, items: Iterable[JavaReference | str | int | None] = ()) -> JavaReference:
        """A new array."""
        values = list(items)
        made = _reference(self._ask(f"a\nc\ns{name}\ni{len(values)}\ne\n"))
        for index, value in enumerate(values):
            self._ask(f"a\ns\n{made.id}\ni{index}\n{_written([value])}e\n")
        return made

    def item(self, array: JavaReference, index: int) -> JavaReference:
        """An element of an array."""
        return _reference(self._ask(f"a\ng\n{array.id}\ni{index}\ne\n"))

    def mark(self) -> int:
        """The point in time to pass to ``forget_since``."""
        return len(self._made)

    def forget_since(self, mark: int) -> None:
        """Release the objects that the JVM handed out since ``mark``."""
        gone, self._made = self._made[mark:], self._made[:mark]
        self._send("".join(f"m\nd\n{name}\ne\n" for name in gone))
        for _ in gone:
            if _QUICKACK is not None:
                self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
            self._answer()

    def _ask(self, command: str) -> object:
        self._send(command)
        return self._answer()

    def _send(self, command: str) -> None:
        try:
            self._socket.sendall(command.encode())
        except OSError as error:
            raise GatewayError(str(error)) from error

    def _answer(self) -> object:
        try:
            line = self._answers.readline().decode()
        except (OSError, ValueError) as error:
            raise GatewayError(str(error)) from error
        if not line.endswith("\n") or not line.startswith("!y"):
            raise GatewayError(line.strip() or "the JVM is gone")
        kind, text = line[2], line[3:-1]
        if kind in "vn":
            return None
        if kind in "iL":
            return int(text)
        if kind == "b":
            return text == "true"
        if kind in "rtlhag":
            self._made.append(text)
            return JavaReference(text)
        return text


def _written(arguments: Iterable[JavaReference | str | int | None]) -> str:
    return "".join(f"{_argument(value)}\n" for value in arguments)


def _argument(value: JavaReference | str | int | None) -> str:
    if value is None:
        return "n"
    if isinstance(value, JavaReference):
        return f"r{value.id}"
    if isinstance(value, bool):
        return f"b{value}"
    if isinstance(value, int):
        return f"i{value}"
    return "s" + value.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")


def _reference(value: object) -> JavaReference:
    if not isinstance(value, JavaReference):
        raise GatewayError(f"not an object: {value!r}")
    return value


# Opens the class of the view that System.getenv gives.
OPENED = "--add-opens=java.base/java.util=ALL-UNNAMED"


class JvmVariables:
    """The map behind the view that ``System.getenv`` gives; its class is not public, hence the reflection.

    Methods raise GatewayError.
    """

    def __init__(self, java: Gateway) -> None:
        self._java = java
        field = java.get(java.type("java.util.Collections$UnmodifiableMap"), "getDeclaredField", "m")
        java.call(field, "setAccessible", True)
        self._map = java.get(field, "get", java.get("java.lang.System", "getenv"))
        item, map_ = java.type("java.lang.Object"), java.type("java.util.Map")
        self._put = java.get(map_, "getMethod", "put", java.array("java.lang.Class", [item, item]))
        self._remove = java.get(map_, "getMethod", "remove", java.array("java.lang.Class", [item]))
        # What the variables of the last run replaced.
        self._replaced: dict[str, str | None] = {}

    def replace(self, variables: Iterable[GivenVariable]) -> None:
        """Set the variables of a run, after those of the run before are as they were at the start."""
        for name, before in self._replaced.items():
            self._set(name, before)
        self._replaced = {name: self._set(name, value) for name, value in variables}

    def _set(self, name: str, value: str | None) -> str | None:
        """The value that a variable had before; None stands for no variable."""
        method, given = (self._remove, [name]) if value is None else (self._put, [name, value])
        before = self._java.call(method, "invoke", self._map, self._java.array("java.lang.Object", given))
        return None if before is None else str(before)


HANDLES = "java.lang.invoke.MethodHandles"


def main_handle(
    java: Gateway, lookup: JavaReference, loader: JavaReference, arguments: Sequence[str]
) -> JavaReference:
    """A method handle without parameters that does what TLC's ``main`` does and returns the exit status.

    It is ``tlc = new TLC(); if (!tlc.handleParameters(arguments)) return 1; tlc.setResolver(new
    SimpleFilenameToStream()); return ExitStatus.errorConstantToExitStatus(tlc.process())``. Objects of TLC's classes
    never reach the gateway, which would keep their classes alive.
    """
    tlc = java.get(loader, "loadClass", "tlc2.TLC")

    def method(kind: str, owner: JavaReference, name: str | None, descriptor: str) -> JavaReference:
        type_ = java.get("java.lang.invoke.MethodType", "fromMethodDescriptorString", descriptor, loader)
        found = (owner, type_) if name is None else (owner, name, type_)
        return java.get(lookup, kind, *found)

    def combine(name: str, *parts: JavaReference | int) -> JavaReference:
        return java.get(HANDLES, name, *parts)

    parameters = method("findVirtual", tlc, "handleParameters", "([Ljava/lang/String;)Z")
    given = java.array("java.lang.Object", [java.array("java.lang.String", arguments)])
    accepted = combine("insertArguments", parameters, 1, given)
    files = java.get(loader, "loadClass", "util.SimpleFilenameToStream")
    resolver = method("findConstructor", files, None, "()V")
    interface = java.get(
        "java.lang.invoke.MethodType", "fromMethodDescriptorString", "()Lutil/FilenameToStream;", loader
    )
    resolver = java.get(resolver, "asType", interface)
    setter = method("findVirtual", tlc, "setResolver", "(Lutil/FilenameToStream;)V")
    prepare = combine("collectArguments", setter, 1, resolver)
    process = combine("foldArguments", method("findVirtual", tlc, "process", "()I"), prepare)
    statuses = java.get(loader, "loadClass", "tlc2.output.EC$ExitStatus")
    status = method("findStatic", statuses, "errorConstantToExitStatus", "(I)I")
    process = combine("filterReturnValue", process, status)
    number = java.get(java.get(status, "type"), "returnType")
    refused = combine(
        "dropArguments", combine("constant", number, 1), 0, java.array("java.lang.Class", [tlc])
    )
    whole = combine("guardWithTest", accepted, process, refused)
    return combine("filterReturnValue", method("findConstructor", tlc, None, "()V"), whole)
