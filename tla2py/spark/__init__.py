"""Spark; the only room that imports pyspark."""
