"""JVMs that stay alive for many runs."""
