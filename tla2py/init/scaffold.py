"""A first sweep file for a module."""

from __future__ import annotations

import contextlib
import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tla2py.config.read import read_config
from tla2py.errors import InputError
from tla2py.init.assumptions import fit_values
from tla2py.init.endless import endless_sets
from tla2py.model.config import LIST_FIELDS, Config
from tla2py.syntax import Constant, ModuleGraph
from tla2py.syntax.search import PROOFS
from tla2py.syntax.types import ConstantType, infer_types
from tla2py.syntax.types.example_values import guess_values
from tla2py.toml import toml_key, toml_string, toml_value
from tla2py.toolchain.installed import community_modules
from tla2py.toolchain.releases import COMMUNITY

_WIDTH = 100
_GUESS = "a guess"
# The usual name of a sweep file; it does not identify the module.
_USUAL = "sweep"
# Kinds whose example values are not guesses.
_SETTLED = {"set of model values", "boolean"}


def scaffold_sweep(spec: ModuleGraph, output: Path | None, libraries: Sequence[Path]) -> str:
    """The text of a sweep file that lists every constant of a module with an example value.

    Paths in it are relative to the folder of ``output``, by default the current one. Comments mark guessed values.
    """
    folder = output.parent if output is not None else Path()
    types = infer_types(spec)
    values, broken = fit_values(spec, types, guess_values(spec, types))
    varied = _varied(spec, types, values)
    config = _config(spec)
    lists = _lists(spec, config)
    parts = [
        _head(spec, folder, libraries, named=output is not None and output.stem != _USUAL),
        _model(spec, lists, config),
        _constants(spec, types, values, broken),
        _substitutions(spec),
        _parameters(varied),
        [_line("[tlc]", ""), _line('timeout = "2m"', "of one execution of TLC"), 'memory = "1GiB"'],
        _expect(lists["invariants"], varied),
    ]
    return "\n\n".join(text for part in parts if (text := "\n".join(part))) + "\n"


def _head(spec: ModuleGraph, folder: Path, libraries: Sequence[Path], *, named: bool) -> Iterator[str]:
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
    if (beside := root.path.with_suffix(".cfg")).is_file():
        yield _line(
            f"# config = {toml_string(_relative(beside, folder))}",
            "it may say all this: then delete [model], which would override it, and [constants]",
        )
    # Every folder with a module of the specification is needed.
    found = [m.path.parent for m in spec.modules if m.path is not None and m.path.parent != PROOFS]
    needed = dict.fromkeys(_relative(each, folder) for each in (*libraries, *found))
    needed.pop(_relative(root.path.parent, folder), None)
    if (installed := community_modules()) is not None:
        # The name works on other machines too.
        names = {_relative(installed, folder): COMMUNITY}
        needed = dict.fromkeys(names.get(each, each) for each in needed)
    if needed:
        yield f"libraries = [{', '.join(map(toml_string, needed))}]"


def _config(spec: ModuleGraph) -> Config:
    """The config beside a module; an empty one if there is none or it cannot be read."""
    assert spec.root.path is not None
    with contextlib.suppress(InputError):
        return read_config(spec.root.path.with_suffix(".cfg")).config
    return Config()


def _lists(spec: ModuleGraph, config: Config) -> dict[str, list[str]]:
    """The names for each list of [model]: those in the config, then those that look likely."""
    keys = [key for key in LIST_FIELDS if key != "postconditions"]
    configured = {key: [name for name in getattr(config, key) if name in spec.definitions] for key in keys}
    settled = {name for names in configured.values() for name in names}
    likely = {key: [name for name in getattr(spec.candidates, key) if name not in settled] for key in keys}
    return {key: configured[key] + likely[key] for key in keys}


def _model(spec: ModuleGraph, lists: Mapping[str, Sequence[str]], config: Config) -> Iterator[str]:
    yield "[model]"
    candidates = spec.candidates
    usual = ["Spec"] if "Spec" in spec.definitions else []
    specifications = list(dict.fromkeys([*usual, *candidates.specification]))
    if specifications:
        yield _line(f"specification = {toml_string(specifications[0])}", _others(specifications))
    elif candidates.init and candidates.next:
        yield _line(f"init = {toml_string(candidates.init[0])}", _others(candidates.init))
        yield _line(f"next = {toml_string(candidates.next[0])}", _others(candidates.next))
    else:
        yield '# specification = "..."       # no definition looks like one; or init and next'
    yield from _choice("invariants", lists["invariants"])
    yield from _choice("properties", lists["properties"])
    for key in ("constraints", "action_constraints"):
        if names := lists[key]:
            guess = "" if set(names) <= set(getattr(config, key)) else ", guessed from the name"
            yield _line(f"{key} = [{', '.join(map(toml_string, names))}]", f"bounds the search{guess}")
    yield _line("# check_deadlock = false", "if behaviours may end")
    if candidates.symmetry:
        best = "Symmetry" if "Symmetry" in candidates.symmetry else candidates.symmetry[-1]
        others = [best, *(name for name in candidates.symmetry if name != best)]
        yield _line(f"# symmetry = {toml_string(best)}", _others(others) or "not with liveness properties")
    for name in spec.definitions:
        if (name == config.view or re.fullmatch(r"(?i)\w*view", name)) and not spec.definitions[
            name
        ].parameters:
            yield f"# view = {toml_string(name)}"


def _choice(key: str, names: Sequence[str]) -> Iterator[str]:
    """A list whose elements are commented out, to be enabled one by one."""
    if not names:
        return
    yield _line(f"{key} = [", "uncomment what to check")
    yield from (f"    # {toml_string(name)}," for name in names)
    yield "]"


def _constants(
    spec: ModuleGraph,
    types: Mapping[str, ConstantType],
    values: Mapping[str, str],
    broken: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    if spec.constants:
        yield "[constants]"
    previous = ""
    for constant in spec.constants:
        kind = types[constant.name]
        if constant.name not in values:
            continue
        words = constant.comment or constant.group
        # Several constants may share a comment.
        yield from _comment(words if words != previous else "")
        previous = words
        for assumption in broken.get(constant.name, ()):
            yield from _comment(f"These values violate the module's assumption {assumption}")
        note = "" if kind.kind in words.lower() else kind.kind
        if kind.kind == "function":
            note = "function, also its domain"
        if kind.kind not in _SETTLED:
            note = f"{_GUESS}: {note}" if note else _GUESS
        yield _line(f"{toml_key(constant.name)} = {toml_value(values[constant.name])}", note)
    own = [each for each in spec.constants if each.name not in values]
    if own:
        yield "#"
        yield from _comment("These need no value: each becomes the model value of its own name.")
        width = max(len(each.name) for each in own)
        yield from (_own(each, width, before) for each, before in zip(own, [None, *own], strict=False))


def _substitutions(spec: ModuleGraph) -> Iterator[str]:
    """Model values for definitions by an unbounded CHOOSE, such as Nil, and finite parts of infinite sets."""
    found = [
        name
        for name, each in spec.definitions.items()
        if each.body is not None and not each.parameters and "!" not in name
        if each.body.operator == "CHOOSE" and all(bound.domain is None for bound in each.body.bounds)
    ]
    endless = endless_sets(spec)
    if found or endless:
        yield "[substitutions]"
    if endless:
        yield from _comment("TLC cannot enumerate an infinite set; these are replaced by a part:")
        for name, numbers in endless.items():
            yield _line(f'{toml_key(name)} = "{"0" if numbers == "Nat" else "-2"}..2"', _GUESS)
    if found:
        yield from _comment("TLC cannot evaluate an unbounded CHOOSE; these are replaced by model values:")
        yield from (f"{toml_key(name)} = {toml_string(f'{name}Value')}" for name in found)


def _own(constant: Constant, width: int, before: Constant | None) -> str:
    words = _clean(constant.comment) if before is None or before.comment != constant.comment else ""
    return f"#   {constant.name.ljust(width)}   {textwrap.shorten(words, 70, placeholder=' ...')}".rstrip()


def _varied(
    spec: ModuleGraph, types: Mapping[str, ConstantType], values: Mapping[str, str]
) -> dict[str, list[str]]:
    """Example parameters: the first constant of each kind that is easily varied, with some values."""
    found: dict[str, list[str]] = {}
    shown: set[str] = set()
    for constant in spec.constants:
        kind = types[constant.name].kind
        if kind in {"number", *_SETTLED} - shown:
            shown.add(kind)
            found[constant.name] = _more(kind, values[constant.name])
    return found


def _parameters(varied: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield "[parameters]"
    if not varied:
        yield from _comment(
            'No constant is easily varied. A definition can be varied by expressions: Bound = ["x < 3", "x < 5"]'
        )
        return
    yield from _comment(
        "Each key lists values, and every combination is a point. To vary a constant, remove its line above and list "
        "its values here:"
    )
    yield from (
        f"# {toml_key(name)} = [{', '.join(map(toml_value, texts))}]" for name, texts in varied.items()
    )


def _more(kind: str, text: str) -> list[str]:
    """Some values of a kind, starting from one."""
    if kind == "number":
        first = max(int(text) - 1, 1)
        return [str(first + step) for step in range(3)]
    if kind == "boolean":
        return ["FALSE", "TRUE"]
    names = text.strip("{}").split(", ")
    return [text, f"{{{', '.join([*names, names[0].rstrip('0123456789') + '3'])}}}"]


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
