"""Analyses of whole stores: where it breaks, how it grows, what differs."""
