"""Storage of runs and their raw records."""
