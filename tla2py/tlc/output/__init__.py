"""What TLC prints, as messages, traces and results."""
