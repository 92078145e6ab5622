"""Java and the TLA+ jars, and their uses besides model checking."""
