"""Check the sentences of ``--why``: ``python -m tests.explained [--seed N] [--count N] [--jar JAR]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.explained.trial import describe_false_sentences, describe_figures, explain_drawn
from tla2py.tlc.tools.jar import bundled_jar


def main() -> int:
    """Print each false sentence and the figures; return 1 if there is a false one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=60)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--jar", type=Path, default=None)
    options = parser.parse_args()
    trials = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in explain_drawn(options.seed, options.count, Path(folder), options.jar or bundled_jar()):
            trials.append(trial)
            if trial.false_sentences:
                print(describe_false_sentences(trial), flush=True)
    print(describe_figures(trials))
    return int(any(trial.false_sentences for trial in trials))


if __name__ == "__main__":
    sys.exit(main())
