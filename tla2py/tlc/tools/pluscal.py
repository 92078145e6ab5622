"""PlusCal: a translated copy of a module whose translation is missing or out of date.

The jar's translator rewrites its input file, so it gets a copy in a temporary folder; the user's file is never written.
The translation depends only on the text and the jar, so the user's cache folder keeps it.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.tla.module import Module, Remark
from tla2py.tla.parse import read_text
from tla2py.tlc.process.sandbox import java_sandbox, run
from tla2py.tlc.tools.toolchain import Toolchain

_SECONDS = 60
_AS_IT_IS = "to keep it as it is: --no-translate, or translate = false in a sweep file"
_BEGIN = re.compile(r"^\s*\\\*+ BEGIN TRANSLATION(.*)", re.MULTILINE)
_END = re.compile(r"^\s*\\\*+ END TRANSLATION", re.MULTILINE)
_MARKS = re.compile(r"^(\s*\\\*+ (BEGIN|END) TRANSLATION).*", re.MULTILINE)
# Checksums since 2020, and the different one of TLC 2.15.
_CHECKSUM = re.compile(r'chksum\(pcal\) = "([^"]*)"|(PCal-\w+)')
# Newer translators write a checksum only if there is one already; 2.15 leaves this one beside its own.
_NO_CHECKSUM = ' (chksum(pcal) = "0" /\\ chksum(tla) = "0")'
_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b|--fair\b")
# A module that defines one of these beside its algorithm needs no translation.
_TRANSLATED = frozenset({"vars", "Init", "Next", "Spec"})
_LAYOUT = re.compile(r"\\\*.*|\(\*.*?\*\)|\s+")
_SAME = re.compile(r"\b(\w+)'=\1\b")
_POSITION = re.compile(r"line (\d+), column (\d+)")


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
            return self._copy(module, "is not translated")
        checksum = _CHECKSUM.search(begin[1])
        if checksum is None:
            return self._without_checksum(module, there)
        text = self._translated(module)
        found = _BEGIN.search(text)
        now = _CHECKSUM.search(found[1]) if found is not None else None
        # Releases compute checksums of the same kind differently, so the definitions decide.
        if now is None or now[0] == checksum[0] or not (differ := _differing(there, text)):
            return module
        if (now[1] is None) == (checksum[1] is None):
            return self._copy(module, "has changed since it was translated")
        # Another kind of checksum. The differences may be edits by hand, so the translation stays.
        newer = "a newer TLC (tla2py tools install 1.7.4, then --tla2tools 1.7.4)"
        other = newer if checksum[1] is not None else "the TLC that made it, or remove its mark PCal-..."
        return self._remark(
            module,
            "TLC checks the translation in the file, but this TLC translates the PlusCal algorithm "
            f"differently ({differ}). If you have changed the algorithm, translate it again, or use {other}; {_AS_IT_IS}",
            doubtful=True,
        )

    def _copy(self, module: Module, state: str) -> Module:
        text = self._translated(module)
        return self._remark(
            replace(read_text(text, module.path), original=module.text),
            f"the PlusCal algorithm {state}; TLC gets a copy with a new translation, and the file stays unchanged",
        )

    def _without_checksum(self, module: Module, there: Mapping[str, str]) -> Module:
        """The module, with a remark if its translation is, or may be, out of date."""
        try:
            differ = _differing(there, self._translated(module))
        except (InputError, ToolchainError) as error:
            # Not an error: the file can be checked, and inspected without Java.
            return self._remark(
                module,
                "the translation in the file has no checksum and may be older than the PlusCal "
                f"algorithm; it is used without comparison: {error.message.rstrip('.')}; {_AS_IT_IS}",
                doubtful=isinstance(error, InputError),
            )
        if not differ:
            return module
        return self._remark(
            module,
            "TLC checks the translation in the file; it has no checksum, and this TLC translates "
            f"the PlusCal algorithm differently ({differ}). If you have changed the algorithm, translate it again, or "
            f"remove the old translation, from BEGIN to END, and tla2py translates a copy; {_AS_IT_IS}",
            doubtful=True,
        )

    def _remark(self, module: Module, text: str, *, doubtful: bool = False) -> Module:
        remark = Remark(where=_place(module), text=text, doubtful=doubtful)
        self._report(remark)
        return replace(module, remark=remark)

    def _translated(self, module: Module) -> str:
        toolchain = self.toolchain()
        key = hashlib.sha256(f"2\0{toolchain.jar.sha256}\0{module.name}\0{module.text}".encode()).hexdigest()
        kept = platformdirs.user_cache_path("tla2py") / "pluscal" / f"{key[:32]}.tla"
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return kept.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
            text = _translate(module, toolchain, Path(folder))
        with contextlib.suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            new = kept.with_suffix(f".{id(self)}")
            new.write_text(text, encoding="utf-8")
            new.replace(kept)
        return text


def _meaning(module: Module) -> dict[str, str]:
    """The definitions of a translation, normalized: without white space and comments, and with UNCHANGED for ``x'=x``.

    ``vars`` is left out, because translators order the variables differently.
    """
    text = module.text
    begin, end = _BEGIN.search(text), _END.search(text)
    lines = (
        text.count("\n", 0, begin.start() if begin else 0),
        text.count("\n", 0, end.start() if end else len(text)),
    )
    return {
        definition.name: _SAME.sub(r"UNCHANGED\1", _LAYOUT.sub("", definition.text))
        for definition in module.definitions
        if lines[0] < definition.span.begin_line <= lines[1] + 1 and definition.name != "vars"
    }


def _differing(there: Mapping[str, str], text: str) -> str:
    """The names of the first few definitions that differ in a translated text."""
    here = _meaning(read_text(text))
    differ = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return ", ".join(differ[:3]) + (" and more" if len(differ) > 3 else "")


def _translate(module: Module, toolchain: Toolchain, folder: Path) -> str:
    file = folder / f"{module.name}.tla"
    # Some translators keep the checksum of another one beside their own.
    marked = _MARKS.sub(lambda mark: mark[1] + _NO_CHECKSUM * (mark[2] == "BEGIN"), module.text)
    file.write_text(marked, encoding="utf-8")
    java = [str(toolchain.java.path), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    java += [f"-Djava.io.tmpdir={folder}", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]
    argv = [*java, "-cp", str(toolchain.jar.path), "pcal.trans", "-nocfg", file.name]
    try:
        sandbox = java_sandbox(toolchain.java.path, folder, [toolchain.jar.path])
        done = run(argv, sandbox, timeout_seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(
            "pluscal",
            f"{toolchain.jar.path} cannot translate {module.where()}: {error}",
            hint="--no-translate makes TLC read the module as it is",
        ) from error
    text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").replace(_NO_CHECKSUM, "")
    if done.returncode != 0 or _BEGIN.search(text) is None:
        raise _refused(module, done.stdout.decode("utf-8", "replace"))
    return text


def _refused(module: Module, output: str) -> InputError:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if not line.startswith(("pcal.trans Version", "Parsing completed"))]
    message = " ".join(" ".join(errors).replace("Unrecoverable error:", "").replace("--", "").split())
    position = _POSITION.search(message)
    return InputError(
        "pluscal-syntax",
        f"PlusCal cannot be translated: {message or 'the translator gives no reason'}",
        where=f"{module.where()}:{position[1]}:{position[2]}" if position else _place(module),
        hint="--no-translate makes TLC read the module as it is",
    )


def _place(module: Module) -> str:
    """The place of the algorithm."""
    for number, line in enumerate(module.text.split("\n"), 1):
        if (found := _ALGORITHM.search(line)) is not None:
            return f"{module.where()}:{number}:{found.start() + 1}"
    return module.where()
