"""What of a sweep runs this time, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import Tla2pyError
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.grid import Exclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A config below a folder that could not be read, and why; TLC never saw it."""

    config: str
    error: Tla2pyError

    @property
    def model(self) -> str:
        """The name of the config's file."""
        return Path(self.config).name

    def __str__(self) -> str:
        return f"{self.model} was not run: {self.error.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What of a sweep runs this time, and how.

    - ``options``, ``limits``: TLC's options and the limits of each run
    - ``chosen``: the numbers of the points that run; None for all
    - ``settings``: other values than those of the file, each ``NAME=VALUE``
    - ``adjusted``: the options that change a folder's configs, as a lock keeps them
    - ``counted``: indices of points with coverage, even if the file does not request it
    - ``vacuity``: whether to ask TLC what could not fail
    - ``no_lint``: whether to ignore all rules of lint
    - ``excluded``: the combinations of values that are left out
    - ``is_folder``: whether the configs are those below a folder, of which one with an error does not stop the others
    - ``left_out``: configs below the folder that are not run, each with the reason
    - ``unread``: configs below the folder that could not be read
    """

    options: TlcOptions
    limits: Limits
    chosen: frozenset[int] | None = None
    settings: tuple[str, ...] = ()
    adjusted: tuple[str, ...] = ()
    counted: frozenset[int] = frozenset()
    vacuity: bool = False
    no_lint: bool = False
    excluded: tuple[Exclusion, ...] = ()
    is_folder: bool = False
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether only some of the points run, or with other values than those of the file."""
        return bool(self.settings) or self.chosen is not None
