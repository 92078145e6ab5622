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
            hello: dict[str, object] = {"protocol": int(mistake != "old")}
            if mistake == "boolean":
                hello = {"protocol": True}
            elif mistake == "named":
                hello["name"] = "two-phase"
            answer(*[hello] * (1 + (mistake == "twice")))
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
        answer({"state": state_of(mistake, rms, manager, prepared)})


def state_of(mistake: str, rms: dict[str, str], manager: str, prepared: set[str]) -> dict[str, object]:
    """Return what the program tells of its state."""
    if mistake == "silent":
        return {"#meta": {}} if manager == "committed" else {}
    if mistake == "manager":
        return {"tmState": manager}
    members: object = {"#set": sorted(prepared)}
    if mistake == "list":
        # In some order, one of them twice.
        members = [*sorted(prepared, reverse=True), *sorted(prepared)[:1]]
    elif mistake == "more":
        members = [*sorted(prepared), "rm9"]
    return {"rmState": rms, "tmState": manager, "tmPrepared": members}


def answer(*content: object) -> None:
    sys.stdout.write("".join(json.dumps(each) + "\n" for each in content))
    sys.stdout.flush()


WRONG = {
    "name": {"state": {"tmstate": "committed"}},
    "value": {"state": {"tmState": {"#set": 3}}},
    "refuse": {"error": "no\x1b[31m"},
    "neither": {},
    "null": {"error": None},
    "both": {"state": {}, "error": "no"},
    "other": {"state": {}, "time": 3},
    "array": {"state": []},
}
RAW = {
    "repeated": '{"state": {"tmState": "init", "tmState": "committed"}}',
    "answers": '{"state": {}, "state": {"tmState": "committed"}}',
    "nested": '{"state": {"tmState": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    "deep": '{"state": {"tmState": ' + "[" * 300 + "]" * 300 + "}}",
}
# Leaves the process group and the session, and its parent ends at once.
DAEMON = (
    "import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); time.sleep(1000)"
)


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
    elif mistake in ("daemon", "daemons"):
        subprocess.run([sys.executable, "-c", DAEMON], check=True, stdout=subprocess.DEVNULL)
        if mistake == "daemons":
            time.sleep(1000)
    elif mistake == "print":
        answer([])
    elif mistake in RAW:
        sys.stdout.write(f"{RAW[mistake]}\n")
        sys.stdout.flush()
        return True
    elif mistake in WRONG:
        answer(WRONG[mistake])
    return mistake in WRONG


if __name__ == "__main__":
    main(*sys.argv[1:])
