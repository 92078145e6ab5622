"""The program: configs, its process, its output, its tools, places in its messages."""
