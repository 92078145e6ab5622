"""What TLC misreads in a config, found before anything runs: a registry of rules, each a small pure function."""

from tla2py.lint.configs import check_config_names, lint_file, lint_options, lint_parsed
from tla2py.lint.finding import RULES, Finding, Severity
from tla2py.lint.jar import Dialect, read_dialect

__all__ = [
    "RULES",
    "Dialect",
    "Finding",
    "Severity",
    "check_config_names",
    "lint_file",
    "lint_options",
    "lint_parsed",
    "read_dialect",
]
