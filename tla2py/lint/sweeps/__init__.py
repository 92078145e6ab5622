"""The rules on sweeps."""
