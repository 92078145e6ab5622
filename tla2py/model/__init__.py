"""The words: model, run, record, outcome, verdict, result, row, trace, finding, place."""
