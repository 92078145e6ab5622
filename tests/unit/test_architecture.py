"""The import rule: a module imports its own package or earlier ones, and few modules import what is heavy."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import tla2py
from tests.command import tool

ROOT = Path(tla2py.__file__).parent

# From the ground up: a module imports its own room or earlier ones. What stands on top of the package is a room of its own.
TOP = ("version", "errors", "text", "toml", "files")
ROOMS = (
    *("tla", "model", "tlc", "lint", "logs", "sweep"),
    *("store", "execution", "replay", "mutation", "spark"),
    *("analysis", "cases", "view", "gate", "cli"),
)
ORDER = (*TOP, *ROOMS)
# These stand above every room and are imported by none.
ABOVE = ("__init__", "__main__", "api")

# Who may import a package, by the beginning of the module's name.
ALLOWED = {
    "pyspark": ("spark.",),
    "py4j": ("spark.", "tlc.process.gateway", "tlc.process.host"),
    "duckdb": ("analysis.query", "cases."),
    "jinja2": ("tlc.config.", "view.markup", "cases.render"),
    "tree_sitter": ("tla.",),
    "tree_sitter_tlaplus": ("tla.",),
    "typer": ("cli.",),
    "click": ("cli.",),
    "pandas": ("store.",),
    "pyarrow": ("store.", "analysis.", "execution.job", "spark.", "cases."),
    "rich": ("cli.", "view.", "gate."),
    "anywidget": ("view.server",),
    "traitlets": ("view.server",),
    "platformdirs": ("tlc.",),
}

# What only some systems have, and the one module that may use it.
OF_SYSTEM = re.compile(
    r"\b(fcntl|prctl|capset|waitid|pidfd_open|memfd_create|sched_getaffinity|O_PATH|killpg|ru_maxrss|syscall)\b|\"/?proc/"
)
SYSTEM = Path("tlc", "process", "os_facts.py")

# What makes objects of any class as it reads: a store may be a stranger's. A state graph's readers are processes of
# ours, and Spark itself pickles what goes to its workers.
OTHERS = ("cloudpickle", "dill", "joblib", "jsonpickle", "marshal", "shelve", "yaml")
UNPICKLING = {"pickle": ["store.graph_rows"], **{name: [] for name in OTHERS}}
# The same by other names.
UNPICKLES = {"allow_pickle", "read_pickle", "load_pickle", "PyExtensionType", "pickleFile", "unpickle"}


class Import(NamedTuple):
    """An import: who, of what, on which line; whether it happens when the module is loaded, or for a type checker alone."""

    importer: str
    imported: str
    line: int
    at_load: bool
    for_types: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(file: Path) -> str:
    """The name of a module below ``tla2py.``, "" for the package itself; a package's own ends with a dot."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1]) + "." * (len(parts) > 1) if parts[-1] == "__init__" else ".".join(parts)


TEXTS = {module_name(file): file.read_text("utf-8") for file in sorted(ROOT.rglob("*.py"))}
MODULES = {name: ast.parse(text) for name, text in TEXTS.items()}


def imports_of(name: str) -> Iterator[Import]:
    """Every import of a module; those that only a type checker sees do not happen when it is loaded."""

    def walk(node: ast.AST, at_load: bool, for_types: bool = False) -> Iterator[Import]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            negated = isinstance(node.test, ast.UnaryOp)
            for part in node.body:
                yield from walk(part, at_load and negated, not negated)
            for part in node.orelse:
                yield from walk(part, at_load)
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, alias.name, node.lineno, at_load, for_types)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}:{node.lineno}: a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = whole.removeprefix("tla2py.").rstrip(".") in {m.rstrip(".") for m in MODULES}
                yield Import(name, whole if is_module else str(node.module), node.lineno, at_load, for_types)
        inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from walk(child, at_load and not inside, for_types)

    yield from walk(MODULES[name], True)


IMPORTS = [found for name in MODULES for found in imports_of(name)]
OURS = [found for found in IMPORTS if found.imported.partition(".")[0] == "tla2py"]
OWN = [found._replace(imported=found.imported.removeprefix("tla2py").removeprefix(".")) for found in OURS]


def test_the_package_has_these_rooms() -> None:
    there = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    # These two are no rooms: they come with the wheel.
    assert there - {"cfg_templates", "specs"} == {*ABOVE, *ORDER}


def test_a_public_class_name_stands_once() -> None:
    nodes = (node for module in MODULES.values() for node in ast.walk(module))
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1 and not name.startswith("_")} == set()


# The public interface: functions of the package, and what an opened store can be asked.
FORWARDING = ("", "analysis.view")


def forwards(function: ast.FunctionDef) -> bool:
    """Whether a function only passes its parameters on, under their names and in their order, to another one."""
    documented = ast.get_docstring(function) is not None
    match function.body[documented:]:
        case [ast.Return(value=ast.Call(func=ast.Name(id=called)) as call)] if called[:1].islower():
            pass
        case _:
            return False
    given = function.args
    own = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    passed = [*call.args, *(each.value for each in call.keywords)]
    # A method of a protocol that Python or an interface names has no other way.
    named = function.name.startswith("__") or function.decorator_list
    return (
        bool(own)
        and not named
        and [each.id for each in passed if isinstance(each, ast.Name)] == own
        and len(passed) == len(own)
    )


def test_no_function_only_passes_its_parameters_on() -> None:
    found = {
        f"{name}:{node.lineno} {node.name}"
        for name, module in MODULES.items()
        if name not in FORWARDING
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and forwards(node)
    }
    assert found == set()


def test_a_forwarding_function_is_seen() -> None:
    for text, expected in (
        ('def f(a, *, b):\n    """Text."""\n    return g(a, b=b)', True),
        ("def f(a, b):\n    return g(b, a)", False),
        ("def f(a):\n    return g(a, 1)", False),
        ("def f(a):\n    return G(a)", False),
        ("def f(a):\n    return g(a).h()", False),
    ):
        [function] = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)
        assert forwards(function) is expected


@pytest.mark.parametrize("page", ["docs/how-it-works.md", "CONTRIBUTING.md"])
def test_the_pages_on_the_structure_name_what_there_is(page: str) -> None:
    """Each name that a page places in a file stands there, as in ``load_sweep`` in ``sweep/load.py``."""
    text = (ROOT.parent / page).read_text("utf-8")
    places = re.findall(r"((?:`\w+`,? (?:and )?)+)(?:of|in) `([\w/]+\.py)`", text)
    named = [(name, file) for names, file in places for name in re.findall(r"\w+(?=`)", names)]
    assert len(named) > 5
    folder = ROOT if page.startswith("docs/") else ROOT.parent
    for each, file in named:
        assert re.search(rf"\b{each}\b", (folder / file).read_text("utf-8")), (each, file)


def top(name: str) -> str:
    return name.partition(".")[0]


def test_the_walk_sees_imports() -> None:
    assert any(f.importer == "spark.session" and f.imported == "pyspark.sql" for f in IMPORTS)
    assert any(not found.at_load for found in IMPORTS)
    assert len(OWN) > 100
    for package in ("pyspark", "jinja2", "tree_sitter", "typer", "pandas", "rich"):
        assert any(top(found.imported) == package for found in IMPORTS), package


def test_no_module_imports_from_above() -> None:
    wrong = {
        str(found)
        for found in OWN
        if found.importer not in ("", *ABOVE)
        and (
            found.imported in ("", *ABOVE)
            or ORDER.index(top(found.imported)) > ORDER.index(top(found.importer))
        )
    }
    assert wrong == set()
    # The command line is imported by nobody.
    assert {f.importer for f in OWN if top(f.imported) == "cli" and top(f.importer) != "cli"} == {"__main__"}


def find_circles(graph: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Return the sets of modules that import one another, directly or through others, each sorted."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for imported in graph.get(todo.pop(), ()):
                if imported not in seen:
                    seen.add(imported)
                    todo.append(imported)
        reached[start] = seen

    circles = []
    for start in sorted(graph):
        circle = sorted(name for name in reached[start] if start in reached.get(name, ()))
        if circle and circle not in circles:
            circles.append(circle)
    return circles


def imports_by_module(imports: Iterable[Import]) -> dict[str, set[str]]:
    """Return what each module imports, wherever the import stands: in a function, or for a type checker alone."""
    graph: dict[str, set[str]] = {}
    for found in imports:
        importer, imported = found.importer.rstrip("."), found.imported
        if importer != imported:
            graph.setdefault(importer, set()).add(imported)
    return graph


def test_no_modules_import_each_other() -> None:
    assert find_circles(imports_by_module(OWN)) == []


@pytest.mark.parametrize(
    "imported", [("a", "b"), ("b", "c"), ("c", "a")], ids=lambda pair: f"without {pair[0]} to {pair[1]}"
)
def test_a_circle_is_seen(imported: tuple[str, str]) -> None:
    graph = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []}
    assert find_circles(graph) == [["a", "b", "c"]]
    importer, module = imported
    graph[importer].remove(module)
    assert find_circles(graph) == []


def test_one_module_knows_its_system() -> None:
    using = [file for file in ROOT.rglob("*.py") if OF_SYSTEM.search(file.read_text("utf-8"))]
    assert using == [ROOT / SYSTEM]


@pytest.mark.parametrize("package", ALLOWED)
def test_who_may_import_a_package(package: str) -> None:
    users = {f.importer: f for f in IMPORTS if top(f.imported) == package and not f.for_types}
    wrong = [str(f) for name, f in users.items() if not name.startswith(ALLOWED[package])]
    assert wrong == []


@pytest.mark.parametrize("package", UNPICKLING)
def test_who_may_unpickle(package: str) -> None:
    assert [f.importer for f in IMPORTS if top(f.imported) == package] == UNPICKLING[package]


def test_what_is_unpickled_comes_from_our_own_processes_and_nothing_by_another_name() -> None:
    sources, found = set(), set()
    for name, module in MODULES.items():
        for node in ast.walk(module):
            if isinstance(node, ast.Attribute) and node.attr in UNPICKLES:
                found.add(f"{name}:{node.lineno} {node.attr}")
            elif isinstance(node, ast.keyword) and node.arg in UNPICKLES:
                found.add(f"{name}:{node.value.lineno} {node.arg}")
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("eval", "exec", "__import__"):
                found.add(f"{name}:{node.lineno} {ast.unparse(node.func)}")
            elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith(
                ("pickle.load", "pickle.Unpickler")
            ):
                sources.add(f"{name}: {ast.unparse(node.args[0])}")
    assert sources == {"store.graph_rows: answer", "store.graph_rows: sys.stdin.buffer"}
    assert found == set()


def loaded_by(statement: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after a statement."""
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    done = tool(sys.executable, "-c", program, check=True)
    return {top(name) for name in done.stdout.split()}


def test_importing_the_package_is_cheap_and_needs_no_tools() -> None:
    loaded = loaded_by("import tla2py")
    assert "tla2py" in loaded
    assert not loaded & {*ALLOWED, "numpy", "msgspec", "psutil", "zipfile"}
    assert not loaded_by("import tla2py.cli.app") & {"pyspark", "py4j", "pandas"}
    bare = {"PATH": "", "JAVA_HOME": "/nowhere"}
    done = tool(sys.executable, "-c", "import tla2py; tla2py.open_store", env=bare)
    assert (done.returncode, done.stderr) == (0, "")
