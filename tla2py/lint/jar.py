"""The config keywords that a TLC knows, read from its class file."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tla2py.config.literal import KEYWORDS
from tla2py.toolchain.jar import INSTALL_NEWEST

_READER = "tlc2/tool/impl/ModelConfig.class"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The keywords that a TLC knows; ``label`` names that TLC in messages, ``newer`` is what to do if it lacks one."""

    label: str
    keywords: frozenset[str]
    newer: str


@lru_cache(maxsize=16)
def read_dialect(jar: Path, version: str = "", newer: str = INSTALL_NEWEST) -> Dialect | None:
    """The dialect of a jar, None if it lacks the class that reads configs in every release."""
    try:
        with zipfile.ZipFile(jar) as archive:
            content = archive.read(_READER)
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    # A constant of a class file is its length in two bytes, then its text.
    known = frozenset(word for word in KEYWORDS if len(word).to_bytes(2, "big") + word.encode() in content)
    return Dialect(label=f"TLC {version}" if version else "this TLC", keywords=known, newer=newer)
