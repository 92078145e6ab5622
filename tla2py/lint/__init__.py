"""Rules on a config and its modules."""
