"""The models of a sweep whose logs are checked against the specification alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from tla2py.errors import InputError
from tla2py.logs.observe import ObservedModule, observed_module
from tla2py.model.logs import LogMap, Observed
from tla2py.model.model import Extension, Model
from tla2py.syntax import ModuleGraph
from tla2py.text import did_you_mean

Place = Callable[..., str]
"""Where a key of ``[logs]`` is written, or a ``value`` in it."""


@dataclass(frozen=True, kw_only=True)
class ObservedLogs:
    """How logs are checked against a specification alone.

    ``unobserved`` is how many steps of ``actions``, or of any action, may come before each line. ``place`` is where a key
    of ``[logs]`` is written.
    """

    map: LogMap
    unobserved: int
    actions: tuple[str, ...]
    place: Place
    _modules: dict[tuple[int, str | None, str | None, str | None], ObservedModule] = field(
        default_factory=dict
    )

    def model(self, model: Model) -> Model:
        """The model that takes the steps of the log. It keeps the constants, the constraints and the invariants.

        Properties tell of infinite behaviours, and symmetry and views of states without a log.
        Raises InputError: ``log-behavior``, ``log-action``, ``log-argument``, ``expression-syntax``.
        """
        config = model.config
        module = self._module(model.spec, config.specification, config.init, config.next)
        config = replace(
            config,
            specification=None,
            init=module.init,
            next=module.next,
            properties=(),
            postconditions=(),
            possible=(),
            symmetry=None,
            view=None,
            periodic=None,
            rl_reward=None,
            check_deadlock=False,
        )
        extension = Extension(extends=(module.main,), modules=module.modules, vocabulary=module.vocabulary)
        return replace(
            model,
            config=config,
            permuted=(),
            default_specification=False,
            position=module.position,
            extension=extension,
        )

    def observed(self, model: Model) -> Observed:
        """How a run of such a model reads its log."""
        assert model.extension is not None
        assert model.extension.vocabulary is not None
        return Observed(map=self.map, vocabulary=model.extension.vocabulary)

    def _module(
        self, spec: ModuleGraph, specification: str | None, init: str | None, next_step: str | None
    ) -> ObservedModule:
        key = (id(spec), specification, init, next_step)
        if key not in self._modules:
            module = observed_module(
                spec,
                specification=specification,
                init=init,
                next_step=next_step,
                unobserved=self.unobserved,
                actions=self.actions,
                expressions=self.map.state,
                place=self.place,
            )
            self._check_map(spec, module)
            self._modules[key] = module
        return self._modules[key]

    def _check_map(self, spec: ModuleGraph, module: ObservedModule) -> None:
        known = module.vocabulary.arguments
        for action in self.map.actions.values():
            if action not in known and action not in module.vocabulary.init_names:
                raise self._unknown(spec, "action", action, known, "actions")
        arguments = {name for each in known.values() for name in each}
        for name in self.map.args:
            if name not in arguments:
                raise self._unknown(spec, "argument", name, arguments, "args")

    def _unknown(
        self, spec: ModuleGraph, what: str, name: str, known: Collection[str], key: str
    ) -> InputError:
        return InputError(
            f"log-{what}",  # codes: log-action, log-argument
            f"{spec.root.name} has no {what} {name}",
            where=self.place("map", key, value=name),
            hint=did_you_mean(name, sorted(known), f"its {what}s are {', '.join(sorted(known)) or 'none'}"),
        )
