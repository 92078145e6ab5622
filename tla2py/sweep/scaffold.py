"""What a first sweep file takes from the config beside its module, or from a model of the Toolbox."""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tla2py.errors import InputError
from tla2py.lint.constants import is_chosen
from tla2py.model.model import LIST_FIELDS, MODEL_NAMES, NAME_FIELDS, Config, is_expression, qualified
from tla2py.sweep.axes import replaceable_standard
from tla2py.sweep.inspect import assumed_values, endless_sets, fit_values, growing_variables, satisfies
from tla2py.tla.constant_types import ConstantType, infer_types
from tla2py.tla.example_values import guess_values
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import BRINGS, standard_module_of
from tla2py.tla.parse import PROOFS
from tla2py.tlc.config.launch import enabled_formulas, read_launch
from tla2py.tlc.config.read import read_config
from tla2py.tlc.tools.installed import COMMUNITY, community_modules
from tla2py.toml import toml_key, toml_string, toml_value, value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The config that a sweep file starts from; an empty one if there is none or it cannot be read.

    constants: the values of constants; ``substitutions`` those that replace constants and definitions.
    permuted: the constants whose permutations are the symmetry.
    left: what a sweep file cannot state, such as an assignment for one module.
    """

    path: Path | None = None
    config: Config = field(default_factory=Config)
    constants: dict[str, str] = field(default_factory=dict)
    substitutions: dict[str, str] = field(default_factory=dict)
    permuted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def start_of(spec: ModuleGraph, launch: Path | None = None) -> Start:
    """The start for a module: a model of the Toolbox, if named, or the first that there is.

    They are ``X.cfg`` beside ``X.tla``, the config in the module's file, ``models/X.cfg``, and ``X.toolbox/X___*.launch``.
    Raises InputError as ``_launched`` does for one that is named.
    """
    assert spec.root.path is not None
    if launch is not None:
        return _launched(launch, spec)
    beside = spec.root.path.with_suffix(".cfg")
    for path in (beside, spec.root.path, beside.parent / "models" / beside.name):
        with contextlib.suppress(InputError):
            return _start(path, read_config(path).config, spec)
    for pattern in (f"{beside.stem}.toolbox/{beside.stem}___*.launch", f"{beside.stem}___*.launch"):
        for path in sorted(beside.parent.glob(pattern)):
            with contextlib.suppress(InputError):
                return _launched(path, spec)
    return Start()


def _launched(path: Path, spec: ModuleGraph) -> Start:
    """The start that a model of the Toolbox is. Raises InputError (``launch-file``) for a file that is none."""
    found = read_launch(path)

    def text(key: str) -> str:
        return str(found.get(key) or "").strip()

    def entries(key: str) -> list[str]:
        listed = found.get(key)
        return listed if isinstance(listed, list) else []

    def enabled(key: str) -> tuple[str, ...]:
        return enabled_formulas(found, key)

    declared = {constant.name for constant in spec.constants}
    constants: dict[str, str] = {}
    substitutions: dict[str, str] = {}
    permuted = []
    for entry in (*entries("modelParameterConstants"), *entries("modelParameterDefinitions")):
        name, parameters, *_ = (*entry.split(";"), "", "")
        *value, is_value, is_symmetric = entry.split(";")[2:] or ("", "", "")
        shown = value_text(";".join(value))
        shown = f"LAMBDA {parameters} : {shown}" if parameters else shown
        if name in declared:
            constants[name] = shown
            permuted += [name] * (is_symmetric == "1")
        elif name in spec.definitions or replaceable_standard(name):
            substitutions[name] = f"{name}Value" if is_value == "1" and shown == name else shown
    behaviour = {"1": ("specification",), "2": ("init", "next")}.get(text("modelBehaviorSpecType"), ())
    named: dict[str, Any] = {key: text(f"modelBehavior{key[:4].title()}") or None for key in behaviour}
    left = [f"{key} = {name}" for key, name in named.items() if name and is_expression(name)]
    lists: dict[str, Any] = {
        "invariants": enabled("modelCorrectnessInvariants"),
        "properties": enabled("modelCorrectnessProperties"),
        "constraints": tuple(filter(None, [text("modelParameterContraint")])),
        "action_constraints": tuple(filter(None, [text("modelParameterActionConstraint")])),
    }
    asked = {each for names in lists.values() for each in names if not is_expression(each)}
    gone = asked - spec.definitions.keys()
    left += [f"{each} ({spec.root.name} does not define it)" for each in sorted(gone)]
    left += [f"{what}: {text(key)}" for what, key in _LEFT.items() if text(key) not in ("", "{}")]
    kept: dict[str, Any] = {key: name for key, name in named.items() if name and not is_expression(name)}
    kept |= {key: tuple(each for each in names if each not in gone) for key, names in lists.items()}
    config = Config(check_deadlock=text("modelCorrectnessCheckDeadlock") != "false", **kept)
    return Start(
        path=path,
        config=config,
        constants=constants,
        substitutions=substitutions,
        permuted=tuple(permuted),
        left=tuple(left),
    )


# What the Toolbox holds in a module of its own.
_LEFT = {
    "additional definitions": "modelParameterNewDefinitions",
    "model values": "modelParameterModelValues",
    "view": "view",
}


def _start(path: Path, config: Config, spec: ModuleGraph) -> Start:
    declared = {constant.name for constant in spec.constants}
    constants: dict[str, str] = {}
    substitutions: dict[str, str] = {}
    left: list[str] = []
    read = {*spec.standard, *(brought for each in spec.standard for brought in BRINGS.get(each, ()))}
    for name, text in config.assignments:
        standard = replaceable_standard(name) and standard_module_of(name) in {None, *read}
        if not standard and name.partition("(")[0] not in declared | spec.definitions.keys():
            continue  # TLC ignores it
        if "(" in name or text.startswith("["):
            left.append(f"{name} = {text}")
        elif name in declared:
            constants[name] = text
        else:
            # The model value that replaces a definition cannot have its name.
            substitutions[name] = f"{name}Value" if text == name else text
    for name, definition in config.substitutions:
        substitutions[qualified(name, definition)] = definition.rpartition(" ")[2]
        constants.pop(name, None)
    known: dict[str, Any] = {
        key: tuple(name for name in getattr(config, key) if name in spec.definitions) for key in LIST_FIELDS
    }
    known |= {key: name for key in NAME_FIELDS if (name := getattr(config, key)) in spec.definitions}
    config = Config(check_deadlock=config.check_deadlock, **known)
    return Start(path=path, config=config, constants=constants, substitutions=substitutions, left=tuple(left))


def is_part(name: str, values: Mapping[str, str]) -> bool:
    """Whether the set of a constant is a part of another one's; of two equal sets that of the longer name is."""
    own = _elements(values[name])
    return bool(own) and any(
        own < (other := _elements(text)) or (own == other and len(name) > len(whole))
        for whole, text in values.items()
    )


def _elements(text: str) -> set[str]:
    has_some = text.startswith("{") and text != "{}"
    return {each.strip() for each in text[1:-1].split(",")} if has_some else set()


_WIDTH = 100
_GUESS = "a guess"
_Sets: TypeAlias = Mapping[str, Sequence[str]]
_MOST_POINTS = 20  # of parameters that are varied at once
_USUAL = "sweep"  # the usual name of a sweep file; it does not identify the module
_VARIED = {"number", "set of model values", "boolean"}  # kinds that are easily varied


def scaffold_sweep(
    spec: ModuleGraph, output: Path | None, libraries: Sequence[Path], launch: Path | None = None
) -> str:
    """The text of a sweep file that lists every constant of a module with an example value.

    Paths in it are relative to the folder of ``output``, by default the current one. Comments mark guessed values.
    Raises InputError as ``start_of`` does.
    """
    folder = output.parent if output is not None else Path()
    types = infer_types(spec)
    start = start_of(spec, launch)
    replaced = {name: text for name, text in start.substitutions.items() if name in types}
    given = start.constants | replaced
    sets = assumed_values(spec)
    guessed = guess_values(spec, types, given) | {name: texts[0] for name, texts in sets.items()}
    values, broken = fit_values(spec, types, guessed | given, given)
    # The sets with the values that agree with the module's other assumptions.
    varied = _varied(spec, types, values, start)
    for name, assumed in sets.items():
        texts = [text for text in assumed if satisfies(spec, {**values, name: text}, values)]
        if len(texts) > 1:
            varied[name] = texts
    # What the module assumes is no guess, so it is varied, but for what a config settles.
    assumed = [name for name in types if name in sets and name in varied and name not in given]
    sizes = itertools.accumulate((len(varied[name]) for name in assumed), operator.mul)
    # The first of them that together have few points.
    axes = [name for name, size in zip(assumed, sizes, strict=True) if size <= _MOST_POINTS]
    # The names for each list of [model] that look likely, without those in the config.
    settled = {name for key in LIST_FIELDS for name in getattr(start.config, key)}
    keys = [key for key in LIST_FIELDS if key not in ("postconditions", "possible")]
    lists = {key: [name for name in getattr(spec.candidates, key) if name not in settled] for key in keys}
    invariants = start.config.invariants or lists["invariants"]
    parts = [
        _head(spec, folder, libraries, start, named=output is not None and output.stem != _USUAL),
        _model(spec, lists, start),
        _constants(spec, types, values, broken, start, axes),
        _substitutions(spec, start),
        _parameters(varied, axes),
        [_line("[tlc]", ""), _line('timeout = "2m"', "of one execution of TLC"), 'memory = "1GiB"'],
        _expect(invariants, varied),
    ]
    return "\n\n".join(text for part in parts if (text := "\n".join(part))) + "\n"


def _head(
    spec: ModuleGraph, folder: Path, libraries: Sequence[Path], start: Start, *, named: bool
) -> Iterator[str]:
    root = spec.root
    assert root.path is not None
    yield from _comment(
        f"A first sweep over {root.name}. Values marked as {_GUESS} have the right kind but an arbitrary "
        "size: put in those that you want to check."
    )
    yield f"module = {toml_string(_relative(root.path, folder))}"
    if not named:
        # Otherwise the file's name names the store.
        yield _line(f"name = {toml_string(root.name)}", f"results go to runs/{root.name}")
    if start.path is not None:
        path = toml_string(_relative(start.path, folder))
        launched = start.path.suffix == ".launch"
        key = "model of the Toolbox:" if launched else "config ="
        yield _line(f"# {key} {path}", "what is not marked as a guess is copied from it")
        for each in start.left:
            reason = "" if launched else ", as only a config can state it"
            yield from _comment(f"Not taken over{reason}: {each}")
    # Every folder with a module of the specification is needed.
    given = {PROOFS, *(module.path.parent for module in spec.installed if module.path is not None)}
    found = [m.path.parent for m in spec.modules if m.path is not None and m.path.parent not in given]
    needed = dict.fromkeys(_relative(each, folder) for each in (*libraries, *found))
    needed.pop(_relative(root.path.parent, folder), None)
    if (installed := community_modules()) is not None:
        # The name works on other machines too.
        names = {_relative(installed, folder): COMMUNITY}
        needed = dict.fromkeys(names.get(each, each) for each in needed)
    if needed:
        yield f"libraries = [{', '.join(map(toml_string, needed))}]"


def _model(spec: ModuleGraph, lists: Mapping[str, Sequence[str]], start: Start) -> Iterator[str]:
    config = start.config
    yield "[model]"
    candidates = spec.candidates
    usual = ["Spec"] if "Spec" in spec.definitions else []
    specifications = list(dict.fromkeys([*usual, *candidates.specification]))
    if config.specification or config.init:
        pass
    elif specifications:
        yield _line(f"specification = {toml_string(specifications[0])}", _others(specifications))
    elif candidates.init and candidates.next:
        yield _line(f"init = {toml_string(candidates.init[0])}", _others(candidates.init))
        yield _line(f"next = {toml_string(candidates.next[0])}", _others(candidates.next))
    else:
        yield '# specification = "..."       # no definition looks like one; or init and next'
    for key in MODEL_NAMES:
        if name := getattr(config, key):
            yield f"{key} = {toml_string(name)}"
    roots = (config.specification or next(iter(specifications), None), config.next, *candidates.next[:1])
    growing = growing_variables(spec, [name for name in roots if name][:1])
    for key in LIST_FIELDS:
        names, likely = getattr(config, key), lists.get(key, ())
        if key in ("invariants", "properties"):
            yield from _choice(key, names, likely)
        elif names:
            yield f"{key} = [{', '.join(map(_entry, names))}]"
        elif likely or (key == "constraints" and growing):
            # What a config does not bound is not bounded by a guess.
            off = "# " if config != Config() else ""
            listed = f"{off}{key} = [{', '.join(map(_entry, likely or growing.values()))}]"
            reason = "guessed from the name" if likely else f"as {', '.join(growing)} only grow"
            yield _line(listed, f"bounds the search, {reason}{'s' * (not likely and len(growing) == 1)}")
    ends = _line("# check_deadlock = false", "if behaviours may end")
    yield ends if config.check_deadlock else "check_deadlock = false"
    if start.permuted:
        yield f"symmetry = [{', '.join(map(toml_string, start.permuted))}]"
    elif candidates.symmetry and not config.symmetry:
        best = "Symmetry" if "Symmetry" in candidates.symmetry else candidates.symmetry[-1]
        others = [best, *(name for name in candidates.symmetry if name != best)]
        yield _line(f"# symmetry = {toml_string(best)}", _others(others) or "not with liveness properties")
    for name, definition in spec.definitions.items():
        if re.fullmatch(r"(?i)\w*view", name) and not definition.parameters and not config.view:
            yield f"# view = {toml_string(name)}"


def _entry(text: str) -> str:
    """A name or an expression in a list."""
    if "\n" in text and "'''" not in text:
        return f"'''\n{text}'''"
    return toml_value(text) if is_expression(text) else toml_string(text)


def _choice(key: str, names: Sequence[str], likely: Sequence[str]) -> Iterator[str]:
    """A list of a config's names, and of likely ones that are commented out, to be enabled one by one."""
    if names or likely:
        yield _line(f"{key} = [", "uncomment what to check" if likely else "")
        yield from (f"    {_entry(name)}," for name in names)
        yield from (f"    # {toml_string(name)}," for name in likely)
        yield "]"


def _constants(
    spec: ModuleGraph,
    types: Mapping[str, ConstantType],
    values: Mapping[str, str],
    broken: Mapping[str, Sequence[str]],
    start: Start,
    axes: Collection[str],
) -> Iterator[str]:
    if spec.constants:
        yield "[constants]"
    previous = ""
    for constant in spec.constants:
        kind = types[constant.name]
        if constant.name not in values or constant.name in {*start.substitutions, *axes}:
            continue
        words = constant.comment
        # Several constants may share a comment.
        yield from _comment(words if words != previous else "")
        previous = words
        for assumption in broken.get(constant.name, ()):
            yield from _comment(f"These values violate the module's assumption {assumption}")
        note = "" if kind.kind in words.lower() else kind.kind
        if kind.kind == "function":
            note = "function, also its domain"
        note = f"{_GUESS}: {note}" if note else _GUESS
        note = "" if constant.name in start.constants else note
        yield _line(f"{toml_key(constant.name)} = {toml_value(values[constant.name])}", note)
    if own := [each.name for each in spec.constants if each.name not in values]:
        text = f"These need no value: each becomes the model value of its own name: {', '.join(own)}."
        yield from ("#", *_comment(text))


def _substitutions(spec: ModuleGraph, start: Start) -> Iterator[str]:
    """Those of the config, model values for definitions by an unbounded CHOOSE, such as Nil, and finite parts of infinite sets."""
    found = [
        name
        for name, each in spec.definitions.items()
        if is_chosen(each) and not each.parameters and "!" not in name and name not in start.substitutions
    ]
    endless = {name: kind for name, kind in endless_sets(spec).items() if name not in start.substitutions}
    if found or endless or start.substitutions:
        yield "[substitutions]"
    yield from (f"{toml_key(name)} = {toml_string(text)}" for name, text in start.substitutions.items())
    if endless:
        yield from _comment("TLC cannot enumerate an infinite set; these are replaced by a part:")
        for name, numbers in endless.items():
            yield _line(f'{toml_key(name)} = "{"0" if numbers == "Nat" else "-2"}..2"', _GUESS)
    if found:
        yield from _comment("TLC cannot evaluate an unbounded CHOOSE; these are replaced by model values:")
        yield from (f"{toml_key(name)} = {toml_string(f'{name}Value')}" for name in found)


def _varied(
    spec: ModuleGraph, types: Mapping[str, ConstantType], values: Mapping[str, str], start: Start
) -> dict[str, list[str]]:
    """Example parameters: the first constant of each kind that is easily varied, with some values.

    The values keep to the assumptions, and a set that is part of another one is not varied.
    """
    found: dict[str, list[str]] = {}
    shown: set[str] = set()
    for constant in spec.constants:
        name, kind = constant.name, types[constant.name].kind
        if kind not in _VARIED - shown or name in start.substitutions or is_part(name, values):
            continue
        more = _more(kind, values[name])
        texts = [text for text in more if satisfies(spec, {**values, name: text}, values)]
        if len(texts) > 1:
            shown.add(kind)
            found[name] = texts
    return found


def _parameters(varied: Mapping[str, Sequence[str]], axes: Sequence[str]) -> Iterator[str]:
    yield "[parameters]"
    for name in axes:
        line = f"{toml_key(name)} = [{', '.join(map(toml_value, varied[name]))}]"
        yield _line(line, "all that the module assumes")
    varied = {name: texts for name, texts in varied.items() if name not in axes}
    if not varied:
        if not axes:
            yield from _comment("No constant is easily varied. A definition can be varied by expressions:")
            yield '# DEFINITION = ["x < 3", "x < 5"]'
        return
    yield from _comment(
        "Each key lists values, and every combination is a point. To vary a constant, remove its line above and list "
        "its values here:"
    )
    for name, texts in varied.items():
        yield f"# {toml_key(name)} = [{', '.join(map(toml_value, texts))}]"


def _more(kind: str, text: str) -> list[str]:
    """Some values of a kind, starting from one."""
    if kind == "number" and text.isdigit():
        first = max(int(text) - 1, 1)
        return [str(first + step) for step in range(3)]
    if kind == "boolean":
        return ["FALSE", "TRUE"]
    if not re.fullmatch(r"\{\w+(, *\w+)*\}", text):
        return []
    names = re.findall(r"\w+", text)
    stem = names[0].rstrip("0123456789")
    made = (f"{stem}{number}" for number in range(len(names) + 1, 2 * len(names) + 2))
    return [text, f"{{{', '.join([*names, next(name for name in made if name not in names)])}}}"]


def _expect(invariants: Sequence[str], varied: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield from _comment("The results that you expect, for 'tla2py gate':")
    yield "# [expect]"
    yield '# verdict = "holds"'
    for name, texts in list(varied.items())[:1]:
        yield "# [[expect.point]]"
        yield f"# match = {{ {toml_key(name)} = {toml_value(texts[-1])} }}"
        yield '# verdict = "violated"'
        if invariants:
            yield f"# violates = [{toml_string(invariants[-1])}]"


def _others(names: Sequence[str]) -> str:
    return f"or {', '.join(names[1:])}" if len(names) > 1 else ""


def _line(code: str, note: str) -> str:
    return f"{code.ljust(31)} # {_clean(note)}" if note else code


def _comment(text: str) -> Iterator[str]:
    yield from (f"# {line}" for line in textwrap.wrap(_clean(text), _WIDTH - 2))


def _clean(text: str) -> str:
    """Text on one line, without characters that TOML forbids in comments."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _relative(path: Path, folder: Path) -> str:
    """A path for the sweep file; absolute paths stay absolute if its folder is unknown."""
    if folder == Path() and path.is_absolute():
        return path.as_posix()
    return Path(os.path.relpath(path, folder)).as_posix()
