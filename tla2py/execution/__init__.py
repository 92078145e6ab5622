"""Runs of TLC: one, a batch, a sweep, a check."""
