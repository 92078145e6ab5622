"""A client of a Py4J gateway, which calls methods in a JVM.

Py4J's own client connects again when a connection breaks, then sends a command twice; here a lost gateway is an error. It
also releases objects only when Python's garbage collector finds them, but TLC's classes must go with the run that loaded
them.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tla2py.model.model import GivenVariable


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


class Gateway:
    """A connection to a gateway on this machine. Every method, and those of Java's objects, raise Py4JError."""

    def __init__(self, port: int, token: str, timeout_seconds: float) -> None:
        # Imported on use, as most commands start no JVM that stays.
        from py4j.java_gateway import GatewayConnection, GatewayParameters, GatewayProperty, PythonProxyPool

        # What Py4J's objects look for in a client.
        self.address, self.port, self.converters = "127.0.0.1", port, ()
        self.gateway_property = GatewayProperty(False, PythonProxyPool(), enable_memory_management=False)
        parameters = GatewayParameters(port=port, auth_token=token, read_timeout=timeout_seconds)
        self._connection = GatewayConnection(parameters)
        self._made: list[str] = []
        self._connection.start()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def send_command(self, command: str) -> str:
        """The answer to a command, as Py4J's objects send it."""
        answer: str = self._connection.send_command(command)
        if answer[:2] in ("yr", "yt", "yl", "yh", "ya", "yg"):
            self._made.append(answer[2:])
        return answer

    def call(self, name: str, method: str, *arguments: object) -> Any:
        """The result of a static method of a class."""
        from py4j.java_gateway import JavaMember

        return JavaMember(method, None, f"z:{name}", self)(*arguments)

    def new(self, name: str, *arguments: object) -> Any:
        """A new instance of a class."""
        from py4j.java_gateway import JavaClass

        return JavaClass(name, self)(*arguments)

    def type(self, name: str) -> Any:
        """The class with a name."""
        return self.call("java.lang.Class", "forName", name)

    def array(self, name: str, items: Sequence[object]) -> Any:
        """A new array."""
        made = self.call("java.lang.reflect.Array", "newInstance", self.type(name), len(items))
        for index, value in enumerate(items):
            self.call("java.lang.reflect.Array", "set", made, index, value)
        return made

    def mark(self) -> int:
        """The point in time to pass to ``forget_since``."""
        return len(self._made)

    def forget_since(self, mark: int) -> None:
        """Release the objects that the JVM handed out since ``mark``."""
        gone, self._made = self._made[mark:], self._made[:mark]
        for name in gone:
            self._connection.send_command(f"m\nd\n{name}\ne\n")


# Opens the class of the view that System.getenv gives.
OPENED = "--add-opens=java.base/java.util=ALL-UNNAMED"


class JvmVariables:
    """The map behind the view of ``System.getenv``, whose class is not public. Methods raise Py4JError."""

    def __init__(self, java: Gateway) -> None:
        self._java = java
        field = java.type("java.util.Collections$UnmodifiableMap").getDeclaredField("m")
        field.setAccessible(True)
        self._map = field.get(java.call("java.lang.System", "getenv"))
        item, map_ = java.type("java.lang.Object"), java.type("java.util.Map")
        self._put = map_.getMethod("put", java.array("java.lang.Class", [item, item]))
        self._remove = map_.getMethod("remove", java.array("java.lang.Class", [item]))
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
        before = method.invoke(self._map, self._java.array("java.lang.Object", given))
        return None if before is None else str(before)


HANDLES = "java.lang.invoke.MethodHandles"


def main_handle(java: Gateway, lookup: Any, loader: Any, arguments: Sequence[str]) -> Any:
    """A method handle without parameters that does what TLC's ``main`` does and returns the exit status.

    It is ``tlc = new TLC(); if (!tlc.handleParameters(arguments)) return 1; tlc.setResolver(new
    SimpleFilenameToStream()); return ExitStatus.errorConstantToExitStatus(tlc.process())``. Objects of TLC's classes
    never reach the gateway, which would keep their classes alive.
    """

    def form(descriptor: str) -> Any:
        return java.call("java.lang.invoke.MethodType", "fromMethodDescriptorString", descriptor, loader)

    combine = functools.partial(java.call, HANDLES)
    tlc = loader.loadClass("tlc2.TLC")
    parameters = lookup.findVirtual(tlc, "handleParameters", form("([Ljava/lang/String;)Z"))
    given = java.array("java.lang.Object", [java.array("java.lang.String", arguments)])
    accepted = combine("insertArguments", parameters, 1, given)
    resolver = lookup.findConstructor(loader.loadClass("util.SimpleFilenameToStream"), form("()V"))
    resolver = resolver.asType(form("()Lutil/FilenameToStream;"))
    setter = lookup.findVirtual(tlc, "setResolver", form("(Lutil/FilenameToStream;)V"))
    prepare = combine("collectArguments", setter, 1, resolver)
    process = combine("foldArguments", lookup.findVirtual(tlc, "process", form("()I")), prepare)
    statuses = loader.loadClass("tlc2.output.EC$ExitStatus")
    status = lookup.findStatic(statuses, "errorConstantToExitStatus", form("(I)I"))
    process = combine("filterReturnValue", process, status)
    one = combine("constant", status.type().returnType(), 1)
    refused = combine("dropArguments", one, 0, java.array("java.lang.Class", [tlc]))
    whole = combine("guardWithTest", accepted, process, refused)
    return combine("filterReturnValue", lookup.findConstructor(tlc, form("()V")), whole)
