"""Counterexamples as typed values."""
