"""Prints a row per verdict, with what its runs cost, and one per violated definition: points, shortest trace, states.

spark-submit spark_jobs/summarize.py STORE... [-o URI]
"""

from __future__ import annotations

import argparse
import sys

from tla2py.spark.frames import job_exit, load_summary
from tla2py.spark.session import spark_session


def main() -> None:
    """Print the summary of the inputs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a store, or a folder of load_traces.py")
    parser.add_argument("-o", "--output", metavar="URI", help="also write the rows there, as Parquet")
    options = parser.parse_args()
    with spark_session(None, name="tla2py summarize") as session:
        rows = load_summary(session, options.inputs).cache()
        rows.show(1000, truncate=False)
        if options.output:
            rows.coalesce(1).write.mode("overwrite").parquet(options.output)


if __name__ == "__main__":
    sys.exit(job_exit(main))
