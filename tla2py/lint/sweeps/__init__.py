"""The rules on sweeps, which need what a sweep makes of its configs."""
