"""Where what TLC complains of was written: the places it prints, led back to the user's own modules, configs and options.

TLC is given copies in a folder of the run's own, configs and wrapper modules that were generated, and modules that were
translated; nobody but tla2py has seen these.
"""

from __future__ import annotations

from tla2py.sourcemap.locate import Origins, located
from tla2py.sourcemap.written import OptionTexts, Written

__all__ = ["OptionTexts", "Origins", "Written", "located"]
