"""Errors in sweep files, and in what they name."""

from __future__ import annotations

from tests.errors.provoke import Lab, provokes

# Line 1 of a sweep file of the module Counter; what follows begins with line 2.
HEAD = 'module = "Counter.tla"\n'


@provokes("sweep-missing")
def no_file(lab: Lab) -> None:
    lab.run("cfg", "none.toml")


@provokes("sweep-unreadable")
def no_text(lab: Lab) -> None:
    lab.write("sweep.toml", b"\xff")
    lab.run("cfg", "sweep.toml")


@provokes("sweep-syntax", "sweep.toml:2:9")
def no_toml(lab: Lab) -> None:
    lab.plan(HEAD + "Max = {a, b}\n")


@provokes("unknown-key", "sweep.toml:3:1")
def misspelt_key(lab: Lab) -> None:
    lab.plan(HEAD + '[model]\ninvariant = ["Small"]\n')


@provokes("no-module", "sweep.toml")
def no_module(lab: Lab) -> None:
    lab.plan('name = "nameless"\n')


@provokes("wrong-type", "sweep.toml:3:1")
def text_for_a_list(lab: Lab) -> None:
    lab.plan(HEAD + '[model]\ninvariants = "Small"\n')


@provokes("wrong-type", "sweep.toml:3:1")
def no_such_mode(lab: Lab) -> None:
    lab.plan(HEAD + '[tlc]\nmode = "random"\n')


@provokes("wrong-type", "sweep.toml:3:1")
def no_worker(lab: Lab) -> None:
    lab.plan(HEAD + "[tlc]\nworkers = 0\n")


@provokes("wrong-type", "sweep.toml:3:1")
def deadlock_by_number(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\ncheck_deadlock = [1, 2]\n[constants]\nMax = 1\n")


@provokes("wrong-mode", "sweep.toml:3:1")
def depth_of_a_check(lab: Lab) -> None:
    lab.plan(HEAD + "[tlc]\ndepth = 10\n")


@provokes("duration", "sweep.toml:5:1")
def no_duration(lab: Lab) -> None:
    lab.plan(HEAD + '[constants]\nMax = 1\n[tlc]\ntimeout = "soon"\n')


@provokes("duration", "--timeout")
def nothing_of_time(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "-c", "Max=1", "--timeout", "0")


@provokes("percent", "sweep.toml:5:1")
def more_than_all(lab: Lab) -> None:
    lab.plan(HEAD + '[constants]\nMax = 1\n[grid]\nwithin = "150%"\n')


@provokes("budget")
def no_budget(lab: Lab) -> None:
    lab.run("sweep", "Counter.toml", "--search", "--budget", "soon")


@provokes("memory", "sweep.toml:5:1")
def no_memory(lab: Lab) -> None:
    lab.plan(HEAD + '[constants]\nMax = 1\n[tlc]\nmemory = "1MiB"\n')


@provokes("disk", "sweep.toml:5:1")
def no_disk(lab: Lab) -> None:
    lab.plan(HEAD + '[constants]\nMax = 1\n[tlc]\ndisk = "much"\n')


@provokes("library-missing", "sweep.toml:2:15")
def no_library(lab: Lab) -> None:
    lab.plan(HEAD + 'libraries = ["lib"]\n')


@provokes("template-missing", "sweep.toml:2:1")
def no_template(lab: Lab) -> None:
    lab.plan(HEAD + 'template = "own.cfg.j2"\n[constants]\nMax = 1\n')


@provokes("template", "own.cfg.j2:1")
def template_that_is_none(lab: Lab) -> None:
    lab.write("own.cfg.j2", "{% if %}")
    lab.plan(HEAD + 'template = "own.cfg.j2"\n[constants]\nMax = 1\n')


@provokes("template", "own.cfg.j2:1")
def template_with_an_unknown_name(lab: Lab) -> None:
    lab.write("own.cfg.j2", "{{ confg.specification }}")
    lab.plan(HEAD + 'template = "own.cfg.j2"\n[constants]\nMax = 1\n')


@provokes("own-option", "sweep.toml:3:13")
def option_that_is_a_key(lab: Lab) -> None:
    lab.plan(HEAD + '[tlc]\noptions = ["-config", "other.cfg"]\n')


@provokes("unknown-constant", "sweep.toml:3:1")
def misspelt_constant(lab: Lab) -> None:
    lab.plan(HEAD + "[constants]\nMex = 1\n")


@provokes("unknown-definition", "sweep.toml:3:16")
def misspelt_invariant(lab: Lab) -> None:
    lab.plan(HEAD + '[model]\ninvariants = ["Smal"]\n')


@provokes("unknown-name", "sweep.toml:3:1")
def misspelt_substitution(lab: Lab) -> None:
    lab.plan(HEAD + '[substitutions]\nSmal = "TRUE"\n')


@provokes("unknown-name", "sweep.toml:3:12")
def operator_that_is_not_defined(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nMax = [1, "Twice(2)"]\n')


@provokes("unknown-parameter", "sweep.toml:3:1")
def misspelt_parameter(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nMex = [1, 2]\n")


@provokes("instance-name", "sweep.toml:3:18")
def specification_of_an_instance(lab: Lab) -> None:
    lab.write(
        "Two.tla",
        "---- MODULE Two ----\nVARIABLE x\nC == INSTANCE Counter WITH Max <- 2\nSpec == C!Spec\n====\n",
    )
    lab.plan('module = "Two.tla"\n[model]\nspecification = "C!Spec"\n')


@provokes("launch-file", "Counter___Model_1.launch")
def model_of_the_toolbox_with_entities(lab: Lab) -> None:
    path = lab.write(
        "Counter___Model_1.launch",
        '<!DOCTYPE a [<!ENTITY b "c">]><launchConfiguration type="&b;"></launchConfiguration>',
    )
    lab.run("init", "Counter.tla", "--launch", str(path))


@provokes("template-drops", "own.cfg.j2")
def template_that_fixes_a_constant(lab: Lab) -> None:
    lab.write("own.cfg.j2", "SPECIFICATION Spec\nCONSTANT Max = 1\n")
    lab.plan(HEAD + 'template = "own.cfg.j2"\n[parameters]\nMax = [1, 2]\n')


@provokes("unassigned", "sweep.toml")
def constant_without_a_value(lab: Lab) -> None:
    lab.plan(HEAD)


@provokes("unassigned", "Nil.cfg")
def constant_that_a_config_leaves_out(lab: Lab) -> None:
    lab.write(
        "Nil.tla",
        "---- MODULE Nil ----\nCONSTANT Nil\nVARIABLE x\nSpec == x = Nil /\\ [][x' = Nil]_x\n====\n",
    )
    lab.write("Nil.cfg", "SPECIFICATION Spec\n")
    lab.plan('module = "Nil.tla"\nconfig = "Nil.cfg"\n')


@provokes("no-specification", "sweep.toml")
def no_specification(lab: Lab) -> None:
    lab.write("Bare.tla", "---- MODULE Bare ----\nVARIABLE x\nStart == x = 0\n====\n")
    lab.plan('module = "Bare.tla"\n')


@provokes("wrong-arity", "sweep.toml:3:9")
def operator_without_parameters(lab: Lab) -> None:
    lab.write(
        "Op.tla",
        "---- MODULE Op ----\nCONSTANT Pick(_)\nVARIABLE x\nSpec == x = Pick(1) /\\ [][x' = x]_x\n====\n",
    )
    lab.plan('module = "Op.tla"\n[constants]\nPick = "1"\n')


@provokes("expression-syntax", "sweep.toml:3:10")
def value_that_is_no_expression(lab: Lab) -> None:
    lab.plan(HEAD + '[constants]\nMax = "1 +"\n')


@provokes("too-deep", "sweep.toml:3:8")
def value_that_is_nested_too_deeply(lab: Lab) -> None:
    lab.plan(HEAD + f'[constants]\nMax = "{"(" * 5000}1{")" * 5000}"\n')


# What is expected


@provokes("expect-contradiction", "sweep.toml:11:1")
def verdict_against_outcome(lab: Lab) -> None:
    lab.expect("[expect]", 'verdict = "holds"', 'outcome = "violation_safety"')


@provokes("expect-contradiction", "sweep.toml:11:1")
def verdict_against_violates(lab: Lab) -> None:
    lab.expect("[expect]", 'verdict = "holds"', 'violates = ["Small"]')


@provokes("expect-no-point", "sweep.toml:9:1")
def row_for_no_point(lab: Lab) -> None:
    lab.expect("[[expect.point]]", "match = { Max = 9 }", 'verdict = "holds"')


@provokes("expect-unchecked", "sweep.toml:11:14")
def violates_what_is_not_checked(lab: Lab) -> None:
    lab.expect("[expect]", 'verdict = "violated"', 'violates = ["Next"]')


@provokes("expect-unknown-action", "sweep.toml:10:11")
def fires_what_is_not_defined(lab: Lab) -> None:
    lab.expect("[expect]", 'fires = ["Upp"]')


@provokes("sweep-name", "sweep.toml:1:1")
def name_that_is_a_path(lab: Lab) -> None:
    lab.plan('name = "../elsewhere"\n' + HEAD + "[constants]\nMax = 1\n")


@provokes("sweep-syntax", "sweep.toml")
def text_that_no_path_may_have(lab: Lab) -> None:
    lab.plan('module = "Counter.tla\\u0000"\n')


@provokes("variable-name", "sweep.toml:3:1")
def variable_that_no_shell_passes_on(lab: Lab) -> None:
    lab.plan(HEAD + '[environment]\n"a-b" = "1"\n[constants]\nMax = 1\n')


@provokes("variable-name", "sweep.toml:3:1")
def variable_that_java_reads(lab: Lab) -> None:
    lab.plan(HEAD + '[parameters]\nenvironment._JAVA_OPTIONS = ["-Xmx1g"]\n[constants]\nMax = 1\n')


@provokes("variable-name", "sweep.toml:3:1")
def property_without_a_name(lab: Lab) -> None:
    lab.plan(HEAD + '[java_properties]\n"a=b" = "1"\n[constants]\nMax = 1\n')


@provokes("variable-name")
def variable_without_a_value(lab: Lab) -> None:
    lab.run("check", "Counter.tla", "-c", "Max=1", "--env", "LOG")


@provokes("wrong-type", "sweep.toml:3:1")
def boolean_variable(lab: Lab) -> None:
    lab.plan(HEAD + "[parameters]\nenvironment.DEBUG = [true, false]\n[constants]\nMax = 1\n")


@provokes("assigned-twice", "sweep.toml:5:1")
def variable_in_two_sections(lab: Lab) -> None:
    lab.plan(HEAD + '[environment]\nA = "1"\n[parameters]\nenvironment.A = ["1"]\n[constants]\nMax = 1\n')


@provokes("input-missing", "sweep.toml:3:11")
def pattern_that_matches_no_file(lab: Lab) -> None:
    lab.plan(HEAD + '[inputs]\nfiles = ["data/*.csv"]\n[constants]\nMax = 1\n')


@provokes("input-missing")
def input_that_is_a_folder(lab: Lab) -> None:
    lab.write("data/a.csv", "1")
    lab.run("check", "Counter.tla", "-c", "Max=1", "--input", "data")


@provokes("input-path", "sweep.toml:3:11")
def input_above_the_sweep_file(lab: Lab) -> None:
    lab.plan(HEAD + '[inputs]\nfiles = ["../a.csv"]\n[constants]\nMax = 1\n')


@provokes("input-path", "sweep.toml:3:11")
def output_outside_of_the_folder(lab: Lab) -> None:
    lab.plan(HEAD + '[outputs]\nfiles = ["/tmp/a.csv"]\n[constants]\nMax = 1\n')


@provokes("input-path", "sweep.toml:3:11")
def input_that_the_run_writes(lab: Lab) -> None:
    lab.write("MC.cfg", "")
    lab.plan(HEAD + '[inputs]\nfiles = ["MC.*"]\n[constants]\nMax = 1\n')


@provokes("input-path", "sweep.toml:3:11")
def input_that_tlc_would_load(lab: Lab) -> None:
    lab.write("Counter.class", "")
    lab.plan(HEAD + '[inputs]\nfiles = ["*.class"]\n[constants]\nMax = 1\n')


@provokes("outside-repository", "sweep.toml:1:13")
def template_of_somebody_else(lab: Lab) -> None:
    lab.write("sweep.toml", 'template = "/etc/passwd"\n' + HEAD)
    lab.run("sweep", "sweep.toml", "--no-trust", "--dry-run")


@provokes("needs-trust", "sweep.toml:3:15")
def classes_of_a_stranger(lab: Lab) -> None:
    lab.write("classes/Counter.class", "")
    lab.write("sweep.toml", HEAD + '[tlc]\noverrides = ["classes"]\n')
    lab.run("sweep", "sweep.toml", "--no-trust", "--dry-run")


@provokes("grid-key", "sweep.toml:3:11")
def input_of_an_unknown_parameter(lab: Lab) -> None:
    lab.plan(HEAD + '[inputs]\nfiles = ["{LOG}"]\n[constants]\nMax = 1\n')
