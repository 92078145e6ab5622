"""The execution of mutants."""
