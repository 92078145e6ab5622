"""Addresses of stores: folders, and URIs such as ``s3://bucket/path``."""

from __future__ import annotations

import re
from pathlib import Path

# A path, or a URI.
Address = Path | str
# ``Path`` drops one of the slashes after the scheme.
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")


def folder_of(address: Address) -> Path:
    """The folder at a path or a ``file:`` URI."""
    found = SCHEME.match(str(address))
    return Path("/" + str(address)[found.end() :]) if found and found[1].lower() == "file" else Path(address)


def is_remote(address: Address) -> bool:
    """Whether an address is a URI with a scheme other than ``file:``."""
    found = SCHEME.match(str(address))
    return found is not None and found[1].lower() != "file"


def below(address: Address, name: str) -> Address:
    """The address of a folder in a storage."""
    if not is_remote(address):
        return folder_of(address) / name
    path, mark, query = str(address).partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"
