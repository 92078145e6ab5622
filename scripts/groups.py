"""When each group of tests last passed as a whole, on which commit, and how long it took.

``groups.py`` prints the table. ``groups.py GROUP COMMAND...``, which the targets of the Makefile call, runs the tests of
a group and, if they pass, records it in groups.toml, unless there are uncommitted changes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path

RECORD = Path(__file__).with_suffix(".toml")
GROUPS = (
    *("core", "browser", "docs", "faults", "features", "jars"),
    *("long", "properties", "reference", "spark", "systems"),
)


def git(*arguments: str) -> str:
    """What git prints; empty where it fails, as outside of a repository."""
    done = subprocess.run(
        ["git", *arguments], cwd=RECORD.parent.parent, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def show() -> None:
    """Print the table."""
    record = tomllib.loads(RECORD.read_text("utf-8"))
    print(
        f"{'group':<12}{'passed':<12}{'commit':<11}{'commits since':<15}{'minutes':>8}{'CPU minutes':>13}  cores"
    )
    for group in GROUPS:
        if (last := record.get(group)) is None:
            print(f"{group:<12}never")
            continue
        since = git("rev-list", "--count", f"{last['commit']}..HEAD") or "unknown"
        times = f"{last['seconds'] / 60:>8.1f}{last['cpu_seconds'] / 60:>13.1f}{last['cores']:>7}"
        print(f"{group:<12}{last['day']!s:<12}{last['commit']:<11}{since:<15}{times}")


def tested() -> str:
    """The commit whose files are here; empty with uncommitted changes, which no commit has."""
    changes = git(
        "status", "--porcelain", "--untracked-files=no", ":/", f":(exclude,top)scripts/{RECORD.name}"
    )
    return "" if changes else git("rev-parse", "--short=8", "HEAD")


def run(group: str, command: list[str]) -> int:
    """The exit code of the tests of a group; 0 is recorded."""
    commit, begun = tested(), time.monotonic()
    code = subprocess.run(command, check=False).returncode
    # What CI would write goes with its checkout.
    if code or os.environ.get("CI"):
        return code
    if not commit or tested() != commit:
        print(f"group {group} passed; not recorded, since no commit has the files as tested", file=sys.stderr)
        return 0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = dict(line.split(" = ", 1) for line in RECORD.read_text("utf-8").splitlines() if " = " in line)
    lines[group] = (
        f'{{ day = {datetime.now(UTC):%Y-%m-%d}, commit = "{commit}", seconds = {time.monotonic() - begun:.0f}, '
        f"cpu_seconds = {used.ru_utime + used.ru_stime:.0f}, cores = {os.cpu_count()} }}"
    )
    RECORD.write_text("".join(f"{name} = {lines[name]}\n" for name in sorted(lines)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
    show()
