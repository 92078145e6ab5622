"""Outlines of runs: what the runs of many points share, which is all but plain values and options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from tla2py.config.literal import literal_names, literal_text
from tla2py.config.render import prints_values, render_config
from tla2py.config.wrapper import build_config, is_single
from tla2py.errors import InputError
from tla2py.lint.rendered import dropped_statements
from tla2py.model.config import Assignment, Config
from tla2py.model.model import Model
from tla2py.model.modules import ModuleTexts, module_texts
from tla2py.sweep.points import Point
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph
from tla2py.syntax.offsets import count_visible
from tla2py.syntax.standard import standard_module_of
from tla2py.text import parameter_text

# Two numbers that stand for a plain value: if the text around them is the same, it does not depend on the value.
_FIRST, _SECOND = 1_987_600_000, 2_046_300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A run without its plain values, options and inputs.

    - ``config``: that of one of its points, see ``config_at``
    - ``given``: its modules; with ``wrapper`` and without ``pieces``, those of one of its points
    - ``refused``: why TLC is not started, with the ``error`` if a constant lacks a value
    - ``plain``: the parameters whose values the config assigns as they are
    - ``pieces``: the texts before, between and after these values in the rendered config, and ``order`` the parameter
      of each; None if the template may do more with a value than print it between spaces
    - ``complete``: whether the rendered config has every statement whatever the values
    """

    main: str
    given: ModuleTexts
    config: Config
    model: Model | None = None
    wrapper: str | None = None
    refused: str | None = None
    error: InputError | None = None
    plain: frozenset[str] = frozenset()
    pieces: tuple[str, ...] | None = None
    order: tuple[str, ...] = ()
    complete: bool = True

    @property
    def settled(self) -> bool:
        """Whether the pieces and the values are all there is to know of a point's config."""
        return self.pieces is not None and (self.complete or self.model is None)

    def config_at(self, parameters: Mapping[str, str]) -> Config:
        """The config of a point."""
        return _with_values(self.config, {name: literal_text(parameters[name]) for name in self.plain})


class Outlines:
    """The outlines of a sweep's runs."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._template = str(sweep.path.parent / sweep.file.template) if sweep.file.template else None
        specs = sweep.specs.values()
        self._modules = {id(spec): module_texts(spec, spec.root.name, None, "") for spec in specs}
        self._declared = frozenset(name for spec in specs for name in _declared(spec))

    def classes(self, name: str) -> list[int]:
        """A number for each text of a parameter: points that agree in these numbers have the same outline."""
        texts = self._sweep.points.columns[name].texts
        kind = self._sweep.kinds[name]
        if kind in ("seed", "environment", "java_properties", "log"):
            return [0] * len(texts)
        if kind != "constant" or any(_replaced(spec, name) for spec in self._sweep.specs.values()):
            return list(range(len(texts)))
        # Symmetry leaves out sets of one element.
        plain = {False: -1, True: -2}
        return [plain[is_single(text)] if self._is_plain(text) else n for n, text in enumerate(texts)]

    def outline(self, point: Point) -> Outline:
        """The outline of a point's run. Raises InputError as ``Sweep.model``, ``build_config`` and ``text`` do."""
        sweep = self._sweep
        base = sweep.config(point.parameters)
        problem = base.problem if base is not None else None
        failed: InputError | None = None
        if problem is None:
            try:
                model = sweep.model(point)
            except InputError as error:
                if base is None or len(sweep.configs) == 1 or error.code != "unassigned":
                    raise
                failed = error
                # The file's path depends on the current folder, its name in the sweep does not.
                problem = error.line.replace(str(base.path), point.parameters["config"])
        if problem is not None:
            spec = sweep.spec(point.parameters)
            given = self._modules[id(spec)]
            return Outline(
                main=spec.root.name, given=given, config=Config(), refused=problem, error=failed, pieces=("",)
            )
        config, main, wrapper = build_config(model, self._value_place(point))
        outline = Outline(
            main=main,
            given=self._modules[id(model.spec)],
            config=config,
            model=model,
            wrapper=wrapper,
            plain=frozenset(
                name
                for name, text in model.constants
                if sweep.kinds.get(name) == "constant" and self._is_plain(text)
            ),
            complete=self._template is None,
        )
        if prints_values(sweep.template):
            outline = self._in_pieces(outline, model)
        if wrapper is not None:
            outline = replace(outline, given=self.modules(outline, self.text(outline, point)))
        return outline

    def text(self, outline: Outline, point: Point, *, check: bool = True) -> str:
        """The config of a point's run. Raises InputError (``template-drops``) if ``check``, and as ``render_config`` does."""
        parameters = point.parameters
        if outline.pieces is None:
            text = render_config(outline.config_at(parameters), self._sweep.template, where=self._template)
        else:
            values = (literal_text(parameters[name]) for name in outline.order)
            parts = zip_longest(outline.pieces, values, fillvalue="")
            text = "".join(part for pair in parts for part in pair)
        if check and outline.model is not None and not outline.settled:
            dropped = dropped_statements(outline.model, outline.config_at(parameters), text)
            if dropped:
                raise InputError(
                    "template-drops",
                    f"the config of point {point.index} ({parameter_text(parameters)}) lacks {', '.join(dropped)}",
                    where=self._template,
                    hint="render every field of config, as cfg_templates/default.cfg.j2 does",
                )
        return text

    def modules(self, outline: Outline, text: str) -> ModuleTexts:
        """The modules of a run with this config."""
        if outline.model is None or outline.wrapper is None:
            return outline.given
        extension = outline.model.extension
        added = extension.modules if extension else {}
        return module_texts(outline.model.spec, outline.main, outline.wrapper, text, added)

    def _in_pieces(self, outline: Outline, model: Model) -> Outline:
        names = sorted(outline.plain)
        found = []
        for start in (_FIRST, _SECOND):
            marks = {str(start + number): name for number, name in enumerate(names)}
            config = _with_values(outline.config, {name: mark for mark, name in marks.items()})
            text = render_config(config, self._sweep.template, where=self._template)
            parts = re.split(rf"(?<!\S)({'|'.join(marks)})(?!\S)", text) if marks else [text]
            found.append((parts[::2], [marks[mark] for mark in parts[1::2]]))
        complete = outline.complete or not dropped_statements(model, config, text)
        if found[0] != found[1]:
            return outline
        pieces, order = found[0]
        return replace(outline, pieces=tuple(pieces), order=tuple(order), complete=complete)

    def _is_plain(self, text: str) -> bool:
        """Whether a config can express a value, which then means the same whatever the modules declare."""
        # A string with an asterisk could end a template's comment.
        return (
            literal_names(text) is not None
            and "*" not in text
            and not any(
                word in self._declared or standard_module_of(word) is not None
                for word in re.findall(r"\w+", text)
            )
        )

    def _value_place(self, point: Point) -> Callable[[str, str], str]:
        """A function from a constant, and the text before a part of its value, to that part's place."""
        sweep = self._sweep
        written = sweep.places(point.parameters)
        text = sweep.assigned(point.parameters)

        def place(name: str, before: str) -> str:
            index = count_visible(before) if before else None
            return str(written.value(name, index, count_visible(text.get(name, ""))) or sweep.path)

        return place


def _with_values(config: Config, values: Mapping[str, str]) -> Config:
    return replace(
        config,
        assignments=tuple(
            Assignment(each.name, values.get(each.name, each.value)) for each in config.assignments
        ),
    )


def _replaced(spec: ModuleGraph, name: str) -> bool:
    """Whether a module needs more than an assignment for a constant of the sweep."""
    arities = [constant.arity for constant in spec.constants if constant.name == name]
    return any(arities) if arities else name in spec.definitions


def _declared(spec: ModuleGraph) -> Iterator[str]:
    yield from spec.definitions
    for module in spec.modules:
        for group in (module.constants, module.variables, module.definitions):
            yield from (each.name for each in group)
