"""Asking TLC about a trace that it found: the modules of the run once more, and one that holds the states."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tla2py.config.read import parse_config
from tla2py.config.render import default_template, render_config
from tla2py.errors import InputError
from tla2py.execution.execute import execute_run
from tla2py.model.config import Assignment, Config
from tla2py.model.result import Executed
from tla2py.model.run import ModuleText, RunRecord, TlcOptions, digest_text, make_run
from tla2py.syntax import ModuleGraph, load_modules
from tla2py.tlc.output.states import UNASSIGNED
from tla2py.toolchain.toolchain import Toolchain
from tla2py.trace.trace import State, Trace
from tla2py.values import format_value, state_to_itf

# What TLC prints in place of a value that it did not evaluate.
_NO_VALUE = re.compile(r"<expression|<LAZY|<Operator|<Java Method|\bUNDEF\b|\bnull\b|\{ <")


class Asker:
    """What further runs about traces of one run have in common.

    ``record`` is that of the run, ``sources`` gives module texts by sha256. Raises InputError (``not-confirmable``) for
    a trace that cannot be written as a module: one whose states were made by an ALIAS, or hold a value that TLC printed
    without evaluating it.
    """

    def __init__(
        self, traces: Iterable[Trace], record: RunRecord, sources: Mapping[str, str], toolchain: Toolchain
    ) -> None:
        self.record, self.toolchain = record, toolchain
        self.config = parse_config(record.executions[0].config_text, Path("MC.cfg")).config
        if self.config.alias:
            raise InputError(
                "not-confirmable",
                f"the states are those of the ALIAS {self.config.alias}",
                hint="sweep without alias to have the states themselves",
            )
        lost = [name for name, sha256 in record.modules if sha256 not in sources]
        if lost:
            raise InputError(
                "not-confirmable",
                f"the text of {lost[0]} is not in the store any more",
                hint="run the sweep again with --fresh",
            )
        self.modules = {name: sources[sha256] for name, sha256 in record.modules}
        self.spec = _spec(record.main, self.modules)
        self.variables = tuple(variable.name for variable in self.spec.variables)
        states = [state for trace in traces for state in trace.states]
        names = {name for state in states for name in _model_values(state)}
        self.model_values = sorted(names - {constant.name for constant in self.spec.constants})
        self._check_writable(states)

    def _check_writable(self, states: Iterable[State]) -> None:
        for state in states:
            if set(state.values) != set(self.variables):
                raise InputError(
                    "not-confirmable",
                    f"state {state.index} does not have the variables of the module",
                    hint=f"it was to have {', '.join(self.variables)}; run the sweep again with --fresh",
                )
            for variable, value in state.values.items():
                if value == UNASSIGNED:
                    raise InputError(
                        "not-confirmable",
                        f"{variable} has no value in state {state.index}, so that it is no state of the specification",
                        hint="TLC stopped there; 'tla2py trace STORE POINT' shows the steps to it",
                    )
                if _NO_VALUE.search(re.sub(r'"(\\.|[^"\\])*"', '""', format_value(value))):
                    raise InputError(
                        "not-confirmable",
                        f"TLC printed no value for {variable} in state {state.index}",
                        hint="a lazy or infinite value cannot be handed back to TLC; an alias may print what it is",
                    )
        for name in self.model_values:
            if not re.fullmatch(r"\w*[A-Za-z]\w*", name) or name in self.spec.definitions:
                raise InputError(
                    "not-confirmable",
                    f"the model value {name} cannot be named in a module",
                    hint="give it a name of letters and digits that the module does not define",
                )

    @property
    def next(self) -> str:
        """The next-state relation. Raises InputError (``not-confirmable``) where it has no name."""
        found = self.config.next or next(iter(self.spec.nexts), None)
        if found is None:
            raise InputError(
                "not-confirmable",
                "the specification names no next-state relation",
                hint="define it by a name, as in Spec == Init /\\ [][Next]_vars",
            )
        return found

    def header(self, name: str) -> list[str]:
        """The first lines of a module about the traces."""
        constants = [f"CONSTANTS {', '.join(self.model_values)}"] if self.model_values else []
        return [f"---- MODULE {name} ----", f"EXTENDS {self.record.main}, Integers, TLC", *constants]

    def states(self, states: Iterable[State]) -> str:
        """States as a sequence of records."""
        records = (
            "[" + ", ".join(f"{name} |-> {format_value(state.values[name])}" for name in self.variables) + "]"
            for state in states
        )
        return "<<\n  " + ",\n  ".join(records) + "\n>>"

    def visible(self, *names: str | None) -> None:
        """Let the root module's own definitions of these names be seen by the module that extends it."""
        found = "|".join(
            re.escape(name) for name in (*names, *(d for _, d in self.config.substitutions)) if name
        )
        if found:
            file = f"{self.record.main}.tla"
            self.modules[file] = re.sub(rf"\bLOCAL(?=\s+({found})\s*==)", "", self.modules[file])

    @contextmanager
    def ask(
        self,
        name: str,
        text: str,
        *,
        specification: str,
        invariants: Iterable[str] = (),
        properties: Iterable[str] = (),
    ) -> Iterator[Executed]:
        """Run TLC on a module about the traces."""
        assigned = {name for name, _ in self.config.assignments}
        new = (Assignment(name, name) for name in self.model_values if name not in assigned)
        config = Config(
            specification=specification,
            assignments=(*self.config.assignments, *new),
            substitutions=self.config.substitutions,
            invariants=tuple(invariants),
            properties=tuple(properties),
            check_deadlock=False,
        )
        texts = {**self.modules, f"{name}.tla": text}
        modules = tuple(ModuleText(file, digest_text(each)) for file, each in texts.items())
        template = default_template()
        run = make_run(
            name,
            modules,
            config,
            render_config(config, template),
            template=template,
            options=TlcOptions(check_deadlock=False, java_options=self.record.options.java_options),
            # Who made the store is not to be believed without being asked.
            limits=replace(self.record.limits, trust=False),
            jar_sha256=self.toolchain.jar.sha256,
        )
        with execute_run(run, {digest_text(each): each for each in texts.values()}, self.toolchain) as done:
            yield done


def _spec(main: str, modules: Mapping[str, str]) -> ModuleGraph:
    with tempfile.TemporaryDirectory(prefix="tla2py-") as folder:
        for name, text in modules.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return load_modules(Path(folder) / f"{main}.tla")


def _model_values(state: State) -> list[str]:
    meta = state_to_itf(state.values).get("#meta")
    names = meta.get("modelValues") if isinstance(meta, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []
