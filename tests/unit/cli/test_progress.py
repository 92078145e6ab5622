"""The progress lines of a sweep in a log."""

from __future__ import annotations

import pytest

from tla2py.cli.progress import reporting
from tla2py.execution.listener import Progress


def test_lines_in_a_log_get_rarer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("tla2py.cli.progress.time.monotonic", lambda: now)
    with reporting("sweep", 700, 0) as report:
        for second in range(601):
            now = float(second)
            report(Progress(done=second))
        now = 601.0
        report(Progress(done=700))
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == "sweep: 700 runs to execute"
    done = [int(line.partition("/")[0]) for line in lines]
    # The last run is reported at once.
    assert done == [5, 15, 35, 75, *range(135, 601, 60), 700]
