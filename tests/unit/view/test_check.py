"""The text of a check."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tests.unit.records import executed
from tla2py.execution.check import Checked
from tla2py.model.outcome import Diagnostic
from tla2py.tlc.output.collector import with_notes
from tla2py.view.traces import check_text


def test_who_is_refused_is_told_of_trust(tmp_path: Path) -> None:
    found = executed(tmp_path, "0" * 32, "module-missing")
    refusal = Diagnostic(code=1000, severity="error", text="/data.json (Permission denied)", location=None)

    def said(trust: bool, *diagnostics: Diagnostic) -> str:
        limits = replace(found.record.limits, trust=trust)
        record = replace(found.record, limits=limits)
        result = with_notes(replace(found.result, diagnostics=diagnostics), record)
        console = Console(file=io.StringIO(), width=200)
        console.print(check_text(Checked(record=record, result=result)))
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    assert "--trust" in said(False, refusal)
    assert "--trust" not in said(True, refusal)
    assert "--trust" not in said(False)
