"""The exit codes of the command line."""

from __future__ import annotations

EXIT_OK, EXIT_UNEXPECTED, EXIT_NOT_RUN, EXIT_INCONCLUSIVE = 0, 1, 2, 3
