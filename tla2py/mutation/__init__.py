"""Mutants of a specification: small changes that a good set of checks should notice."""
