"""The documentation's claim about the bundled TLC: no operator of its modules reaches beyond the model."""

from __future__ import annotations

import re
import zipfile

from tla2py.tlc.tools.jar import bundled_jar

# As class files write names.
_REACHES = re.compile(rb"java/(?:io/(?:File|RandomAccess)|nio/file/|net/|lang/(?:Process|Runtime\b))|getenv")


def test_no_module_of_the_bundled_tlc_knows_files_programs_or_the_network() -> None:
    with zipfile.ZipFile(bundled_jar()) as jar:
        # One class is not a module: its methods neither take nor return values.
        classes = {
            name: jar.read(name)
            for name in jar.namelist()
            if re.fullmatch(r"tlc2/module/(?!BuiltInModuleHelper)\w+\.class", name)
        }
        assert len(classes) >= 10
        assert {name: _REACHES.findall(data) for name, data in classes.items() if _REACHES.search(data)} == {}
        # The check works: it finds that TLC itself opens files.
        assert _REACHES.search(jar.read("util/FileUtil.class"))
