"""The log of a run, written as the module that the specification is held against."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO

from tla2py.config.literal import literal_names
from tla2py.errors import InputError, Place
from tla2py.logs.literal import LOG_MODULE, write_literal
from tla2py.logs.map import Mapper
from tla2py.logs.observe import write_observed
from tla2py.logs.read import LogLines
from tla2py.model.config import Config
from tla2py.model.inputs import Inputs
from tla2py.model.logs import LogRemark, Observed


def write_run(
    file: IO[str], observed: Observed, logs: Sequence[LogLines], *, model_values: Collection[str] = ()
) -> tuple[LogRemark, ...]:
    """The remarks on a log, whose files are written to ``file`` as ``Tla2pyLog.tla`` without keeping their lines.

    Raises InputError as the reader, ``Mapper.observations`` and ``write_observed`` do.
    """
    mapper = Mapper(observed.map)
    write_observed(
        file,
        observed.vocabulary,
        mapper.observations(logs),
        model_values=model_values,
        null=observed.map.null,
    )
    return (*(remark for log in logs for remark in log.remarks), *mapper.remarks)


def write_log_module(inputs: Inputs, config: Config, folder: Path) -> tuple[LogRemark, ...]:
    """The remarks on a run's log, which is written as a module into the run's folder, if it needs one."""
    log = inputs.log
    if log is None:
        return ()
    if not log.lines:
        return (LogRemark(log.path, None, "the log is empty", refuses=True),)
    if log.observed is None and log.literal is None:
        return ()
    with (folder / f"{LOG_MODULE}.tla").open("w", encoding="utf-8") as file:
        try:
            if log.observed is None:
                write_literal(file, inputs, folder)
                return ()
            named = (literal_names(each.value) or () for each in config.assignments)
            model_values = frozenset(name for names in named for name in names)
            several = len(log.files) > 1
            logs = [LogLines(folder / file, path, required=not several) for path, file in log.files]
            return write_run(file, log.observed, logs, model_values=model_values)
        except InputError as error:
            place = Place.parse(error.where or log.path)
            text = f"{error.message}\n{error.hint}" if error.hint else error.message
            return (LogRemark(place.file, place.line, text, refuses=True),)
