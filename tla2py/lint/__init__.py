"""What TLC misreads in a config, found before anything runs: a registry of rules, each a small pure function."""

from tla2py.lint.finding import RULES, Finding, Severity

# The rules are imported where they are applied: a store holds findings, and reading it parses no module.
__all__ = ["RULES", "Finding", "Severity"]
