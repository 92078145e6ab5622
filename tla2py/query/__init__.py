"""SQL over the tables of a store."""
