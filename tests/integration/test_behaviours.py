"""What a candidate can do beside its reference: honest variants are as good, each difference is a doubt."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.test_judge import JUDGED
from tla2py.analysis.behaviours import BehaviourComparison
from tla2py.analysis.grade_model import GradedCheck, GradingCase, GradingRunner
from tla2py.analysis.reference import BesideReference
from tla2py.execution.listener import Listener
from tla2py.execution.sweeps import SweepOptions
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.tlc.tools.toolchain import find_toolchain

# How a copy of the reference is changed: the file's suffix, a text in it, and what stands there instead.
Change = tuple[str, str, str]
Compare = Callable[..., GradedCheck]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Return a function that compares a changed copy of a specification with the specification."""

    def run(
        reference: str,
        *changes: Change,
        of_reference: tuple[Change, ...] = (),
        spec: str = "",
        maps: str = "",
    ) -> GradedCheck:
        folder, _, name = reference.partition("/")
        for side, edits in (("spec", changes), ("reference", of_reference)):
            shutil.copytree(JUDGED / folder, tmp_path / side)
            for suffix, old, new in edits:
                file = tmp_path / side / f"{name}.{suffix}"
                text = file.read_text()
                assert old in text
                file.write_text(text.replace(old, new, 1))
        listener = Listener()
        case = GradingCase(
            spec=tmp_path / "spec" / (spec or f"{name}.tla"),
            reference=tmp_path / "reference" / f"{name}.tla",
            maps=tuple((pair.partition("=")[0], pair.partition("=")[2]) for pair in maps.split()),
        )
        executors = choose_executor(ExecutorName.LOCAL, None, listener, only_runs=True)
        bench = GradingRunner(
            case, SweepOptions(), find_toolchain(), executors, tmp_path / "judged", listener
        )
        sweep = bench.sweep(case.spec)
        assert case.reference is not None
        return BehaviourComparison(
            BesideReference(bench, sweep, bench.run(sweep, "own"), case.reference)
        ).grade()

    return run


# Who has a majority leads at once.
WON_AT_ONCE = [
    (
        "tla",
        "/\\ UNCHANGED leader",
        """/\\ LET votes == Cardinality({m \\in Node : vote'[m] = c})
   IN leader' = leader \\cup {d \\in {c} : 2 * votes > Cardinality(Node)}""",
    ),
    ("tla", "Win(c) \\/ ", ""),
]
# Two ticks may come at once.
TWO_TICKS = (
    "Next == Tick",
    "Twice == now + 2 <= End /\\ now' = now + 2 /\\ UNCHANGED <<granted, believes>>\nNext == Twice \\/ Tick",
)
# A message is delivered first, and taken out of the channel by a step of its own.
TAKEN_OUT_LATER = [
    (
        "tla",
        "Receive == /\\ inFlight # <<>>",
        """Late == Len(got) + Len(inFlight) > sent
Remove == Late /\\ inFlight' = Tail(inFlight) /\\ UNCHANGED <<sent, got>>
Receive == /\\ ~Late /\\ inFlight # <<>>""",
    ),
    (
        "tla",
        "inFlight' = Tail(inFlight) /\\ sent' = sent\nNext == Send",
        "UNCHANGED <<inFlight, sent>>\nNext == Remove \\/ Send",
    ),
]
# A tick is prepared by a step that the reference does not see.
PREPARED = [
    ("tla", "VARIABLES now", "VARIABLES ready, now"),
    ("tla", "vars == <<now", "vars == <<ready, now"),
    ("tla", "Init == now = 0", "Init == ready = FALSE /\\ now = 0"),
    ("tla", "/\\ UNCHANGED now", "/\\ UNCHANGED <<now, ready>>"),
    (
        "tla",
        "Tick == now < End /\\",
        """Prepare == ready' = TRUE /\\ UNCHANGED <<now, granted, believes>>
Tick == now < End /\\ ready /\\ ready' = FALSE /\\""",
    ),
    ("tla", "Next == Tick", "Next == Prepare \\/ Tick"),
]
PROGRESS = ("tla", "[][Next]_vars", "[][Next]_vars /\\ WF_vars(Next)")
ELECTION_MAPS = "Node=Servers vote=ballot leader=winners"
HONEST: dict[str, tuple[str, list[Change], dict[str, object]]] = {
    "the same": ("commit/Commit", [], {}),
    "in other words": ("commit/Commit", [], {"spec": "Decision.tla"}),
    "under other names": ("election/Election", [], {"spec": "Ballots.tla", "maps": ELECTION_MAPS}),
    "fairness of each action": ("queue/Queue", [], {"spec": "honest/Queue.tla"}),
    "strong fairness of what stays enabled": ("queue/Queue", [("tla", "WF_vars(Next)", "SF_vars(Next)")], {}),
    "two steps at once or one by one": ("lease/Lease", [("tla", *TWO_TICKS)], {}),
    "a coarser step": ("election/Election", WON_AT_ONCE, {}),
    "a finer step": ("queue/Queue", TAKEN_OUT_LATER, {}),
    "a finer step that cannot be seen": (
        "lease/Lease",
        [*PREPARED, PROGRESS],
        {"of_reference": (PROGRESS,)},
    ),
    "a step that changes nothing": (
        "lease/Lease",
        [("tla", "Next == Tick", "Next == UNCHANGED vars \\/ Tick")],
        {},
    ),
    "a guard that is always TRUE": (
        "lease/Lease",
        [("tla", "Tick == now < End", "Tick == now < End /\\ now >= 0")],
        {},
    ),
    "another order in the subscript": (
        "lease/Lease",
        [("tla", "[][Next]_vars", "[][Next]_<<believes, now, granted>>")],
        {},
    ),
    "Init and Next in the config": (
        "lease/Lease",
        [("cfg", "SPECIFICATION Spec", "INIT Init NEXT Next")],
        {},
    ),
    "an action taken apart": (
        "commit/Commit",
        [("tla", "Prepare(r) \\/ GiveUp(r)", '(state[r] = "working" /\\ (Prepare(r) \\/ GiveUp(r)))')],
        {},
    ),
}


@pytest.mark.parametrize("kind", HONEST)
def test_an_honest_variant_can_do_the_same(compare: Compare, kind: str) -> None:
    reference, changes, options = HONEST[kind]
    check = compare(reference, *changes, **options)
    assert check.verdict == "pass", check


OTHERS: dict[str, tuple[str, list[Change], str, dict[str, object]]] = {
    "fairness added": (
        "commit/Commit",
        [("tla", "Spec == Init /\\ [][Next]_vars", "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Decide)")],
        "the reference does not satisfy its WF_vars(Decide)",
        {},
    ),
    "an eventuality added": (
        "commit/Commit",
        [
            (
                "tla",
                "Spec == Init /\\ [][Next]_vars",
                'Spec == Init /\\ [][Next]_vars /\\ []<>(decision # "none")',
            )
        ],
        'the reference does not satisfy its []<>(decision # "none")',
        {},
    ),
    "fairness of what the reference cannot see": (
        "lease/Lease",
        [*PREPARED, ("tla", "[][Next]_vars", "[][Next]_vars /\\ WF_vars(Tick)")],
        "the reference does not satisfy its WF_vars(Tick)",
        {},
    ),
    "fairness left out": (
        "queue/Queue",
        [("tla", " /\\ WF_vars(Next)", "")],
        "it does not satisfy the reference's WF_vars(Next)",
        {},
    ),
    "another beginning": (
        "lease/Lease",
        [("tla", "Init == now = 0", "Init == now = 1")],
        "it can begin in 1 state in which the reference cannot",
        {},
    ),
    "a guard that lets no two compete": (
        "election/Election",
        [
            (
                "tla",
                'Vote(n, c) == vote[n] = "none"',
                'Vote(n, c) == vote[n] = "none" /\\ \\A m \\in Node : vote[m] \\in {"none", c}',
            )
        ],
        "the reference reaches",
        {},
    ),
    "an action left out": (
        "commit/Commit",
        [("tla", "Prepare(r) \\/ GiveUp(r) \\/ Learn(r)", "Prepare(r) \\/ Learn(r)")],
        "the reference reaches",
        {},
    ),
    "an action left out that others make up for": (
        "lease/Lease",
        [],
        "the reference takes a step that it does not take: Twice",
        {"of_reference": (("tla", *TWO_TICKS),)},
    ),
    "a guard that lets one message travel": (
        "queue/Queue",
        [("tla", "Len(inFlight) < Limit", "inFlight = <<>>")],
        "the reference reaches",
        {},
    ),
    "one beginning of two": (
        "lease/Lease",
        [],
        "the reference can begin in 1 state in which it cannot",
        {"of_reference": (("tla", "Init == now = 0", "Init == now \\in {0, 1}"),)},
    ),
    "an action that returns": (
        "lease/Lease",
        [
            (
                "tla",
                "Next == Tick",
                "Next == (now = 1 /\\ now' = 0 /\\ UNCHANGED <<granted, believes>>) \\/ Tick",
            )
        ],
        "it takes a step that no steps of the reference make",
        {},
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_a_difference_is_a_doubt_with_its_behaviour(compare: Compare, kind: str) -> None:
    reference, changes, words, options = OTHERS[kind]
    check = compare(reference, *changes, **options)
    assert check.verdict == "doubtful", check
    assert words in check.words
    differences = check.evidence["differences"]
    assert isinstance(differences, list)
    assert all(difference["behaviour"] for difference in differences), differences
