"""Executing runs: executors, schedules, one check, a whole sweep."""
