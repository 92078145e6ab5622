"""Unicode in TLA+, checked before anything runs.

TLC reads ``≜``, ``∈`` and the like since 2025; older versions stop at the first of them, except in comments.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError
from tla2py.syntax.offsets import code_matches, line_and_column
from tla2py.tlc.sandbox.sandbox import java_sandbox, run
from tla2py.toolchain.toolchain import Toolchain

_TOKEN = r'"(?:[^"\\\n]|\\.)*"|[^\x00-\x7f]'
_HEAD = re.compile(r"-{4,}\s*MODULE\b")
_PROBE = "---- MODULE Probe ----\nA ≜ ∀ x ∈ {} : x\n====\n"
_SECONDS = 60
# The ASCII form of each symbol.
_ASCII = {
    "≜": "==",
    "∧": "/\\",
    "∨": "\\/",
    "¬": "~",
    "∈": "\\in",
    "∉": "\\notin",
    "∀": "\\A",
    "∃": "\\E",
    "⇒": "=>",
    "≡": "<=>",
    "⇔": "<=>",
    "≠": "#",
    "≤": "<=",
    "≥": ">=",
    "⟨": "<<",
    "⟩": ">>",
    "□": "[]",
    "◇": "<>",
    "◆": "<>",
    "′": "'",
    "→": "->",
    "←": "<-",
    "↦": "|->",
    "∪": "\\union",
    "∩": "\\intersect",
    "⊆": "\\subseteq",
    "×": "\\X",
    "↝": "~>",
    "∘": "\\o",
    "‥": "..",
    "…": "...",
    "ℕ": "Nat",
    "ℤ": "Int",
    "ℝ": "Real",
}


def check_readable(texts: Mapping[str, str], paths: Mapping[str, str], toolchain: Toolchain) -> None:
    """Check that this TLC reads all symbols in the texts; ``paths`` are the files of the texts, by the same keys.

    Raises InputError (``unicode``) with the place of the first symbol that it does not read.
    """
    for key, text in texts.items():
        if text.isascii() or (found := unicode_symbol(text)) is None or reads_unicode(toolchain):
            continue
        line, column, symbol = found
        where = f"{paths[key]}:{line}:{column}" if key in paths else None
        instead = f"or write {_ASCII[symbol]}" if symbol in _ASCII else "or write it in ASCII"
        raise InputError(
            "unicode",
            f"{symbol} is Unicode, which {toolchain.jar.tlc} does not read ({toolchain.jar.origin})",
            where=where,
            hint=f"{toolchain.jar.newer}; {instead}",
        )


def unicode_symbol(text: str) -> tuple[int, int, str] | None:
    """The line, column and text of the first character, outside comments, that older TLCs do not read.

    In strings they read Latin-1.
    """
    head = _HEAD.search(text)
    for token in code_matches(_TOKEN, text, head.end() if head is not None else 0):
        limit = "\xff" if token[0].startswith('"') else "\x7f"
        for offset, character in enumerate(token[0], token.start()):
            if character > limit:
                return *line_and_column(text, offset), character
    return None


@lru_cache(maxsize=8)
def reads_unicode(toolchain: Toolchain) -> bool:
    """Whether the jar's SANY reads a module in Unicode."""
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "Probe.tla").write_text(_PROBE, encoding="utf-8")
        java = [str(toolchain.java.path), f"-Djava.io.tmpdir={folder}", "-Dfile.encoding=UTF-8"]
        try:
            done = run(
                [*java, "-cp", str(toolchain.jar.path), "tla2sany.SANY", "Probe.tla"],
                java_sandbox(toolchain.java.path, Path(folder), [toolchain.jar.path]),
                timeout_seconds=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return b"Lexical error" not in done.stdout and b"Parse Error" not in done.stdout
