"""Why properties break."""
