"""What a sweep is about: its modules, configs and logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tla2py.logs.files import NO_LOGS, SweepLogs
from tla2py.model.model import InputFile
from tla2py.tla.graph import ModuleGraph
from tla2py.tlc.config.read import ConfigFile
from tla2py.tlc.tools.toolchain import Override


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """What a sweep is about: its modules and configs by name, its logs, and the files and Java classes of its runs.

    ``input_files`` are those that runs may read, by pattern, as they were when the sweep was loaded. ``community`` are
    classes of the installed CommunityModules, for the points whose modules come from there.
    """

    modules: Mapping[str, ModuleGraph]
    configs: Mapping[str, ConfigFile]
    logs: SweepLogs = NO_LOGS
    input_files: Mapping[str, tuple[InputFile, ...]] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    community: Override | None = None

    @property
    def classes(self) -> tuple[Override, ...]:
        """The Java classes of all points."""
        return self.overrides if self.community is None else (*self.overrides, self.community)
