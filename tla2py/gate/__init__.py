"""Expectations and the lock against what a store has."""
