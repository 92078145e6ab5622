"""JVMs that serve many runs."""
