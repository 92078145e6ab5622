"""Counts, durations and sizes as text."""

from __future__ import annotations


def number(value: int | None, *, least: bool = False) -> str:
    """A count with thousands separators, prefixed with ``>=`` if it is a lower bound; a dash for None."""
    return "-" if value is None else f"{'>=' * least}{value:,}"


def seconds(value: float | None) -> str:
    """A duration such as ``1.5s`` or ``2m05s``; a dash for None."""
    if value is None:
        return "-"
    return f"{value:.1f}s" if value < 60 else f"{int(value // 60)}m{int(value % 60):02d}s"


def file_size(value: int) -> str:
    """A number of bytes such as ``2.3 MiB``."""
    units = ("bytes", "KiB", "MiB", "GiB")
    power = min(max(value.bit_length() - 1, 0) // 10, len(units) - 1)
    return f"{value / 1024**power:.{min(power, 1)}f} {units[power]}"
