"""The sweep whose specification is mutated: that of a sweep file, or of a module with its config."""

from __future__ import annotations

import json
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.options import SweepOptions
from tla2py.sweep.load.sweeps import sweep_of_text
from tla2py.sweep.sweep import Sweep
from tla2py.toolchain.pluscal import Translator
from tla2py.toolchain.toolchain import find_toolchain


def sweep_to_mutate(file: Path, options: SweepOptions, *, listener: Listener = SILENT) -> Sweep:
    """The sweep of a file; a module alone has one point, with the config beside it.

    Raises InputError as ``SweepOptions.load`` does, and ``usage``.
    """
    if file.suffix != ".tla":
        if options.libraries:
            hint = 'in a sweep file write libraries = ["lib"]'
            raise InputError("usage", "-L needs a module", hint=hint)
        [sweep] = options.load([file], listener=listener)
        return sweep
    translate = None
    if options.translate:
        translate = Translator(lambda: find_toolchain(options.tla2tools), listener.warned)
    beside = file.with_suffix(".cfg")
    folders = [json.dumps(str(each.absolute()), ensure_ascii=False) for each in options.libraries]
    lines = [
        f"name = {json.dumps(file.stem)}",
        f"module = {json.dumps(file.name)}",
        *([f"config = {json.dumps(beside.name)}"] if beside.is_file() else []),
        *([f"libraries = [{', '.join(folders)}]"] if folders else []),
    ]
    text = "\n".join([*lines, ""])
    path = file.with_suffix(".mutants.toml")
    return options.apply(sweep_of_text(path, text, translate=translate, no_lint=options.no_lint))
