"""Expectations that are written down beside a model and not in a sweep file: in its config, in a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tla2py.config.expect_comment import ConfigExpectation, config_expectation
from tla2py.config.read import ConfigFile
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.file import ExpectPoint, ExpectSection, Scalar, SweepFile, ToldPoint


def with_told(
    file: SweepFile, configs: Mapping[str, ConfigFile], told: Iterable[ExpectPoint] = ()
) -> SweepFile:
    """A sweep file with rows at its end for what is told elsewhere; the rows that it has go before them.

    Raises InputError as ``config_expectation`` does.
    """
    rows = [*told]
    for name, config in configs.items():
        expected = config_expectation(config.path.read_text(encoding="utf-8"), config.path)
        if expected is not None:
            rows.append(told_point({"config": name} if isinstance(file.config, list) else {}, expected))
    if not rows:
        return file
    section = file.expect or ExpectSection()
    return msgspec.structs.replace(
        file, expect=msgspec.structs.replace(section, point=[*section.point, *rows])
    )


def told_point(
    match: dict[str, Scalar],
    told: ConfigExpectation,
    *,
    distinct: int | None = None,
    generated: int | None = None,
) -> ToldPoint:
    """The row that says what is told, for the points that agree with ``match``."""
    result = told.result
    violated = told.violates and result is Verdict.VIOLATED
    return ToldPoint(
        match=match,
        verdict=None if isinstance(result, Outcome) or violated else result.value,
        outcome=result if isinstance(result, Outcome) else None,
        violates=list(told.violates) or None,
        where=told.where,
        distinct=distinct,
        generated=generated,
    )
