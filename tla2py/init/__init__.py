"""First sweep files: what a module declares, and example values."""
