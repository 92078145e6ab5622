"""Writes the tables of stores, TLC logs and trace files to any address that Spark supports, a Parquet folder each.

spark-submit spark_jobs/load_traces.py STORE... LOG... -o hdfs:///traces
"""

from __future__ import annotations

import argparse
import sys

from tla2py.spark.frames import job_exit, load_tables, write_tables
from tla2py.spark.session import spark_session


def main() -> None:
    """Load the inputs and write their tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a store, a log of TLC or a trace file")
    parser.add_argument("-o", "--output", required=True, metavar="URI", help="the folder for the tables")
    parser.add_argument("--append", action="store_true", help="append to existing tables")
    options = parser.parse_args()
    with spark_session(None, name="tla2py load_traces") as session:
        for name, count in write_tables(load_tables(session, options.inputs), options.output, options.append):
            print(f"{name}: {count:,} rows")


if __name__ == "__main__":
    sys.exit(job_exit(main))
