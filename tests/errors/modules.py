"""Errors in modules, in configs and in folders."""

from __future__ import annotations

from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes
from tla2py.analysis.judging import Side, join
from tla2py.model.model import Config
from tla2py.tlc.tools.community import load_specification


@provokes("module-missing", "None.tla")
def no_module_file(lab: Lab) -> None:
    lab.run("inspect", "None.tla")


@provokes("module-missing", "Spec.tla:2:9")
def extends_what_is_not_there(lab: Lab) -> None:
    lab.module("EXTENDS Elsewhere")


@provokes("module-missing", "None.tla")
def configs_without_a_module(lab: Lab) -> None:
    lab.write("Own.cfg", "")
    lab.run("sweep", "--configs", "*.cfg", "None.tla", "--dry-run")


@provokes("module-unreadable", "Spec.tla")
def module_that_is_a_folder(lab: Lab) -> None:
    (lab.folder / "Spec.tla").mkdir()
    lab.run("inspect", "Spec.tla")


@provokes("module-name", "Spec.tla:1:14")
def module_of_another_name(lab: Lab) -> None:
    lab.write("Spec.tla", "---- MODULE  Other ----\n====\n")
    lab.run("inspect", "Spec.tla")


@provokes("module-syntax", "Spec.tla:2:6")
def module_with_a_mistake(lab: Lab) -> None:
    lab.module("A == ]")


@provokes("module-cycle", "Other.tla:1:32")
def modules_in_a_circle(lab: Lab) -> None:
    lab.write("Other.tla", "---- MODULE Other ---- EXTENDS Spec\n====\n")
    lab.module("EXTENDS Other")


@provokes("pluscal-syntax", "Spec.tla:4:5")
def algorithm_with_a_mistake(lab: Lab) -> None:
    lab.module("(* --algorithm a\nbegin\n  x := ;\nend algorithm *)")


@provokes("unicode", "Spec.tla:2:3")
def symbols_that_this_tlc_does_not_read(lab: Lab) -> None:
    lab.write(
        "Spec.tla", "---- MODULE Spec ----\nA ≜ 1 ∈ {1}\nVARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n====\n"
    )
    lab.run("check", "Spec.tla")


@provokes("tlc-lacks", "Spec.tla:1:31")
def module_that_this_tlc_lacks(lab: Lab) -> None:
    lab.write(
        "Spec.tla", "---- MODULE Spec ---- EXTENDS TLCExt\nVARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n====\n"
    )
    lab.run("check", "Spec.tla")


@provokes("tlc-lacks", "sweep.toml:9:13")
def option_that_tlc_lacks(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP + 'options = ["-nosuch"]\n')
    lab.run("sweep", "sweep.toml")


# Configs


@provokes("config-missing")
def no_config(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "--config", "None.cfg")


@provokes("config-missing", "sweep.toml:2:11")
def no_config_of_a_sweep(lab: Lab) -> None:
    lab.plan('module = "Counter.tla"\nconfig = "None.cfg"\n')


@provokes("config-missing", "sweep.toml:2:11")
def pattern_that_finds_no_config(lab: Lab) -> None:
    lab.plan('module = "Counter.tla"\nconfig = "models/*.cfg"\n')


@provokes("config-missing")
def configs_by_a_pattern_that_finds_none(lab: Lab) -> None:
    lab.run("sweep", "--configs", "*.cfg", "Counter.tla", "--dry-run")


@provokes("config-unreadable")
def config_that_is_a_folder(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "--config", ".")


@provokes("config-syntax", "Counter.cfg:1:1")
def config_without_a_keyword(lab: Lab) -> None:
    lab.write("Counter.cfg", "Small\n")
    lab.run("check", "Counter.tla")


@provokes("config-syntax", "Counter.cfg")
def config_that_ends_early(lab: Lab) -> None:
    lab.write("Counter.cfg", "SPECIFICATION Spec\nCONSTANT Max =")
    lab.run("check", "Counter.tla")


@provokes("config-expect", "Counter.cfg:1:4")
def config_that_expects_no_result(lab: Lab) -> None:
    lab.write("Counter.cfg", "\\* EXPECT Victory\nSPECIFICATION Spec\nCONSTANT Max = 1\n")
    lab.plan('module = "Counter.tla"\nconfig = "Counter.cfg"\n')


@provokes("config-proves-nothing", "sweep.toml")
def config_that_checks_nothing(lab: Lab) -> None:
    from tla2py.execution.preflight import check_facts
    from tla2py.sweep.load import load_sweep
    from tla2py.sweep.plan import plan_sweep

    path = lab.write(
        "sweep.toml", 'module = "Counter.tla"\n[model]\ncheck_deadlock = false\n[constants]\nMax = 1\n'
    )
    sweep = load_sweep(path)
    check_facts(path, sweep, plan_sweep(sweep, ""))


@provokes("constant-syntax")
def constant_without_a_value_given(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "-c", "Max")


@provokes("unknown-constant")
def misspelt_constant_given(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "-c", "Mex=1")


@provokes("unknown-definition")
def misspelt_invariant_given(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "-c", "Max=1", "--invariant", "Smal")


# Folders


@provokes("folder-file")
def folder_whose_file_names_a_module(lab: Lab) -> None:
    lab.write("models.toml", 'module = "Spec.tla"\n')
    lab.run("gate", ".")


@provokes("config-missing", "models.toml:2:1")
def folder_whose_file_excludes_every_config(lab: Lab) -> None:
    lab.write("Counter.cfg", "SPECIFICATION Spec\nCONSTANT Max = 1\n")
    lab.write("models.toml", '[grid]\nexclude = [{ config = "Counter.cfg" }]\n')
    lab.run("gate", ".")


@provokes("manifest")
def manifest(lab: Lab) -> None:
    lab.write("manifest.json", "{}")
    lab.run("gate", "manifest.json")


@provokes("manifest")
def manifest_of_strangers(lab: Lab) -> None:
    lab.write("manifest.json", "{}")
    lab.run("sweep", "manifest.json", "--no-trust")


@provokes("outside-folder", "out")
def folder_with_nothing_but_a_link(lab: Lab) -> None:
    (lab.folder / "models").mkdir()
    (lab.folder / "models" / "out").symlink_to(lab.folder)
    lab.run("gate", "models")


@provokes("judge-modules")
def two_modules_of_one_name_beside_each_other(lab: Lab) -> None:
    sides = []
    for word, value in (("Candidate", 1), ("Reference", 2)):
        lab.write(f"{word}/Helper.tla", f"---- MODULE Helper ----\nValue == {value}\n====\n")
        root = lab.write(f"{word}/{word}.tla", f"---- MODULE {word} ----\nEXTENDS Helper\nVARIABLE x\n====\n")
        sides.append(Side(word=word, spec=load_specification(root, ()), config=Config()))
    candidate, reference = sides
    join(candidate, reference, {}, {}, lab.folder / "joined")
