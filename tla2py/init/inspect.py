"""The declarations of a module as plain data, for ``tla2py inspect --json``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tla2py.syntax import Constant, Definition, ModuleGraph, Variable
from tla2py.syntax.types import ConstantType, infer_types

Item = dict[str, object]


def inspect_spec(spec: ModuleGraph) -> Item:
    """The declarations of a specification, ready for JSON: lists of objects, each with its module and place.

    ``extends`` and ``instances`` name the file of each module, None for modules that come with TLC. A constant has its
    inferred ``kind``; ``needs_value`` is False if it becomes the model value of its own name. ``candidates`` are names
    of definitions by their likely use in a model, the likeliest first.
    """
    types = infer_types(spec)
    return {
        "module": spec.root.name,
        "file": str(spec.root.path),
        "pluscal": spec.root.has_pluscal,
        "extends": list(_extends(spec)),
        "instances": list(_instances(spec)),
        "constants": [_constant(spec, each, types[each.name]) for each in spec.constants],
        "variables": [
            {"name": each.name, "comment": each.comment, **_place(spec, each)} for each in spec.variables
        ],
        "assumptions": [
            {"name": each.name, "text": each.text, "module": module.name, "where": module.where(each.span)}
            for module in spec.extended
            for each in module.assumptions
        ],
        "operators": [_operator(spec, name, each) for name, each in spec.definitions.items()],
        "candidates": asdict(spec.candidates),
    }


def _extends(spec: ModuleGraph) -> Iterator[Item]:
    """The modules that the root extends, directly or not, breadth first."""
    files = {module.name: module for module in spec.modules}
    seen: set[str] = set()
    pending = [(reference, spec.root) for reference in spec.root.extends]
    while pending:
        reference, by = pending.pop(0)
        if reference.module in seen:
            continue
        seen.add(reference.module)
        found = files.get(reference.module) or next(
            (n for n in by.nested if n.name == reference.module), None
        )
        yield {
            "module": reference.module,
            "file": str(found.path) if found is not None else None,
            "standard": found is None,
            "by": by.name,
        }
        if found is not None:
            pending += [(each, found) for each in found.extends]


def _instances(spec: ModuleGraph) -> Iterator[Item]:
    files = {module.name: module for module in spec.modules}
    for module in spec.extended:
        for instance in module.instances:
            nested = any(each.name == instance.module for each in module.nested)
            found = module if nested else files.get(instance.module)
            yield {
                "name": instance.name,
                "module": instance.module,
                "file": str(found.path) if found is not None else None,
                "standard": found is None,
                "substitutions": {each.name: each.text for each in instance.substitutions},
                "by": module.name,
                "where": module.where(instance.span),
            }


def _constant(spec: ModuleGraph, constant: Constant, constant_type: ConstantType) -> Item:
    return {
        "name": constant.name,
        "arity": constant.arity,
        "kind": constant_type.kind,
        "certain": constant_type.certain,
        "reason": constant_type.reason,
        "needed_at": constant_type.where,
        "needs_value": constant_type.needs_value,
        "comment": constant.comment or constant.group,
        **_place(spec, constant),
    }


def _operator(spec: ModuleGraph, name: str, definition: Definition) -> Item:
    return {
        "name": name,
        "arity": definition.arity,
        "parameters": list(definition.parameters),
        "level": spec.level(name).label,
        "local": definition.local,
        "recursive": definition.recursive,
        "comment": definition.comment,
        **_place(spec, definition),
    }


def _place(spec: ModuleGraph, declaration: Constant | Variable | Definition) -> Item:
    return {
        "module": declaration.module,
        "where": spec.file_of(declaration).where(declaration.span),
        "line": declaration.span.begin_line,
        "column": declaration.span.begin_column,
    }
