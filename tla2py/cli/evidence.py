"""``tla2py evidence``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli import options as opt
from tla2py.cli.console import show_json, show_text
from tla2py.cli.options import argument, option
from tla2py.errors import ExitCode, InputError
from tla2py.gate.evidence import (
    EvidencePack,
    PackGaps,
    RepeatedPoint,
    find_gaps,
    read_pack,
    repeat_points,
    write_evidence,
)
from tla2py.sweep.judge import worst
from tla2py.text import counted, points_text


def evidence_command(
    what: Annotated[list[str], argument("STORE | verify FILE.zip", "A store, or a pack to verify.")],
    output: Annotated[Path | None, option("-o --output FILE.zip", "Write the pack here.")] = None,
    with_environment: Annotated[
        bool,
        option(
            "--with-environment",
            "Include values of environment variables and Java properties; default: only their digests.",
        ),
    ] = False,
    sample: Annotated[
        str | None,
        option("--sample N|all", "With verify: run so many points again, drawn at random; default: 10."),
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Write what an auditor wants of a store into one file, or verify such a file by running its points again.

    The pack has verdicts, counts, texts, options and digests, and neither jars nor absolute paths. Its own digest is printed; keep it elsewhere, since verify finds damage, not forgery.

    Exit codes of verify: 0 the same, 1 a point differs or was removed, 2 the pack is damaged or a point cannot be repeated, 3 no answer, or no point.

    Examples:
      tla2py evidence runs/NAME -o pack.zip
      tla2py evidence verify pack.zip --sample all
    """
    verifies = len(what) == 2 and what[0] == "verify"
    if len(what) != 1 + verifies or verifies == (output is not None) or (sample is not None and not verifies):
        hint = "tla2py evidence STORE -o FILE.zip, or tla2py evidence verify FILE.zip [--sample N]"
        raise InputError("usage", "evidence takes a store and -o, or verify and a pack", hint=hint)
    if output is not None:
        digest = write_evidence(what[0], output, with_environment=with_environment)
        if as_json:
            show_json({"file": str(output), "sha256": digest})
        else:
            show_text(f"{output}  sha256 {digest}\n")
        return
    if sample is not None and sample != "all" and (not sample.isdecimal() or not int(sample)):
        raise InputError(
            "usage", f"--sample {sample} is neither a number of points nor all", hint="example: --sample 20"
        )
    pack = read_pack(Path(what[1]))
    answers = repeat_points(pack, None if sample == "all" else int(sample or _SAMPLE))
    gaps = find_gaps(pack)
    if as_json:
        show_json(
            {
                "sha256": pack.sha256,
                "points": len(pack.facts.points),
                "missing": [*gaps.removed, *pack.facts.missing],
                "repeated": [asdict(each) for each in answers],
            }
        )
    else:
        show_text("\n".join([*_verified_lines(pack, answers, gaps), ""]))
    codes = [_CODES[each.status] for each in answers] or [ExitCode.INCONCLUSIVE]
    if gaps.removed or gaps.runs:
        codes.append(ExitCode.UNEXPECTED)
    raise typer.Exit(worst(codes))


def _verified_lines(pack: EvidencePack, answers: Sequence[RepeatedPoint], gaps: PackGaps) -> Iterator[str]:
    """Yield the lines of a verification: what differs, what the pack lacks, what was repeated and what was not."""
    facts = pack.facts
    yield f"sha256 {pack.sha256}"
    for each in answers:
        if each.status != "same":
            yield f"point {each.point} {each.status}: {each.text}"
    if gaps.removed:
        yield f"missing: the pack has no entry for {counted(len(gaps.removed), 'point')} of its sweep: {points_text(gaps.removed)}"
    if gaps.runs:
        yield f"left over: {counted(len(gaps.runs), 'run')} in the pack belong{'s' * (len(gaps.runs) == 1)} to no point"
    if facts.missing:
        yield f"without a result when it was packed: {counted(len(facts.missing), 'point')}: {points_text(facts.missing)}"
    others = {"mutant": len(facts.mutants), "run of a second TLC": len(facts.second)}
    for noun, count in others.items():
        if count:
            yield f"not repeated: each {noun} ({count:,})"
    counts = Counter(each.status for each in answers)
    statuses = [f"{counts['same']} the same"]
    statuses += [f"{count} {status}" for status, count in counts.items() if status != "same"]
    yield f"{len(answers)} of {counted(len(facts.points), 'point')} repeated: {', '.join(statuses)}"


# The points of a pack that run again unless told otherwise, and the exit codes of what becomes of them.
_SAMPLE = 10
_CODES = {
    "same": ExitCode.OK,
    "differs": ExitCode.UNEXPECTED,
    "unanswered": ExitCode.INCONCLUSIVE,
    "unrepeatable": ExitCode.NOT_RUN,
}
