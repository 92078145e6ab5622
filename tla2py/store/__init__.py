"""Where runs and their raw records are kept."""
