"""Records as a run leaves them, made of what TLC has really printed."""

from __future__ import annotations

import json
from pathlib import Path

from tla2py.model.run import ExecutedRun, Execution, Limits, ModuleText, Purpose, RunRecord, TlcOptions
from tla2py.tlc.output.result import combine, interpret_execution

CORPUS = Path(__file__).parent.parent / "corpus" / "tlc"


def execution(name: str, purpose: Purpose = "run", version: str = "2.20") -> tuple[Execution, bytes]:
    """The facts of an execution that printed a case of the corpus, and what it printed."""
    told = json.loads((CORPUS / name / "expected.json").read_text())
    facts = Execution(
        purpose=purpose,
        argv=("java", "tlc2.TLC", "Spec.tla"),
        config_text=(CORPUS / name / "Spec.cfg").read_text(),
        invariants=tuple(told.get("interpret", {}).get("invariants", ())),
        properties=tuple(told.get("interpret", {}).get("properties", ())),
        check_deadlock=True,
        exit_code=told["exit_code"][version],
        termination_reason=None,
        started_at="2026-01-02T03:04:05.678+00:00",
        wall_seconds=1.5,
        cpu_seconds=2.25,
        peak_memory_bytes=100_000_000,
    )
    return facts, (CORPUS / name / f"{version}.txt").read_bytes()


def executed(folder: Path, run_id: str, *names: str, version: str = "2.20") -> ExecutedRun:
    """A run whose executions printed these cases of the corpus, its streams below a folder."""
    folders, executions, results = [], [], []
    for number, name in enumerate(names, 1):
        facts, stdout = execution(name, "run" if number == 1 else "further", version)
        place = folder / run_id / str(number)
        place.mkdir(parents=True)
        (place / "stdout.txt").write_bytes(stdout)
        (place / "stderr.txt").write_text(f"on standard error: {name}\n")
        folders.append(place)
        executions.append(facts)
        results.append(interpret_execution(facts, TlcOptions(), stdout.splitlines(keepends=True)))
    record = RunRecord(
        run_id=run_id,
        main="Spec",
        modules=(ModuleText("Spec.tla", "0" * 64),),
        options=TlcOptions(),
        limits=Limits(timeout_seconds=60.0, memory_bytes=1 << 28),
        jar_sha256="1" * 64,
        executions=tuple(executions),
    )
    return ExecutedRun(
        record=record,
        folders=tuple(folders),
        result=combine(executions, results, record),
        cancelled=False,
    )
