"""Spark: the session, the executor and the frames over a store's tables. Only here is pyspark imported."""
