"""``python -m tla2py``."""

from tla2py.cli.app import main

main()
