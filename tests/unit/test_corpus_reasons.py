"""The reasons that ``scripts/corpus.py`` gives, from what TLC printed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tla2py.model.outcome import Outcome

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "corpus.py"


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    ("outcome", "said", "reached", "reason", "detail"),
    [
        (Outcome.ERROR, "TLCGet(config) was undefined.", set(), "lacks", 'TLCGet("config")'),
        (Outcome.ERROR, "Error: unrecognized option: -generate", set(), "lacks", "the option -generate"),
        (
            Outcome.ERROR_CONFIG_PARSE,
            "TLC found an error in the configuration file at line 3\nIt was expecting a keyword, but did not find it.",
            set(),
            "lacks",
            "POSTCONDITION in configs",
        ),
        (
            Outcome.ERROR_SPEC_PARSE,
            "Cannot find source file for module TLCExt imported in module M.",
            set(),
            "lacks",
            "module TLCExt",
        ),
        (
            Outcome.ERROR_SPEC_PARSE,
            "Cannot find source file for module Mine imported in module M.",
            set(),
            "absent",
            "Mine",
        ),
        (Outcome.ERROR_SPEC_PARSE, "Unknown operator: `x'.", set(), "sany", "Unknown operator: `x'."),
        (Outcome.TIMEOUT, "", set(), "limits", "timeout"),
        (Outcome.OUT_OF_MEMORY, "", {"IOUtils"}, "limits", "out of memory"),
        (
            Outcome.FAILURE_SPEC_EVAL,
            "in IOUtils",
            {"M", "Folds", "IOUtils"},
            "java",
            "IOUtils: in IOUtils",
        ),
        (Outcome.ERROR, "odd", {"M", "Folds", "IOUtils"}, "java", "Folds, IOUtils: odd"),
        (Outcome.ERROR, "odd", {"M"}, "real", "odd"),
        # What a model with such modules violates is violated all the same.
        (
            Outcome.VIOLATION_SAFETY,
            "Invariant I is violated.",
            {"Folds"},
            "real",
            "Invariant I is violated.",
        ),
        (Outcome.SUCCESS, "", {"Folds"}, "real", ""),
    ],
)
def test_reasons(
    script: dict[str, object], outcome: Outcome, said: str, reached: set[str], reason: str, detail: str
) -> None:
    explain = script["explain"]
    assert callable(explain)
    config = "INIT Init\nNEXT Next\nPOSTCONDITION Post\n"
    assert explain(outcome, said, config, reached) == (reason, detail)
