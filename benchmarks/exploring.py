"""How fast the explorer opens and steps: ``python -m benchmarks.exploring``.

Reports are opened in a headless Chromium: one of 400 states with 24 variables, and one of 500 points, most of them violated.
Opening lasts until the counterexample is drawn, a step until the browser has painted what a key changed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.browser.chromium import Tab, chromium
from tests.browser.test_stress import lease_report, wide_report

OPENINGS = 7
STEPS = 60
GOALS = "the goals are 1.5 s and 50 ms"
# The time after the next frame, which is what the key changed.
STEP = """(async () => {
    const begun = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "KEY", bubbles: true}));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - begun;
})()"""
DRAWN = "document.querySelector('.x-panes') !== null"


def opening(tab: Tab, page: Path) -> float:
    """The seconds until a counterexample is drawn."""
    begun = time.perf_counter()
    tab.open(page.as_uri())
    tab.wait_for(DRAWN)
    return time.perf_counter() - begun


def steps(tab: Tab) -> list[float]:
    """The milliseconds of steps, forth and back."""
    taken = []
    for number in range(STEPS):
        key = "j" if number % 6 < 3 else "k"
        taken.append(float(tab.run(STEP.replace("KEY", key))))
    return taken


def main() -> None:
    """Print the table."""
    lines = [f"{'':<34}{'KiB':>8}{'open s':>8}{'step ms':>9}{'longest':>9}"]
    with tempfile.TemporaryDirectory() as name:
        folders = {each: Path(name, each) for each in ("profile", "empty", "wide", "lease")}
        for folder in folders.values():
            folder.mkdir()
        empty = folders["empty"] / "page.html"
        empty.write_text("<!DOCTYPE html><html><body><p class='x-panes'>nothing</p></body></html>")
        pages = {
            "an empty page": empty,
            "400 states of 24 variables": wide_report(folders["wide"]),
            "500 points": lease_report(folders["lease"]),
        }
        with chromium(folders["profile"]) as tab:
            tab.look()
            for what, page in pages.items():
                opened = median(opening(tab, page) for _ in range(OPENINGS))
                taken = steps(tab)
                size = page.stat().st_size / 1024
                lines.append(f"{what:<34}{size:>8.0f}{opened:>8.2f}{median(taken):>9.1f}{max(taken):>9.1f}")
    lines.append(f"{GOALS}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
