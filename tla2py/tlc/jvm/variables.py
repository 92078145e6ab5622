"""The environment variables of the runs of a JVM, one run after another."""

from __future__ import annotations

from collections.abc import Iterable

from tla2py.model.inputs import Variable
from tla2py.tlc.jvm.gateway import Gateway, Reference

# Opens the class of the view that System.getenv gives.
OPENED = "--add-opens=java.base/java.util=ALL-UNNAMED"


class Variables:
    """The map behind the view that ``System.getenv`` gives; its class is not public, hence the reflection.

    Methods raise GatewayError.
    """

    def __init__(self, java: Gateway) -> None:
        def class_of(name: str) -> Reference:
            return java.get("java.lang.Class", "forName", f"java.{name}")

        self._java = java
        field = java.get(class_of("util.Collections$UnmodifiableMap"), "getDeclaredField", "m")
        java.call(field, "setAccessible", True)
        self._map = java.get(field, "get", java.get("java.lang.System", "getenv"))
        item, map_ = class_of("lang.Object"), class_of("util.Map")
        self._put = java.get(map_, "getMethod", "put", java.array("java.lang.Class", [item, item]))
        self._remove = java.get(map_, "getMethod", "remove", java.array("java.lang.Class", [item]))
        # What the variables of the last run replaced.
        self._replaced: dict[str, str | None] = {}

    def replace(self, variables: Iterable[Variable]) -> None:
        """Set the variables of a run, after those of the run before are as they were at the start."""
        for name, before in self._replaced.items():
            self._set(name, before)
        self._replaced = {name: self._set(name, value) for name, value in variables}

    def _set(self, name: str, value: str | None) -> str | None:
        """The value that a variable had before; None stands for no variable."""
        method, given = (self._remove, [name]) if value is None else (self._put, [name, value])
        before = self._java.call(method, "invoke", self._map, self._java.array("java.lang.Object", given))
        return None if before is None else str(before)
