"""A sweep file read into axes, points, runs and expectations."""
