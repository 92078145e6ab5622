"""A store's tables: explicit schemas, rows made from results, Parquet files."""
