"""Compare generated models: ``python -m tests.generated [--seed N] [--count N] [--kind KIND] [--jar JAR]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.generated.trial import KINDS, compare_models, describe_difference, describe_figures
from tla2py.tlc.tools.jar import bundled_jar


def main() -> int:
    """Print each difference and the figures; return 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=59)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--jar", type=Path, default=None)
    options = parser.parse_args()
    jar = options.jar or bundled_jar()
    kinds = options.kind or list(KINDS)
    trials = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in compare_models(options.seed, options.count, Path(folder), jar, kinds):
            trials.append(trial)
            if not trial.comparison.agrees:
                print(describe_difference(trial), flush=True)
    print(describe_figures(trials))
    return int(any(not trial.comparison.agrees for trial in trials))


if __name__ == "__main__":
    sys.exit(main())
