"""Copies of definitions that print what TLC evaluates."""
