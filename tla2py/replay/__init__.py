"""A trace as a module that TLC checks again."""
