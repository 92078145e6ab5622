"""TLC's output as messages, traces and results."""
