"""Logs of systems, validated against a specification."""
