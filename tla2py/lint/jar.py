"""The config keywords that a TLC knows, read from its class file."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import lru_cache

from tla2py.config.literal import KEYWORDS
from tla2py.toolchain.jar import Jar, class_constant

_READER = "tlc2/tool/impl/ModelConfig.class"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The keywords that the TLC of a jar knows."""

    jar: Jar
    keywords: frozenset[str]


@lru_cache(maxsize=16)
def read_dialect(jar: Jar) -> Dialect | None:
    """The dialect of a jar, None if it lacks the class that reads configs in every release."""
    try:
        with zipfile.ZipFile(jar.path) as archive:
            content = archive.read(_READER)
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return Dialect(jar=jar, keywords=frozenset(word for word in KEYWORDS if class_constant(word) in content))
