"""Runs sweeps into stores as ``tla2py sweep`` does, with its options, on the master that spark-submit is given.

spark-submit --master spark://HOST:7077 spark_jobs/run_sweep.py SWEEP.toml -o STORE
"""

from __future__ import annotations

import sys

from tla2py.cli.main import main

if __name__ == "__main__":
    sys.argv.insert(1, "sweep")
    main()
