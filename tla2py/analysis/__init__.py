"""A store read: laws, kinds, grids, growth, contrasts. Data, no HTML."""
