"""Driving and reading TLC: the toolchain, the command line, the process, the message stream."""
