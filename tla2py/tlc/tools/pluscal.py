"""What the jar's own programs say of modules: the translator of PlusCal, and SANY.

A module whose PlusCal translation is missing or out of date gets a translated copy. The translator rewrites its input file, so it
gets a copy in a temporary folder; the user's file is never written. The translation depends only on the text and the jar, so
the user's cache folder keeps it. SANY says what is declared in a module that tla2py's own parser cannot read.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.files import write_atomically
from tla2py.text import cut
from tla2py.tla.module import (
    ALGORITHM,
    STANDARD_MODULES,
    UNREAD,
    Assumption,
    Constant,
    Definition,
    Expression,
    Module,
    Reference,
    Remark,
    Span,
    Variable,
    line_and_column,
)
from tla2py.tla.parse import SanyAnswer, SanyRefusal, module_lines, read_text
from tla2py.tlc.tools.toolchain import Toolchain, run_program

_AS_IT_IS = "to keep it as it is: --no-translate, or translate = false in a sweep file"
_FAIRNESS = re.compile(r"\b[WS]F_")
_BEGIN = re.compile(r"^\s*\\\*+ BEGIN TRANSLATION(.*)", re.MULTILINE)
_END = re.compile(r"^\s*\\\*+ END TRANSLATION", re.MULTILINE)
_MARKS = re.compile(r"^(\s*\\\*+ (BEGIN|END) TRANSLATION).*", re.MULTILINE)
# Checksums since 2020, and the different one of TLC 2.15.
_CHECKSUM = re.compile(r'chksum\(pcal\) = "([^"]*)"|(PCal-\w+)')
# Newer translators write a checksum only if there is one already; 2.15 leaves this one beside its own.
_NO_CHECKSUM = ' (chksum(pcal) = "0" /\\ chksum(tla) = "0")'
# A module that defines one of these beside its algorithm needs no translation.
_TRANSLATED = frozenset({"vars", "Init", "Next", "Spec"})
_LAYOUT = re.compile(r"\\\*.*|\(\*.*?\*\)|\s+")
_SAME = re.compile(r"\b(\w+)'=\1\b")
_POSITION = re.compile(r"line (\d+), column (\d+)")
_UNEXPECTED = re.compile(r'but found "(\w+)"')
# What a translator prints beside its reason: its name, its progress, and where to report an error of its own.
_TRANSLATOR_NOISE = (
    "pcal.trans Version", "Parsing completed", "You have discovered a bug in pcal.trans.", "Send the following information",
    "input file to the current maintainer",
)  # fmt: skip


class Translator:
    """A translator of modules.

    It calls ``toolchain`` when it first needs one, and ``report`` once for each remark on a translation.
    """

    def __init__(self, toolchain: Callable[[], Toolchain], report: Callable[[Remark], None]) -> None:
        self.toolchain = cache(toolchain)
        self._report = cache(report)

    def __call__(self, module: Module) -> Module:
        """A copy of a module with its algorithm translated, or the module itself if its own translation is used.

        Its ``remark`` says what the user should know. Raises InputError (``pluscal-syntax``) with the translator's place.
        """
        begin = _BEGIN.search(module.text)
        if begin is None or not (there := _meaning(module)):
            if _TRANSLATED & {definition.name for definition in module.definitions}:
                return module
            if outside := _outside(module):
                return self._remark(module, outside, doubtful=True)
            return self._copy(module, "is not translated")
        checksum = _CHECKSUM.search(begin[1])
        try:
            text = self._translated(module)
        except (InputError, ToolchainError) as error:
            if checksum is not None:
                raise
            # Not an error: the file can be checked, and inspected without Java.
            return self._remark(
                module,
                "the translation in the file has no checksum and may be older than the PlusCal "
                f"algorithm; it is used without comparison: {error.message.rstrip('.')}; {_AS_IT_IS}",
                doubtful=isinstance(error, InputError),
            )
        found = _BEGIN.search(text)
        now = _CHECKSUM.search(found[1]) if found is not None else None
        # Releases compute checksums of the same kind differently, so the definitions decide.
        same = checksum is not None and (now is None or now[0] == checksum[0])
        if same or not (differ := _differing(there, text)):
            return module
        if checksum is not None and now is not None and (now[1] is None) == (checksum[1] is None):
            return self._copy(module, "has changed since it was translated", _lost_fairness(there, text))
        # The differences may be edits by hand, so the translation stays.
        lacks = "no checksum" if checksum is None else "the checksum of another translator"
        return self._remark(
            module,
            f"TLC checks the translation in the file; it has {lacks}, and this TLC translates "
            f"the PlusCal algorithm differently ({differ}). If you have changed the algorithm, translate it again, or "
            f"remove the old translation, from BEGIN to END, and tla2py translates a copy; {_AS_IT_IS}",
            doubtful=True,
        )

    def _copy(self, module: Module, state: str, loss: str = "") -> Module:
        text = self._translated(module)
        return self._remark(
            replace(read_text(text, module.path), original=module.text),
            f"the PlusCal algorithm {state}; TLC gets a copy with a new translation, and the file stays unchanged{loss}",
        )

    def _remark(self, module: Module, text: str, *, doubtful: bool = False) -> Module:
        remark = Remark(where=_place(module), text=text, doubtful=doubtful)
        self._report(remark)
        return replace(module, remark=remark)

    def _translated(self, module: Module) -> str:
        """Return the text of a module with its algorithm translated, from the cache if it is there."""
        toolchain = self.toolchain()
        key = hashlib.sha256(f"2\0{toolchain.jar.sha256}\0{module.name}\0{module.text}".encode()).hexdigest()
        kept = platformdirs.user_cache_path("tla2py") / "pluscal" / f"{key[:32]}.tla"
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return kept.read_text(encoding="utf-8")
        # Some translators keep the checksum of another one beside their own.
        marked = _MARKS.sub(lambda mark: mark[1] + _NO_CHECKSUM * (mark[2] == "BEGIN"), module.text)
        translation = _translate(module, marked, toolchain)
        text = translation.text.replace("\r\n", "\n").replace(_NO_CHECKSUM, "")
        if translation.failed or _BEGIN.search(text) is None:
            raise _refused(module, translation.output, toolchain)
        with contextlib.suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(kept, lambda sink: sink.write(text.encode()))
        return text


def _meaning(module: Module) -> dict[str, str]:
    """The definitions of a translation, normalized: without white space and comments, and with UNCHANGED for ``x'=x``.

    ``vars`` is left out, because translators order the variables differently.
    """
    text = module.text
    begin, end = _BEGIN.search(text), _END.search(text)
    first = text.count("\n", 0, begin.start() if begin else 0)
    last = text.count("\n", 0, end.start() if end else len(text))
    return {
        definition.name: _SAME.sub(r"UNCHANGED\1", _LAYOUT.sub("", definition.text))
        for definition in module.definitions
        if first < definition.span.begin_line <= last + 1 and definition.name != "vars"
    }


def _differing(there: Mapping[str, str], text: str) -> str:
    """The names of the first few definitions that differ in a translated text."""
    here = _meaning(read_text(text))
    differ = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return ", ".join(differ[:3]) + (" and more" if len(differ) > 3 else "")


def _lost_fairness(there: Mapping[str, str], text: str) -> str:
    """Return what to say if a translation has fairness that a new one lacks, "" if it has none."""
    here = _meaning(read_text(text))
    if not _FAIRNESS.search(there.get("Spec", "")) or _FAIRNESS.search(here.get("Spec", "")):
        return ""
    return (
        "; the Spec in the file has fairness, which the new one lacks: write it in the algorithm, as in 'fair process', "
        f"or, if an option of the translator such as -wf made it, keep the translation; {_AS_IT_IS}"
    )


@dataclass(frozen=True, slots=True)
class _Translation:
    """What the translator made of a text: the text with the translation, and what it printed."""

    text: str
    output: str
    failed: bool


def _translate(module: Module, text: str, toolchain: Toolchain) -> _Translation:
    """Return the translation of a text in the place of a module's own. Raises ToolchainError (``pluscal``)."""
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / f"{module.name}.tla"
        file.write_text(text, encoding="utf-8")
        try:
            done = run_program(toolchain, Path(folder), "pcal.trans", "-nocfg", file.name)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolchainError(
                "pluscal",
                f"{toolchain.jar.path} cannot translate {module.where()}: {error}",
                hint="--no-translate makes TLC read the module as it is",
            ) from error
        translated = file.read_text(encoding="utf-8", errors="replace")
    output = done.stdout.decode("utf-8", "replace")
    return _Translation(translated, output, failed=done.returncode != 0)


def _refused(module: Module, output: str, toolchain: Toolchain) -> InputError:
    """Return the error that says why an algorithm cannot be translated, with its place."""
    message = _translator_message(output)
    position = _POSITION.search(message)
    where = f"{module.where()}:{position[1]}:{position[2]}" if position else _place(module)
    unexpected = _UNEXPECTED.search(message)
    if position is None and unexpected is not None:
        where = _place_of_word(module, unexpected[1], message, toolchain) or where
    return InputError(
        "pluscal-syntax",
        f"PlusCal cannot be translated: {message or 'the translator gives no reason'}",
        where=where,
        hint="--no-translate makes TLC read the module as it is",
    )


def _translator_message(output: str) -> str:
    """Return what the translator says of an algorithm on one line, without Java's stack and its request to report a bug."""
    text, stack, exception = output.partition("Exception in thread")
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith(_TRANSLATOR_NOISE)]
    message = " ".join(" ".join(wanted).replace("Unrecoverable error:", "").replace("--", "").split())
    if not message and stack:
        kind = exception.partition('"main"')[2].strip().splitlines()[:1]
        message = f"the translator itself fails ({kind[0].strip()})" if kind else ""
    return message


def _place_of_word(module: Module, word: str, message: str, toolchain: Toolchain) -> str | None:
    """Return the place of the word that a translator did not expect, if it says the word and no place, as that of 2.15 does.

    Of several places it is the last one at which another word changes the message.
    """
    algorithm = ALGORITHM.search(module.text)
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    begin = algorithm.end() if algorithm is not None else 0
    places = [found.start() for found in pattern.finditer(module.text, begin)]
    # Replaced from here on the message stays, so the word stands further up.
    first, last = 0, len(places) - 1
    while first < last:
        middle = (first + last + 1) // 2
        head, tail = module.text[: places[middle]], module.text[places[middle] :]
        changed = head + pattern.sub(f"{word}_", tail)
        output = _translate(module, changed, toolchain).output
        if _translator_message(output) == message:
            last = middle - 1
        else:
            first = middle
    if not places:
        return None
    line, column = line_and_column(module.text, places[first])
    return f"{module.where()}:{line}:{column}"


def _outside(module: Module) -> str:
    """Return where an algorithm stands that is not inside of its module, empty if it is inside."""
    algorithm = _algorithm_line(module)
    lines = module_lines(module.text)
    if algorithm is None or lines is None or lines.first <= algorithm <= lines.last:
        return ""
    if algorithm < lines.first:
        side = f"outside the module, above its header in line {lines.first}"
        advice = f"move it below line {lines.first}"
    else:
        side = f"outside the module, below its end in line {lines.last}"
        advice = f"move it above line {lines.last}"
    return (
        f"the PlusCal algorithm is {side}. TLC would ignore a translation there, so it was not translated; "
        f"{advice}"
    )


def _algorithm_line(module: Module) -> int | None:
    """Return the line of the algorithm."""
    numbered = enumerate(module.text.split("\n"), 1)
    return next((number for number, line in numbered if ALGORITHM.search(line)), None)


def _place(module: Module) -> str:
    """The place of the algorithm."""
    for number, line in enumerate(module.text.split("\n"), 1):
        if (found := ALGORITHM.search(line)) is not None:
            return f"{module.where()}:{number}:{found.start() + 1}"
    return module.where()


_SYNTAX_ERROR = "***Parse Error***"
_MISSING = re.compile(r"Cannot find source file for module (\w+)")
# SANY's spelling of a symbol to tla2py's.
_SPELT = {"\\leq": "<=", "\\geq": ">="}


def ask_sany(root: str, modules: Mapping[str, Module], toolchain: Toolchain) -> SanyAnswer:
    """Return the modules, those with a syntax error as SANY declares them; or the name of a further one that SANY needs.

    Return a ``SanyRefusal`` if SANY does not accept them, None if it cannot be run. It reads these modules and those in the
    jar, and nothing else.
    """
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        for module in modules.values():
            (folder / f"{module.name}.tla").write_text(module.text, encoding="utf-8")
        exporter = ("tla2sany.xml.XMLExporter", "-o", "-I", scratch, str(folder / f"{root}.tla"))
        try:
            done = run_program(toolchain, folder, *exporter)
            refused = done.returncode != 0
            # The exporter does not say what SANY has found.
            said = run_program(toolchain, folder, "tla2sany.SANY", f"{root}.tla") if refused else done
        except (OSError, subprocess.TimeoutExpired):
            return None
    output = done.stdout.decode("utf-8", "replace")
    missing = _MISSING.search(output)
    if missing is not None and missing[1] not in modules:
        return missing[1]
    begin, end = done.stdout.find(b"<?xml"), done.stdout.rfind(b"</modules>")
    if refused or begin < 0 or end < 0:
        report = said.stdout.decode("utf-8", "replace")
        message = _sany_message(report)
        return SanyRefusal(message, syntax=_SYNTAX_ERROR in report) if message else None
    tree = ET.fromstring(done.stdout[begin:end] + b"</modules>")  # noqa: S314 - SANY's own output
    entries = {entry.findtext("UID"): entry[1] for entry in tree.iterfind("context/entry")}
    nodes = {_read_name(each): each for each in entries.values() if each.tag == "ModuleNode"}
    # A nested module has the file of the one around it.
    files = [name for name, each in nodes.items() if each.findtext("location/filename") == name]
    # What is not seen in a body may be anywhere, so a change of any text counts as one of each definition.
    texts = sorted((module.name, module.text) for module in modules.values())
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
    found = dict(modules)
    for name, module in modules.items():
        if module.syntax_error is not None:
            visible = [entries[uid] for each in nodes[name] if (uid := each.findtext("UID")) in entries]
            inherited = {*_inherited(module, modules), *(STANDARD_MODULES - modules.keys())}
            references = tuple(Reference(module=each, span=module.span) for each in files if each != name)
            found[name] = replace(_declared(module, visible, inherited, digest), references=references)
    return found


def _sany_message(output: str) -> str:
    """Return SANY's first error on one line, empty if there is none in its output."""
    _, syntax, message = output.partition(_SYNTAX_ERROR)
    if not syntax:
        _, semantic, message = output.partition("*** Errors:")
        # The number of errors follows, then a place and the first of them.
        message = message.partition("\n")[2] if semantic else ""
    lines = list[str]()
    for line in message.strip().splitlines():
        if syntax and not line.strip():
            break
        if line.startswith(("Residual stack trace", "Fatal errors")):
            break
        lines.append(line.strip())
    return cut(" ".join(part for part in lines if part), 300)


def _read_name(each: ET.Element) -> str:
    name = each.findtext("uniquename", "")
    return _SPELT.get(name, name)


def _inherited(module: Module, modules: Mapping[str, Module]) -> Iterator[str]:
    """The modules that a module extends, directly or not."""
    for reference in module.extends:
        yield reference.module
        if reference.module in modules:
            yield from _inherited(modules[reference.module], modules)


def _declared(module: Module, visible: Sequence[ET.Element], inherited: set[str], digest: str) -> Module:
    """A module as SANY declares it, without what it inherits.

    The bodies of its definitions mention every name that is ``visible`` there, so that nothing that they may reach is
    overlooked.
    """
    names = tuple(Expression(shape="apply", operator=_read_name(each), span=module.span) for each in visible)
    constants, variables = list[Constant](), list[Variable]()
    definitions, assumptions = list[Definition](), list[Assumption]()
    for each in visible:
        file, name = each.findtext("location/filename"), _read_name(each)
        if file in inherited:
            continue
        places = (f"location/{place}" for place in ("line/begin", "column/begin", "line/end", "column/end"))
        place = Span(*(int(each.findtext(part, "1")) for part in places))
        span = place if file == module.name else module.span
        text, arity = module.excerpt(span), int(each.findtext("arity", "0"))
        parameters = tuple(f"_{number}" for number in range(1, arity + 1))
        own = (Expression(shape="apply", operator=parameter, span=span) for parameter in parameters)
        level = each.findtext("level", "0")
        body = Expression(shape="build", operator=UNREAD, span=span, arguments=(*names, *own), text=level)
        where: dict[str, Any] = {"name": name, "comment": "", "span": span, "module": module.name}
        said: dict[str, Any] = {"text": text, "digest": digest, "body": body}
        if each.tag == "OpDeclNode" and each.findtext("kind") == "2":
            constants.append(Constant(**where, arity=arity))
        elif each.tag == "OpDeclNode":
            variables.append(Variable(**where))
        elif each.tag == "AssumeNode":
            assumptions.append(Assumption(**said, name=None, span=span))
        elif each.tag == "UserDefinedOpKind":
            definitions.append(
                Definition(**where, **said, parameters=parameters, local=False, kind="operator")
            )
    return replace(
        module,
        syntax_error=None,
        unread=module.syntax_error,
        instances=(),
        nested=(),
        constants=tuple(constants),
        variables=tuple(variables),
        definitions=tuple(definitions),
        assumptions=tuple(assumptions),
    )
