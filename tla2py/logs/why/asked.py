"""Which logs an execution of their own asks about."""

from __future__ import annotations

from collections.abc import Mapping

from tla2py.logs.why.probe import LogProbe, log_probe
from tla2py.model.outcome import Verdict
from tla2py.model.result import RunResult
from tla2py.model.run import Run
from tla2py.tlc.output.log import with_log

MOST_GENERATED = 50_000
"""The most generated states of a run that is executed again to learn about its log."""


def probe_of(run: Run, sources: Mapping[str, str], result: RunResult, *, enabled: bool) -> LogProbe | None:
    """The execution that asks how TLC takes the lines of a run's log, after one with this result; None for no question.

    A log that no behaviour explains is asked about, and with ``coverage`` any other, unless the search is large or the log
    an edited one. ``enabled`` is that of ``log_probe``.
    """
    log, verdict = run.inputs.log, with_log(result, run.inputs.log).verdict
    asked = verdict is Verdict.VIOLATED or (verdict is Verdict.HOLDS and run.options.coverage)
    if log is None or log.edit is not None or log.position is None or not result.progress or not asked:
        return None
    if (result.stats.generated or 0) > MOST_GENERATED or run.options.mode != "check":
        return None
    modules = tuple((name, sources[sha256]) for name, sha256 in run.modules)
    found = log_probe(run.main, modules, run.config_text, log.position, log.entries, enabled=enabled)
    last = result.progress[-1].position if verdict is Verdict.VIOLATED else None
    return None if found is None else found.until(last)
