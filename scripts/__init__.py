"""What `make` runs beside the tests; `scripts/reference` is imported by the tests too."""
