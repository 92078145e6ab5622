"""What a simulation reports of liveness is verified: TLC checks the behaviour alone, as a specification of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.trace_module import FOLLOWING, BehaviourWriter
from tla2py.model.model import Assignment, Config
from tla2py.model.run import Run, without_local
from tla2py.model.trace import Trace
from tla2py.tla.parse import load_texts
from tla2py.tlc.config.read import parse_config

_VIOLATED = f"{FOLLOWING}Violated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Two checks of a behaviour: of the property that it should violate, and of the specification that it should follow.

    ``texts`` are the modules that TLC reads, by file name.
    """

    texts: Mapping[str, str]
    property: Config
    specification: Config


def plan_verification(
    run: Run, sources: Mapping[str, str], trace: Trace, properties: Sequence[str]
) -> Verification | None:
    """Return the checks of a behaviour by which a simulation violates one of some properties.

    None if the behaviour cannot be written as a module, or ends where the property needs one that goes on.
    """
    goes_on = trace.stuttering or trace.loop_start is not None
    if not goes_on and trace.name not in run.safety:
        return None
    texts = {name: sources[sha256] for name, sha256 in run.modules}
    names = {text: name for name, text in run.config.expressions}
    candidates = [trace.name] if trace.name else properties
    violated = " /\\ ".join(names.get(each, each) for each in candidates)
    try:
        spec = load_texts(run.main, texts)
        config = parse_config(run.config_text, Path("MC.cfg")).config
        writer = BehaviourWriter(run.main, spec, config, trace.states)
        lines = writer.following(trace, f"{_VIOLATED} == {violated}")
    except InputError:
        return None
    own = (config.specification, config.init, config.next, *(names.get(each, each) for each in candidates))
    used = (*own, *(by for _, by in config.substitutions))
    texts[f"{run.main}.tla"] = without_local(spec, frozenset(name for name in used if name))
    texts[f"{FOLLOWING}.tla"] = "\n".join(lines)
    return Verification(
        texts=texts,
        property=_config(writer, _VIOLATED),
        specification=_config(writer, config.specification or f"{FOLLOWING}Original"),
    )


def _config(writer: BehaviourWriter, checked: str) -> Config:
    """Return the config that checks a property of the behaviour, with the constants of the run."""
    config = writer.config
    assigned = {name for name, _ in config.assignments}
    new = tuple(Assignment(name, name) for name in writer.model_values if name not in assigned)
    return Config(
        specification=f"{FOLLOWING}Spec",
        assignments=(*config.assignments, *new),
        substitutions=config.substitutions,
        properties=(checked,),
        check_deadlock=False,
    )
