"""First sweep files, from what a module declares, with example values."""
