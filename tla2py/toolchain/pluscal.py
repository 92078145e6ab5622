"""PlusCal: whether a module's translation is missing or older than its algorithm, and a translated copy where it is.

The translator of the jar works on a file in place, so it is given a copy in a folder of its own; the user's file is
never written. What it answers depends on the text and the jar alone, so it is kept in the user's cache folder.
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
from tla2py.syntax import Module, Remark, read_text
from tla2py.tlc.sandbox.sandbox import java_sandbox, run
from tla2py.toolchain.toolchain import Toolchain

_SECONDS = 60
_AS_IT_IS = "if it is meant as it is: --no-translate, or translate = false in a sweep file"
_BEGIN = re.compile(r"^\s*\\\*+ BEGIN TRANSLATION(.*)", re.MULTILINE)
_END = re.compile(r"^\s*\\\*+ END TRANSLATION", re.MULTILINE)
_MARKS = re.compile(r"^(\s*\\\*+ (BEGIN|END) TRANSLATION).*", re.MULTILINE)
# Since 2020; TLC 2.15 has a digest of its own kind.
_CHECKSUM = re.compile(r'chksum\(pcal\) = "([^"]*)"|(PCal-\w+)')
# Newer translators write a checksum only where there was one; 2.15 leaves this one beside its own.
_NO_CHECKSUM = ' (chksum(pcal) = "0" /\\ chksum(tla) = "0")'
_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b|--fair\b")
# What a translation defines; a module that defines it beside its algorithm does without one.
_TRANSLATED = frozenset({"vars", "Init", "Next", "Spec"})
_LAYOUT = re.compile(r"\\\*.*|\(\*.*?\*\)|\s+")
_SAME = re.compile(r"\b(\w+)'=\1\b")
_POSITION = re.compile(r"line (\d+), column (\d+)")


class Translator:
    """Translates the PlusCal of modules on copies.

    It calls ``toolchain`` when it first needs one, and ``tell`` once for each remark on a translation.
    """

    def __init__(self, toolchain: Callable[[], Toolchain], tell: Callable[[Remark], None]) -> None:
        self._toolchain = cache(toolchain)
        self._tell = cache(tell)

    def __call__(self, module: Module) -> Module:
        """A copy of a module with its algorithm translated, the module itself where its own translation stands.

        What is to be said of that is its ``remark``. Raises InputError (``pluscal-syntax``) with the place where the
        translator stops reading.
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
        # Releases differ in what they count into a checksum of the same kind.
        if now is None or now[0] == checksum[0] or not (differ := _differing(there, text)):
            return module
        if (now[1] is None) == (checksum[1] is None):
            return self._copy(module, "has changed since it was translated")
        # Another kind of checksum. What differs may be edited by hand, so it is left as it is.
        newer = "a newer TLC: tla2py tools install 1.7.4, then --tla2tools 1.7.4"
        other = newer if checksum[1] is not None else "the TLC that did it, or take its mark PCal-... out"
        return self._remark(
            module,
            "the translation in the file is checked, and this TLC translates the PlusCal "
            f"algorithm otherwise ({differ}). If you changed the algorithm since, translate it again, or have it "
            f"done by {other}; {_AS_IT_IS}",
            doubtful=True,
        )

    def _copy(self, module: Module, state: str) -> Module:
        text = self._translated(module)
        return self._remark(
            replace(read_text(text, module.path), original=module.text),
            f"the PlusCal algorithm {state}; TLC is given a copy with a new translation, the file stays as it is",
        )

    def _without_checksum(self, module: Module, there: Mapping[str, str]) -> Module:
        """The module, with a remark where its translation is not, or may not be, that of the algorithm."""
        try:
            differ = _differing(there, self._translated(module))
        except (InputError, ToolchainError) as error:
            # Such files were checked, and their modules inspected without Java, before anybody compared.
            return self._remark(
                module,
                "the translation in the file has no checksum and may be older than the PlusCal "
                f"algorithm; it is taken as it is, for it cannot be compared: {error.message.rstrip('.')}; {_AS_IT_IS}",
                doubtful=isinstance(error, InputError),
            )
        if not differ:
            return module
        return self._remark(
            module,
            "the translation in the file is checked; it has no checksum, and this TLC translates "
            f"the PlusCal algorithm otherwise ({differ}). If you changed the algorithm since, translate it again, or "
            f"take the old translation out, from BEGIN to END, and it is done on a copy; {_AS_IT_IS}",
            doubtful=True,
        )

    def _remark(self, module: Module, text: str, *, doubtful: bool = False) -> Module:
        remark = Remark(where=_place(module), text=text, doubtful=doubtful)
        self._tell(remark)
        return replace(module, remark=remark)

    def _translated(self, module: Module) -> str:
        toolchain = self._toolchain()
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
    """The definitions of a translation, without white space and comments.

    ``vars`` is left out: translators differ in the order of the variables, as in whether they write UNCHANGED for one.
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
    """The names of definitions that a translated text has otherwise; the first few."""
    here = _meaning(read_text(text))
    differ = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return ", ".join(differ[:3]) + (" and more" if len(differ) > 3 else "")


def _translate(module: Module, toolchain: Toolchain, folder: Path) -> str:
    file = folder / f"{module.name}.tla"
    # Without the checksums of another translator, which some keep beside their own.
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
            hint="--no-translate has TLC read the module as it is",
        ) from error
    text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").replace(_NO_CHECKSUM, "")
    if done.returncode != 0 or _BEGIN.search(text) is None:
        raise _refused(module, done.stdout.decode("utf-8", "replace"))
    return text


def _refused(module: Module, said: str) -> InputError:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if not line.startswith(("pcal.trans Version", "Parsing completed"))]
    message = " ".join(" ".join(errors).replace("Unrecoverable error:", "").replace("--", "").split())
    position = _POSITION.search(message)
    return InputError(
        "pluscal-syntax",
        f"PlusCal cannot be translated: {message or 'the translator says nothing'}",
        where=f"{module.where()}:{position[1]}:{position[2]}" if position else _place(module),
        hint="--no-translate has TLC read the module as it is",
    )


def _place(module: Module) -> str:
    """The place of the algorithm."""
    for number, line in enumerate(module.text.split("\n"), 1):
        if (found := _ALGORITHM.search(line)) is not None:
            return f"{module.where()}:{number}:{found.start() + 1}"
    return module.where()
