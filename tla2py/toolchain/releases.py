"""The official releases and their addresses."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from tla2py.errors import InputError

COMMUNITY = "community-modules"
ROLLING = "rolling"
# TLA2PY_MIRROR may name a copy with the same paths.
_HOST = "https://github.com"
_TOOLS = "tlaplus/tlaplus/releases/download/{tag}/tla2tools.jar"
COMMUNITY_JAR = "CommunityModules-deps.jar"
_MODULES = f"tlaplus/CommunityModules/releases/latest/download/{COMMUNITY_JAR}"
# The project republishes its newest build under this version after every change.
_MOVING = "1.8.0"
# The CommunityModules do not suit the TLC of releases that begin so.
_OLD = ("0.", "1.0.", "1.1.", "1.2.", "1.3.", "1.4.", "1.5.", "1.6.", "1.7.")

_DIGESTS = {"1.7.4": "936a262061c914694dfd669a543be24573c45d5aa0ff20a8b96b23d01e050e88"}
JAR_DIGESTS = frozenset(_DIGESTS.values())
# Official builds of the CommunityModules: CommunityModules.jar of 2025-08-29.
COMMUNITY_DIGESTS = frozenset({"9afc49218556d82a5e378f04061d7f71403d19c9b1808624a1caf8863023caa4"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release: its name, the address and file name of its jar, and the jar's sha256 if it never changes."""

    name: str
    url: str
    file: str
    sha256: str | None

    @property
    def brings_community(self) -> bool:
        """Whether the CommunityModules are installed with it, because they suit its TLC."""
        return self.name == ROLLING or (self.name != COMMUNITY and not self.name.startswith(_OLD))


def release(name: str) -> Release:
    """The release with a name: a tag such as 1.7.4 or 2026.04.29.170100, ``rolling`` (or 1.8.0), or ``community-modules``.

    Raises InputError (``unknown-release``, ``mirror``).
    """
    host = os.environ.get("TLA2PY_MIRROR", "").rstrip("/") or _HOST
    if not re.match(r"https?://", host):
        raise InputError(
            "mirror", f"TLA2PY_MIRROR is not an address: {host}", hint="give one with http or https"
        )
    if name == COMMUNITY:
        return Release(name=name, url=f"{host}/{_MODULES}", file=COMMUNITY_JAR, sha256=None)
    version = _MOVING if name == ROLLING else name.removeprefix("v")
    calendar = re.fullmatch(r"20\d\d\.\d\d\.\d\d(\.\d+)?", version) is not None
    if not calendar and not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise InputError(
            "unknown-release",
            f"no release is named {name}",
            hint=f"the names are {ROLLING}, versions such as 1.7.4 and 2026.04.29.170100, and {COMMUNITY}",
        )
    return Release(
        name=ROLLING if version == _MOVING else version,
        url=f"{host}/{_TOOLS.format(tag=version if calendar else f'v{version}')}",
        file="tla2tools.jar",
        sha256=_DIGESTS.get(version),
    )
