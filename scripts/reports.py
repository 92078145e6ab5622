"""Writes the reports of the systems' stores to docs/report, and the committed report and picture to docs.

Usage: python scripts/reports.py (after `make systems`)
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tla2py

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# The report that is committed.
KEPT = "kip320-first-try"

# Store, notes, definition of the messages to draw.
REPORTS = (
    ("kip320-first-try", "kip320/losing-a-record.md", "leaderAndIsrRequests"),
    ("kip320-variants", "kip320/README.md", "leaderAndIsrRequests"),
    ("compaction", "compaction/README.md", None),
    ("ledger-chaining", "ledger_chaining/README.md", None),
    ("kafka-transactions", "kafka_transactions/README.md", "messages"),
    ("bookkeeper", "bookkeeper/README.md", None),
)


def main() -> None:
    """Write all reports and the picture."""
    (DOCS / "report").mkdir(exist_ok=True)
    for name, notes, messages in REPORTS:
        page = DOCS / f"{name}.html" if name == KEPT else DOCS / "report" / f"{name}.html"
        command = [
            sys.executable,
            "-m",
            "tla2py",
            "report",
            f"runs/{name}",
            "-o",
            str(page.relative_to(ROOT)),
        ]
        command += ["--arguments", "--notes", f"specs/{notes}"]
        command += ["--messages", messages] if messages else []
        subprocess.run(command, cwd=ROOT, check=True)
    store = tla2py.open_store(ROOT / "runs" / "kip320-first-try")
    strong = store.traces.query("name == 'StrongIsr'").iloc[0]
    point = int(store.runs[store.runs.run_id == strong.run_id].point.iloc[0])
    lanes = store.trace(point, int(strong.trace)).lanes("Replicas", messages="leaderAndIsrRequests")
    print(lanes.save(DOCS / "losing-a-record.svg").relative_to(ROOT))


if __name__ == "__main__":
    main()
