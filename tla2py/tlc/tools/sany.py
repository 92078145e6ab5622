"""SANY, TLC's parser, asked about modules that tla2py's own parser cannot read.

Such a module keeps what SANY declares in it. The bodies of its definitions are opaque: they mention every name that is
visible there, so nothing that they may reach is overlooked, and their level is the one that SANY computes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tla2py.errors import ToolchainError
from tla2py.tla.module import (
    STANDARD_MODULES,
    UNREAD,
    Assumption,
    Constant,
    Definition,
    Expression,
    Module,
    Reference,
    Span,
    Variable,
)
from tla2py.tlc.process.sandbox import java_sandbox, run
from tla2py.tlc.tools.toolchain import Toolchain

_SECONDS = 60
_MISSING = re.compile(r"Cannot find source file for module (\w+)")
# SANY's spelling of a symbol to tla2py's.
_SPELT = {"\\leq": "<=", "\\geq": ">="}
_CONSTANT = "2"


def ask_sany(
    root: str, modules: Mapping[str, Module], toolchain: Toolchain
) -> str | Mapping[str, Module] | None:
    """The modules, those with a syntax error as SANY declares them; or the name of a further one that SANY needs.

    None if SANY refuses them or cannot be run. It reads these modules and those in the jar, and nothing else.
    """
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        for module in modules.values():
            (folder / f"{module.name}.tla").write_text(module.text, encoding="utf-8")
        # The stack is that of TLC's runs; old SANY writes its standard modules into java.io.tmpdir.
        java = [str(toolchain.java.path), "-Xss16m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        java += [f"-Djava.io.tmpdir={folder}", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]
        exporter = ["-cp", str(toolchain.jar.path), "tla2sany.xml.XMLExporter", "-o", "-I", str(folder)]
        try:
            sandbox = java_sandbox(toolchain.java.path, folder, [toolchain.jar.path])
            done = run([*java, *exporter, str(folder / f"{root}.tla")], sandbox, timeout_seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired, ToolchainError):
            return None
    missing = _MISSING.search(done.stdout.decode("utf-8", "replace"))
    if missing is not None and missing[1] not in modules:
        return missing[1]
    begin, end = done.stdout.find(b"<?xml"), done.stdout.rfind(b"</modules>")
    if done.returncode != 0 or begin < 0 or end < 0:
        return None
    tree = ET.fromstring(done.stdout[begin:end] + b"</modules>")  # noqa: S314 - SANY's own output
    entries = {entry.findtext("UID", ""): entry[1] for entry in tree.iterfind("context/entry")}
    nodes = {each.findtext("uniquename", ""): each for each in entries.values() if each.tag == "ModuleNode"}
    # What is not seen in a body may be anywhere, so any change counts as one of each.
    texts = sorted((module.name, module.text) for module in modules.values())
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
    return {
        name: module
        if module.syntax_error is None
        else _Declarations(module, nodes, entries, modules, digest).module()
        for name, module in modules.items()
    }


class _Declarations:
    """Makes a module from what SANY declares in it."""

    def __init__(
        self,
        module: Module,
        nodes: Mapping[str, ET.Element],
        entries: Mapping[str, ET.Element],
        modules: Mapping[str, Module],
        digest: str,
    ) -> None:
        self._module = module
        self._nodes = nodes
        self._digest = digest
        visible = (entries.get(each.findtext("UID", "")) for each in nodes[module.name])
        self._visible = [each for each in visible if each is not None]
        self._inherited = set(_inherited(module, modules)) | (STANDARD_MODULES - modules.keys())
        names = (each.findtext("uniquename") for each in self._visible)
        self._names = tuple(self._name(_SPELT.get(name, name)) for name in names if name)

    def module(self) -> Module:
        module = self._module
        own = [each for each in self._visible if each.findtext("location/filename") not in self._inherited]
        declared = [each for each in own if each.tag == "OpDeclNode"]
        # A nested module has the file of the one around it.
        others = [
            n for n, each in self._nodes.items() if each.findtext("location/filename") == n != module.name
        ]
        return replace(
            module,
            syntax_error=None,
            unread=module.syntax_error,
            extends=tuple(each for each in module.extends if each.module in self._nodes),
            references=tuple(Reference(module=name, span=module.span) for name in sorted(others)),
            instances=(),
            constants=tuple(self._constant(e) for e in declared if e.findtext("kind") == _CONSTANT),
            variables=tuple(self._variable(e) for e in declared if e.findtext("kind") != _CONSTANT),
            definitions=tuple(self._definition(each) for each in own if each.tag == "UserDefinedOpKind"),
            assumptions=tuple(self._assumption(each) for each in own if each.tag == "AssumeNode"),
            nested=(),
        )

    def _name(self, name: str) -> Expression:
        return Expression(shape="apply", operator=name, span=self._module.span)

    def _body(self, each: ET.Element, parameters: Iterable[str] = ()) -> Expression:
        names = (*self._names, *map(self._name, parameters))
        level = each.findtext("level", "0")
        return Expression(shape="build", operator=UNREAD, span=self._span(each), arguments=names, text=level)

    def _span(self, each: ET.Element) -> Span:
        if each.findtext("location/filename") != self._module.name:
            return self._module.span
        line, end_line, column, end_column = (
            int(each.findtext(f"location/{place}", "1"))
            for place in ("line/begin", "line/end", "column/begin", "column/end")
        )
        return Span(begin_line=line, begin_column=column, end_line=end_line, end_column=end_column)

    def _constant(self, each: ET.Element) -> Constant:
        name, arity = each.findtext("uniquename", ""), int(each.findtext("arity", "0"))
        span = self._span(each)
        return Constant(name=name, arity=arity, comment="", group="", span=span, module=self._module.name)

    def _variable(self, each: ET.Element) -> Variable:
        name, span = each.findtext("uniquename", ""), self._span(each)
        return Variable(name=name, comment="", group="", span=span, module=self._module.name)

    def _definition(self, each: ET.Element) -> Definition:
        name, span = each.findtext("uniquename", ""), self._span(each)
        parameters = tuple(f"_{number}" for number in range(1, int(each.findtext("arity", "0")) + 1))
        return Definition(
            name=_SPELT.get(name, name),
            parameters=parameters,
            local=False,
            span=span,
            module=self._module.name,
            comment="",
            kind="operator",
            text=self._module.excerpt(span),
            digest=self._digest,
            body=self._body(each, parameters),
        )

    def _assumption(self, each: ET.Element) -> Assumption:
        span = self._span(each)
        text = self._module.excerpt(span)
        return Assumption(name=None, text=text, digest=self._digest, span=span, body=self._body(each))


def _inherited(module: Module, modules: Mapping[str, Module]) -> Iterator[str]:
    """The modules that a module extends, directly or not."""
    for reference in module.extends:
        yield reference.module
        if reference.module in modules:
            yield from _inherited(modules[reference.module], modules)
