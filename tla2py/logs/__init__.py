"""Logs of real systems, checked against a specification."""
