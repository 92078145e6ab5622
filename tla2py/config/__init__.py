"""TLC configs: reading, rendering, and wrapper modules."""
