"""``.cfg`` text in and out, wrapper modules."""
