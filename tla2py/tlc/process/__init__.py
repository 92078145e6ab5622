"""TLC's processes: command lines, sandboxes, JVMs that stay."""
