"""Counts and durations in tables for people."""

from __future__ import annotations


def number(value: int | None, *, least: bool = False) -> str:
    """A count with thousands marked, ``>=`` before one that is less than what there is, or a dash for none."""
    return "-" if value is None else f"{'>=' * least}{value:,}"


def seconds(value: float | None) -> str:
    """A duration for a person, or a dash for none."""
    if value is None:
        return "-"
    return f"{value:.1f}s" if value < 60 else f"{int(value // 60)}m{int(value % 60):02d}s"
