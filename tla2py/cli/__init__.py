"""The command line: options into one library call, its result onto the terminal, its exit code."""
