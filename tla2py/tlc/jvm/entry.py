"""TLC's ``main`` as a combination of method handles, because ``main`` itself ends the JVM."""

from __future__ import annotations

from collections.abc import Sequence

from tla2py.tlc.jvm.gateway import Gateway, Reference

HANDLES = "java.lang.invoke.MethodHandles"


def main_handle(java: Gateway, lookup: Reference, loader: Reference, arguments: Sequence[str]) -> Reference:
    """A method handle without parameters that does what TLC's ``main`` does and returns the exit status.

    It is ``tlc = new TLC(); if (!tlc.handleParameters(arguments)) return 1; tlc.setResolver(new
    SimpleFilenameToStream()); return ExitStatus.errorConstantToExitStatus(tlc.process())``. Objects of TLC's classes
    never reach the gateway, which would keep their classes alive.
    """
    tlc = java.get(loader, "loadClass", "tlc2.TLC")

    def method(kind: str, owner: Reference, name: str | None, descriptor: str) -> Reference:
        type_ = java.get("java.lang.invoke.MethodType", "fromMethodDescriptorString", descriptor, loader)
        found = (owner, type_) if name is None else (owner, name, type_)
        return java.get(lookup, kind, *found)

    def combine(name: str, *parts: Reference | int) -> Reference:
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
