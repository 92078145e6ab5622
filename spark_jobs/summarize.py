"""Prints a row for each verdict and each violated definition: points, shortest trace, states, seconds of processor time.

spark-submit spark_jobs/summarize.py STORE... [-o URI]
"""

from __future__ import annotations

import argparse
import sys

from tla2py.spark.jobs import job_exit, load_runs, summarize
from tla2py.spark.session import spark_session


def main() -> None:
    """Summarize what is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a store, or what load_traces.py wrote")
    parser.add_argument("-o", "--output", metavar="URI", help="write the rows there too, as Parquet")
    given = parser.parse_args()
    with spark_session(None, name="tla2py summarize") as session:
        rows = summarize(load_runs(session, given.inputs)).cache()
        rows.show(1000, truncate=False)
        if given.output:
            rows.coalesce(1).write.mode("overwrite").parquet(given.output)


if __name__ == "__main__":
    sys.exit(job_exit(main))
