"""TLC: its command line, its process, its sandbox and its output."""
