"""Mapping of TLC's locations to the user's modules, configs and options.

TLC reads copies in the run's folder: generated configs and wrapper modules, and translated modules. Users never see
these.
"""

from __future__ import annotations

from tla2py.sourcemap.locate import Origins, located
from tla2py.sourcemap.written import OptionTexts, Written

__all__ = ["OptionTexts", "Origins", "Written", "located"]
