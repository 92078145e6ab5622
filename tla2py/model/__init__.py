"""Models, runs, records, outcomes and results."""
