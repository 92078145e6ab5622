"""The gate's decision, lock and drift, and its reports."""
