"""Mutants of a specification."""
