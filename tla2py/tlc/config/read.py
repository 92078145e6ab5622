"""Configs read: from a file or a part of a module's file, with what they expect, and the places in them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from tla2py.errors import InputError, Place, reason_of
from tla2py.model.model import Assignment, Config, Substitution
from tla2py.model.outcome import Outcome, Verdict
from tla2py.tla.module import line_and_column
from tla2py.tlc.config.statements import LISTS, SINGLE, Statements, Token, read_statements


def embedded_config(text: str, name: str) -> str | None:
    """The config between ``---- CONFIG NAME ----`` and ``====`` in a module's file, on its lines there; None without one."""
    lines = text.splitlines()
    begins = re.compile(rf"-{{4,}}\s*CONFIG\s+{re.escape(name)}\s*-{{4,}}")
    begin = next((number for number, line in enumerate(lines) if begins.fullmatch(line)), None)
    if begin is None:
        return None
    end = next((number for number in range(begin, len(lines)) if lines[number].startswith("====")), None)
    return "\n" * (begin + 1) + "\n".join([*lines[begin + 1 : end], ""])


def embedded_names(module: Path) -> list[str]:
    """The names of the configs in a module's file, none if it cannot be read."""
    with contextlib.suppress(OSError):
        text = module.read_text(encoding="utf-8", errors="replace")
        return re.findall(r"^-{4,}\s*CONFIG\s+(\S+?)\s*-{4,}$", text, re.MULTILINE)
    return []


def config_beside(module: Path) -> Path | None:
    """The config of a module: ``Spec.cfg`` beside ``Spec.tla``, otherwise the module's own file if it has one."""
    beside = module.with_suffix(".cfg")
    if beside.is_file():
        return beside
    return module if any(config_lines(module)) else None


def config_name(path: Path, lines: Sequence[str], name: str) -> Place | None:
    """The first place of a name in the lines of a config, outside comments."""
    for number, line in enumerate(lines, 1):
        found = re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line.partition("\\*")[0])
        if found is not None:
            return Place(file=str(path), line=number, column=found.start() + 1, excerpt=line)
    return None


def config_lines(path: Path) -> Sequence[str]:
    """The lines of a config, none if it cannot be read."""
    with contextlib.suppress(InputError):
        return read_config_text(path).splitlines()
    return ()


def offset_of(offsets: Sequence[int], index: int, length: int) -> int:
    """The offset of character ``index`` of the last ``length`` ones."""
    return offsets[min(max(len(offsets) - length + index, 0), len(offsets) - 1)] if offsets else 0


_EXPECT = re.compile(r"^(?:[^\n]*?\\\*+[ \t]*_?|[ \t]*_)EXPECT\b:?(?P<result>[^\n]*)", re.MULTILINE)
_RESULTS: dict[str, Outcome | Verdict] = {
    "success": Verdict.HOLDS,
    "noviolation": Verdict.HOLDS,
    "holds": Verdict.HOLDS,
    "violated": Verdict.VIOLATED,
    "runtimeerror": Verdict.BROKEN,
    "safety": Outcome.VIOLATION_SAFETY,
    "deadlock": Outcome.VIOLATION_DEADLOCK,
    "liveness": Outcome.VIOLATION_LIVENESS,
    "stuttering": Outcome.VIOLATION_LIVENESS,
    "assumption": Outcome.VIOLATION_ASSUMPTION,
    "assert": Outcome.VIOLATION_ASSERT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigExpectation:
    """An expected verdict or outcome, the names of the violated definitions if given, and the place."""

    result: Verdict | Outcome
    violates: tuple[str, ...]
    where: str


def result_of(words: str) -> Verdict | Outcome | None:
    """The result of a name in any spelling: ``SafetyFailure``, ``safety failure``, ``SAFETY_VIOLATION``."""
    key = re.sub(r"[^a-z]", "", words.lower())
    return _RESULTS.get(key) or _RESULTS.get(re.sub(r"(failure|violation)$", "", key))


def config_expectation(text: str, path: Path) -> ConfigExpectation | None:
    """The expectation in a config, None without one.

    Raises InputError (``config-expect``) for an unknown result and for a second expectation.
    """
    found = list(_EXPECT.finditer(text))
    if not found:
        return None
    last = found[-1]
    line, column = line_and_column(text, text.rindex("EXPECT", last.start(), last.start("result")))
    where = f"{path}:{line}:{column}"
    word, *names = re.split(r"[\s,]+", last["result"].partition("\\*")[0].strip())
    result = result_of(word)
    wrong = [name for name in names if not re.fullmatch(r"\w*", name)]
    if result is None or wrong or len(found) > 1:
        problem = f"not a name: {wrong[0]}" if wrong else f"EXPECT {word}".strip() + " is not a result of TLC"
        raise InputError(
            "config-expect",
            "a second EXPECT" if len(found) > 1 else problem,
            where=where,
            hint="keep one, with a result and names, as in EXPECT SafetyFailure TypeOK; results: Success, SafetyFailure, "
            "LivenessFailure, StutteringFailure, DeadlockFailure, AssumptionFailure, AssertFailure, RuntimeErrorFailure",
        )
    return ConfigExpectation(result=result, violates=tuple(filter(None, names)), where=where)


_IGNORE = re.compile(r"\\\*+\s*tla2py:\s*ignore\b:?(.*)")


def ignored_codes(comments: Iterable[Token]) -> dict[str, Token]:
    """The codes that the comments of a config ignore, each with its comment."""
    return {
        code: comment
        for comment in comments
        if (found := _IGNORE.match(comment.text))
        for code in re.findall(r"[\w-]+", found[1])
    }


# Statements that TLC does not get: TLC 2.15 does not know CHECK_DEADLOCK, and _EXPECT is for the gate.
_BLANKED = ("CHECK_DEADLOCK", "_EXPECT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A config file: its content, its text for TLC, and its statements with their places.

    ``problem`` says why it could not be read, in a sweep over several configs. ``verbatim`` means that only
    TLC can tell what the text says: it has mistakes that the user ignores. In ``text`` _EXPECT and
    CHECK_DEADLOCK are blanked out; TLC gets an option instead of the latter.
    """

    path: Path
    config: Config
    text: str
    statements: Statements = field(compare=False, repr=False)
    problem: str | None = None
    verbatim: bool = False


def read_config(path: Path, ignored: Container[str] = (), *, verbatim: bool = False) -> ConfigFile:
    """A ``.cfg`` file. Raises InputError: ``config-missing``, ``config-unreadable``, and as ``parse_config`` does."""
    return parse_config(read_config_text(path), path, ignored, verbatim=verbatim)


def read_config_text(path: Path) -> str:
    """The text of a ``.cfg`` file, or of the config in a module's file, on its lines there.

    Raises InputError: ``config-missing``, ``config-unreadable``.
    """
    try:
        # TLC replaces what is not UTF-8, which is harmless in comments.
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as error:
        raise InputError(
            "config-missing", f"no such config: {path}", hint="give the path of a .cfg file"
        ) from error
    except OSError as error:
        raise InputError(
            "config-unreadable",
            f"cannot read {path}: {reason_of(error)}",
            hint="name a file that you may read",
        ) from error
    if path.suffix != ".tla":
        return text
    if (embedded := embedded_config(text, path.stem)) is None:
        raise InputError(
            "config-missing",
            f"the module has no config: {path}",
            hint=f"give the path of a .cfg file, or write one after the module, from ---- CONFIG {path.stem} ---- to ====",
        )
    return embedded


def parse_config(
    text: str, path: Path, ignored: Container[str] = (), *, verbatim: bool = False
) -> ConfigFile:
    """The config in a text; ``path`` is its file in errors.

    ``ignored`` are the lint rules to ignore besides those in the text's comments. They apply to a text that TLC gets
    ``verbatim``; otherwise only ``unreadable`` does, since TLC refuses the other mistakes.

    Raises InputError (``config-syntax``) with the place.
    """
    statements = read_statements(text)
    codes = ignored_codes(statements.comments)
    for mistake in statements.mistakes:
        yields = verbatim or mistake.code == "unreadable"
        if mistake.harmless or (yields and (mistake.code in ignored or mistake.code in codes)):
            continue
        place = f":{mistake.token.line}:{mistake.token.column}" if mistake.token else ""
        raise InputError(
            "config-syntax", f"not a config: {mistake.message}", where=f"{path}{place}", hint=mistake.hint
        )
    mistaken = any(not mistake.harmless for mistake in statements.mistakes)
    return replace(config_file(statements, text, path), verbatim=verbatim and mistaken)


@lru_cache(maxsize=16)
def config_of_run(text: str) -> Config:
    """The config that a run had; empty if its text is not one."""
    with contextlib.suppress(InputError):
        return parse_config(text, Path("MC.cfg")).config
    return Config()


def config_file(statements: Statements, text: str, path: Path) -> ConfigFile:
    """The config of some statements, without those that have mistakes."""
    named: dict[str, Any] = {}
    assignments: list[Assignment] = []
    substitutions: list[Substitution] = []
    deadlock = True
    for statement in statements.statements:
        keyword, names = statement.keyword.text, tuple(name.text for name in statement.names)
        if keyword in _BLANKED:
            begin, end = statement.keyword.offset, statement.end
            text = text[:begin] + re.sub(r"\S", " ", text[begin:end]) + text[end:]
        if keyword in SINGLE and names:
            named[SINGLE[keyword]] = names[0]
        elif keyword in LISTS:
            named[LISTS[keyword]] = (*named.get(LISTS[keyword], ()), *names)
        elif keyword == "CHECK_DEADLOCK":
            deadlock = names != ("FALSE",)
        for binding in statement.bindings:
            name = binding.name.text + binding.arguments
            value = (f"[{binding.module.text}] " if binding.module else "") + binding.value
            if binding.sign == "<-":
                substitutions.append(Substitution(name, value))
            else:
                assignments.append(Assignment(name, value))
    config = Config(
        **named, assignments=tuple(assignments), substitutions=tuple(substitutions), check_deadlock=deadlock
    )
    return ConfigFile(path=path, config=config, text=text, statements=statements)
