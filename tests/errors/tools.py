"""Errors about Java, the jars of TLC, Spark and what is fetched."""

from __future__ import annotations

import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

from tests.errors.provoke import Lab, answering, provokes
from tla2py.execution.executor import Work, fitting_slots
from tla2py.model.run import ClassFile, TlcOptions
from tla2py.spark.choice import require_pyspark
from tla2py.tla.parse import read_module
from tla2py.tlc.process.os_facts import this_machine
from tla2py.tlc.tools.community import planned_overrides
from tla2py.tlc.tools.installed import COMMUNITY, download, install, release
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.java import find_java, java_at
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain

CHECK = "check Counter.tla -c Max=1"
CACHE = "XDG_CACHE_HOME"
INSTALL = "tools install 1.7.4 --from-file Counter.tla"
LOST_CLASSES = TlcOptions(overrides=(ClassFile("classes.jar", "0" * 64),))
OLD = 'JAVA_VERSION="1.8.0_402"\n'
PINNED = f'tla2tools = "tools.jar"\ntla2tools_sha256 = "{"0" * 64}"\n'
QUOTED = '"tla2tools" = "tools.jar"\n'
OVERRIDES = 'module = "Counter.tla"\n[constants]\nMax = 1\n[tlc]\noverrides = ["{}"]\n'


@provokes("java-missing")
def no_java(lab: Lab) -> None:
    lab.patch.delenv("JAVA_HOME", raising=False)
    lab.patch.setenv("PATH", str(lab.folder))
    find_java(spark=True)  # a Java that is a package of Python's does for TLC, but not for Spark


@provokes("jar-not-tlc")
def jar_of_something_else(lab: Lab) -> None:
    with zipfile.ZipFile("other.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    lab.run("check Counter.tla -c Max=1 --tla2tools other.jar")


def having_jar(lab: Lab, project: str) -> Lab:
    shutil.copy(bundled_jar(), lab.folder / "tools.jar")
    return lab.having("tla2py.toml", project)


@provokes("download-failed")
def server_without_the_file(lab: Lab) -> None:
    with answering(404) as address:
        lab.patch.setenv("TLA2PY_MIRROR", address)
        lab.run("tools install 1.7.4")


def fetched(body: bytes, length: int | None = None) -> None:
    """Download an answer that has the wrong digest; ``length`` is what the server announces."""
    with answering(200, body, length) as address:
        download(f"{address}/file", Path("file"), sha256="0" * 64)


def install_functions(lab: Lab, refers: bytes = b"") -> None:
    """Install CommunityModules that are only Functions and IOUtils, and whose class refers to this one."""
    with zipfile.ZipFile("community.jar", "w") as jar:
        jar.writestr("SequencesExt.tla", "---- MODULE SequencesExt ----\nLOCAL INSTANCE Functions\n====\n")
        functions = "---- MODULE Functions ----\nRange(f) == {f[x] : x \\in DOMAIN f}\n====\n"
        jar.writestr("Functions.tla", functions)
        jar.writestr("IOUtils.tla", "---- MODULE IOUtils ----\nIOExec(command) == TRUE\n====\n")
        jar.writestr("tlc2/overrides/Functions.class", b"\xca\xfe\xba\xbe" + refers)
    install(release(COMMUNITY), file=lab.folder / "community.jar")


@provokes("community-tlc")
def tlc_that_is_too_old_for_the_community_modules(lab: Lab) -> None:
    install_functions(lab, b"tlc2/value/impl/NewerValue")
    lab.write("Use.tla", "---- MODULE Use ----\nEXTENDS Functions\nASSUME Range(<<1>>) = {1}\n====\n")
    lab.run("check Use.tla")


@provokes("community-copy", "Functions.tla:2:1")
def module_of_ones_own_with_a_name_of_the_community_modules(lab: Lab) -> None:
    install_functions(lab)
    lab.write("Functions.tla", "---- MODULE Functions ----\nRange(f) == {}\n====\n")
    body = "EXTENDS SequencesExt, Functions\nASSUME Range(<<1>>) = {}"
    lab.write("Use.tla", f"---- MODULE Use ----\n{body}\n====\n")
    lab.run("check Use.tla")


@provokes("starts-programs", "Use.tla:4:8")
def module_that_starts_a_program(lab: Lab) -> None:
    install_functions(lab)
    body = 'EXTENDS IOUtils\n\\* IOExec, "IOExec"\nASSUME IOExec(<<"ls">>)'
    lab.write("Use.tla", f"---- MODULE Use ----\n{body}\n====\n")
    lab.run("check Use.tla")


@provokes("pluscal")
def translator_that_cannot_be_started(lab: Lab) -> None:
    tools = find_toolchain(None)
    broken = Toolchain(jar=tools.jar, java=replace(tools.java, path=lab.folder / "java"))
    algorithm = "(* --algorithm Broken\nbegin\n  skip;\nend algorithm *)"
    module = lab.write("Broken.tla", f"---- MODULE Broken ----\n{algorithm}\n====\n")
    Translator(lambda: broken, print)(read_module(module))


@provokes("spark-missing")
def no_pyspark(lab: Lab) -> None:
    lab.patch.setitem(sys.modules, "pyspark", None)
    require_pyspark()


@provokes("mcp-missing")
def no_sdk(lab: Lab) -> None:
    lab.patch.delitem(sys.modules, "tla2py.cli.mcp_runner", raising=False)
    for name in ("mcp", "mcp.server.mcpserver"):
        lab.patch.setitem(sys.modules, name, None)
    lab.run("mcp")


@provokes("store-not-shared")
def worker_that_does_not_see_the_store(lab: Lab) -> None:
    from tla2py.spark.tasks import Parcel, unpack

    work = Work(store=lab.folder / "elsewhere", toolchain=find_toolchain(None), sources={})
    unpack(Parcel(work=work, shipped=True))


@provokes("same-input")
def input_named_twice(lab: Lab) -> None:
    from tla2py.spark.frames import load_tables

    load_tables(None, ["store", "store"])  # type: ignore[arg-type]


provokes.commands(
    ("sandbox-missing", None, "check Counter.tla -c Max=1 --trust --sandbox require"),
    ("jar-missing", None, "check Counter.tla -c Max=1 --tla2tools none.jar"),
    ("jar-missing", "tla2py.toml", "check Counter.tla -c Max=1", {"tla2py.toml": 'tla2tools = "1.7.4"\n'}),
    ("jar-corrupt", None, "check Counter.tla -c Max=1 --tla2tools cut.jar", {"cut.jar": b"PK\x03\x04"}),
    ("project-file", "tla2py.toml", "tools path", {"tla2py.toml": 'jar = "1.7.4"\n'}),
    ("project-file", "tla2py.toml", "tools path", {"tla2py.toml": "tla2tools = 1.7.4\n"}),
    ("project-file", "tla2py.toml", "tools path", {"tla2py.toml": "tla2tools_sha256 = 'ab'\n"}),
    ("jar-missing", None, "tools pin"),
    ("not-installed", None, "tools path 1.7.4"),
    ("unknown-release", None, "tools install newest"),
)

provokes.plans("", ("override-empty", "5:15", OVERRIDES.format("classes"), {"classes/readme.txt": ""}))

provokes.rows(
    ("java-missing", None, lambda lab: lab.setting("TLA2PY_JAVA_HOME", "/nowhere").run(CHECK)),
    ("java-too-old", None, lambda lab: java_at(lab.having("jdk/release", OLD).write("jdk/bin/java", ""), "")),
    ("jar-pinned", "tla2py.toml", lambda lab: having_jar(lab, PINNED).run(CHECK)),
    ("project-file", "tla2py.toml", lambda lab: having_jar(lab, QUOTED).run("tools pin")),
    ("download-cut", None, lambda _: fetched(b"half", length=8)),
    ("download-digest", None, lambda _: fetched(b"other")),
    ("jar-other-release", None, lambda lab: lab.run(f"tools install 1.7.3 --from-file {bundled_jar()}")),
    ("mirror", None, lambda lab: lab.setting("TLA2PY_MIRROR", "tools.example").run("tools install 1.7.4")),
    ("cache-unwritable", None, lambda lab: lab.setting(CACHE, f"{lab.folder}/Counter.tla").run(INSTALL)),
    ("override-missing", None, lambda lab: planned_overrides(find_toolchain(None), LOST_CLASSES)),
    ("override-missing", "sweep.toml:5:15", lambda lab: lab.plan(OVERRIDES.format("classes.jar"))),
    ("too-little-memory", None, lambda lab: fitting_slots(1, this_machine().memory_bytes + 1)),
)
