"""Tests of systems, made from the state graphs of their specifications."""
