"""Sweep files: axes, grid, points, models, runs, expectations."""
