"""Traces written as modules and replayed by TLC."""
