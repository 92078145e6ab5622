"""Two-phase commit as a program that ``drive`` asks, with mistakes by option: see ``test_cases.py``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time


def main(mistake: str) -> None:
    """Answer until the input ends."""
    rms: dict[str, str] = {}
    manager, prepared, received = "init", set[str](), 0
    for line in sys.stdin:
        question = json.loads(line)
        if question["do"] == "hello":
            answer(*[{"protocol": int(mistake != "old")}] * (1 + (mistake == "twice")))
            continue
        if question["do"] == "reset":
            rms = dict.fromkeys(question["state"]["rmState"], "working")
            manager, prepared, received = "init", set(), 0
        else:
            action, rm = question["action"], question["args"].get("r")
            if action == "TMCommit" and blunder(mistake):
                continue
            states = {"RMPrepare": "prepared", "RMRcvCommitMsg": "committed"}
            if action in ("TMCommit", "TMAbort"):
                manager = {"TMCommit": "committed", "TMAbort": "aborted"}[action]
            elif action == "TMRcvPrepared":
                prepared.add(rm)
                received += 1
                # The bug of specs/two_phase: repeated messages count as further votes.
                if mistake == "count" and received >= len(rms) and len(prepared) < len(rms):
                    manager = "committed"
            else:
                rms[rm] = states.get(action, "aborted")
        answer({"state": {"rmState": rms, "tmState": manager, "tmPrepared": {"#set": sorted(prepared)}}})


def answer(*content: object) -> None:
    sys.stdout.write("".join(json.dumps(each) + "\n" for each in content))
    sys.stdout.flush()


WRONG = {
    "name": {"state": {"tmstate": "committed"}},
    "value": {"state": {"tmState": {"#set": 3}}},
    "refuse": {"error": "no\x1b[31m"},
    "neither": {},
}


def blunder(mistake: str) -> bool:
    """Make the mistake; whether it was to answer."""
    if mistake == "die":
        os._exit(3)
    elif mistake == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif mistake == "close":
        os.close(1)
        time.sleep(1000)
    elif mistake == "hang":
        subprocess.Popen(["sleep", "1000"])
        time.sleep(1000)
    elif mistake == "print":
        answer([])
    elif mistake in WRONG:
        answer(WRONG[mistake])
    return mistake in WRONG


if __name__ == "__main__":
    main(*sys.argv[1:])
