"""Java, the TLA+ jars, and what is asked of them besides checking."""
