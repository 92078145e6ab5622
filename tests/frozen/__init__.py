"""The public surface of tla2py, frozen: a change of it is seen, and signed in ``SIGNED.md``."""
