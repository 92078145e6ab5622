"""The tables of a store: explicit schemas, rows from results, Parquet files."""
