"""The Toolbox's files of models, ``Spec___Model_1.launch``, and the one that a config was written for."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tla2py.errors import InputError, reason_of

LaunchSettings: TypeAlias = "dict[str, str | list[str]]"


class _Plain(ET.TreeBuilder):
    """A builder of documents that refuses a document type, which may declare entities."""

    def doctype(self, *_: object) -> None:
        raise ValueError("it has a document type, which may declare entities")


def read_launch(path: Path) -> LaunchSettings:
    """Return the values and lists in the Toolbox's file of a model. Raises InputError (``launch-file``)."""
    try:
        root = ET.fromstring(path.read_bytes(), ET.XMLParser(target=_Plain()))  # noqa: S314
    except (OSError, ValueError, LookupError, ET.ParseError) as error:
        raise _no_launch(path, reason_of(error)) from error
    settings: LaunchSettings = {}
    for attribute in root:
        listed = [entry.get("value", "") for entry in attribute]
        value = listed if attribute.tag == "listAttribute" else attribute.get("value")
        settings[attribute.get("key", "")] = value or ""
    if "specName" not in settings:
        raise _no_launch(path, "it does not name its specification")
    return settings


def _no_launch(path: Path, reason: str) -> InputError:
    text = f"not a model of the Toolbox: {reason}"
    hint = "it is named as in Spec.toolbox/Spec___Model_1.launch"
    return InputError("launch-file", text, where=str(path), hint=hint)


def enabled_formulas(settings: LaunchSettings, key: str) -> tuple[str, ...]:
    """Return the formulas of a list that the model's page in the Toolbox has ticked."""
    entries = settings.get(key)
    if not isinstance(entries, list):
        return ()
    return tuple(entry[1:].strip() for entry in entries if entry.startswith("1"))


def launch_of(config: Path) -> Path | None:
    """Return the Toolbox model of an ``MC.cfg``: for the folder above it, or the only one beside it; else None.

    The Toolbox writes ``Spec.toolbox/Model_1/MC.cfg`` for ``Spec.toolbox/Spec___Model_1.launch``.
    """
    if config.stem != "MC":
        return None
    folder = config.absolute().parent
    for model in sorted(config.parent.glob("../*.launch")):
        if model.stem.endswith(f"___{folder.name}"):
            return model
    beside = sorted(config.parent.glob("*.launch"))
    return beside[0] if len(beside) == 1 else None
