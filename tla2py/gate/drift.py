"""What changed at a point since its lock was accepted, each change in words of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tla2py.gate.lock import LockedPoint
from tla2py.model.outcome import Verdict
from tla2py.model.run import Run
from tla2py.sweep.checks import ConfigFacts, the_check
from tla2py.sweep.grid import Point
from tla2py.tables.runs import RunRow


def locked_point(
    point: Point,
    run: Run,
    facts: ConfigFacts,
    row: RunRow,
    fired: Sequence[str] | None,
    idle: Sequence[str],
) -> LockedPoint:
    """What a lock keeps of a point: only what the same inputs give each time."""
    verdict = row.verdict
    # Where TLC stops early, or walks at random, the counts are the same only for one worker.
    complete = verdict is Verdict.HOLDS and run.options.mode == "check"
    alike = complete or (verdict is Verdict.VIOLATED and run.options.workers == 1)
    counted = alike and fired is not None
    return LockedPoint(
        parameters=dict(point.parameters),
        config=facts.digest,
        values=facts.values,
        checked=[str(check) for check in facts.checked],
        searched=list(facts.searched),
        model_values=list(facts.model_values),
        verdict=verdict.value,
        violates=sorted(set(row.violated_names)),
        distinct=row.distinct if alike else None,
        fired=sorted(set(fired or ())) if counted else None,
        idle=sorted(set(idle)) if counted else None,
    )


def drift(before: LockedPoint | None, now: LockedPoint, *, answered: bool = True) -> Iterator[str]:
    """The changes in words; none where all is as it was.

    What follows from another verdict is not told again. Of a point that gave no answer, where ``answered`` is False,
    only its config is compared.
    """
    if before is None:
        yield "the point is not in the lock"
        return
    told = list(_config(before, now))
    yield from told
    if before.config != now.config and (not told or before.values not in (None, now.values)):
        yield "the config is another one: its values or options changed"
    if not answered:
        return
    if before.verdict != now.verdict:
        yield f"the verdict was {before.verdict}, it is {now.verdict}"
    yield from _names(before.violates, now.violates, "no longer violates {}", "violates {}, which it did not")
    if before.verdict != now.verdict:
        return
    if None not in (before.distinct, now.distinct) and before.distinct != now.distinct:
        assert before.distinct is not None
        assert now.distinct is not None
        moved = "fell" if now.distinct < before.distinct else "rose"
        yield f"distinct states {moved} from {before.distinct:,} to {now.distinct:,}"
    elif before.distinct is not None and now.distinct is None:
        yield f"distinct states were {before.distinct:,}, now the count is not certain"
    if before.fired is not None and now.fired is None:
        yield "which actions fire was not counted, though the lock has it"
    elif before.fired is not None and now.fired is not None:
        yield from _names(
            before.fired, now.fired, "action {} no longer fires", "action {} fires, which it did not"
        )
    if before.idle is not None and now.idle is not None:
        known = {*before.idle, *(before.fired or ())}
        yield from (f"action {name} is new and never fires" for name in now.idle if name not in known)


def _config(before: LockedPoint, now: LockedPoint) -> Iterator[str]:
    yield from _names(
        [the_check(each) for each in before.checked],
        [the_check(each) for each in now.checked],
        "no longer checks {}",
        "checks {}, which it did not",
    )
    if before.searched is not None and now.searched is not None:
        yield from _names(
            before.searched, now.searched, "no longer has the {}", "has the {}, which it had not"
        )
    yield from _names(
        before.model_values, now.model_values, "{} is no longer a model value", "{} is now a model value"
    )


def _names(before: Sequence[str], now: Sequence[str], gone: str, new: str) -> Iterator[str]:
    yield from (gone.format(name) for name in sorted(set(before) - set(now)))
    yield from (new.format(name) for name in sorted(set(now) - set(before)))
