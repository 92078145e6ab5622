"""``python -m tla2py``."""

from tla2py.cli.main import main

main()
