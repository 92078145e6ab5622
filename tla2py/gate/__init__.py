"""The gate: a store's results against expectations and the lock."""
