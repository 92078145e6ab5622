"""Scripts that `make` runs; the tests import `scripts/reference`."""
