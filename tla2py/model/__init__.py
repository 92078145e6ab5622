"""What is checked and what came of it: models, runs, records, outcomes, results."""
