"""Errors in sweep files, in their grids, and in what they name."""

from __future__ import annotations

from tests.errors.provoke import provokes

# Line 1 of a sweep file of the module Counter; what follows begins with line 2.
HEAD = 'module = "Counter.tla"\n'
MAX_1 = "[constants]\nMax = 1\n"
OWN = 'template = "own.cfg.j2"\n'
ONLY_ONE = "SPECIFICATION Spec\nCONSTANT Max = 1\n"


provokes.plans(
    HEAD,
    ("sweep-syntax", "2:9", "Max = {a, b}\n"),
    ("unknown-key", "3:1", '[model]\ninvariant = ["Small"]\n'),
    ("wrong-type", "3:1", "[tlc]\nworkers = 0\n"),
    ("wrong-type", "3:1", "[parameters]\ncheck_deadlock = [1, 2]\n[constants]\nMax = 1\n"),
    ("wrong-mode", "3:1", "[tlc]\ndepth = 10\n"),
    ("wrong-mode", "3:1", '[tlc]\nbudget = "1m"\n'),
    ("duration", "4:1", '[tlc]\nmode = "simulate"\nbudget = "10m"\n' + MAX_1),
    ("duration", "5:1", '[constants]\nMax = 1\n[tlc]\ntimeout = "soon"\n'),
    ("percent", "5:1", '[constants]\nMax = 1\n[grid]\nwithin = "150%"\n'),
    ("memory", "5:1", '[constants]\nMax = 1\n[tlc]\nmemory = "1MiB"\n'),
    ("disk", "5:1", '[constants]\nMax = 1\n[tlc]\ndisk = "much"\n'),
    ("library-missing", "2:15", 'libraries = ["lib"]\n'),
    ("template-missing", "2:1", OWN + MAX_1),
    ("template", "own.cfg.j2:1", OWN + MAX_1, {"own.cfg.j2": "{% if %}"}),
    ("own-option", "3:13", '[tlc]\noptions = ["-config", "other.cfg"]\n'),
    ("unknown-constant", "3:1", "[constants]\nMex = 1\n"),
    ("unknown-definition", "3:16", '[model]\ninvariants = ["Smal"]\n'),
    ("unknown-name", "3:1", '[substitutions]\nSmal = "TRUE"\n'),
    ("unknown-name", "3:12", '[parameters]\nMax = [1, "Twice(2)"]\n'),
    ("unknown-parameter", "3:1", "[parameters]\nMex = [1, 2]\n"),
    ("template-drops", "own.cfg.j2", OWN + "[parameters]\nMax = [1, 2]\n", {"own.cfg.j2": ONLY_ONE}),
    ("expression-syntax", "3:10", '[constants]\nMax = "1 +"\n'),
    ("too-deep", "3:8", f'[constants]\nMax = "{"(" * 5000}1{")" * 5000}"\n'),
    ("variable-name", "3:1", '[environment]\n"a-b" = "1"\n' + MAX_1),
    ("variable-name", "3:1", '[parameters]\nenvironment._JAVA_OPTIONS = ["-Xmx1g"]\n' + MAX_1),
    ("variable-name", "3:1", '[java_properties]\n"a=b" = "1"\n' + MAX_1),
    ("wrong-type", "3:1", "[parameters]\nenvironment.DEBUG = [true, false]\n[constants]\nMax = 1\n"),
    ("assigned-twice", "5:1", f'[environment]\nA = "1"\n[parameters]\nenvironment.A = ["1"]\n{MAX_1}'),
    ("input-missing", "3:11", '[inputs]\nfiles = ["data/*.csv"]\n' + MAX_1),
    ("input-path", "3:11", '[inputs]\nfiles = ["../a.csv"]\n' + MAX_1),
    ("input-path", "3:11", '[outputs]\nfiles = ["/tmp/a.csv"]\n' + MAX_1),
    ("input-path", "3:11", '[inputs]\nfiles = ["MC.*"]\n[constants]\nMax = 1\n', {"MC.cfg": ""}),
    ("input-path", "3:11", '[inputs]\nfiles = ["*.class"]\n[constants]\nMax = 1\n', {"Counter.class": ""}),
    ("grid-key", "3:11", '[inputs]\nfiles = ["{LOG}"]\n' + MAX_1),
    ("assigned-twice", "5:1", "[constants]\nMax = 1\n[parameters]\nMax = [1, 2]\n"),
    ("empty-parameter", "3:1", "[parameters]\nMax = []\n"),
    ("empty-parameter", "2:1", "config = []\n"),
    ("values", "3:1", "[parameters]\nMax = { from = 1 }\n"),
    ("duplicate-point", "3:1", "[parameters]\nMax = [1, 1]\n"),
    ("empty-grid", "5:1", "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Max = 1 }]\n"),
    ("grid-key", "5:1", "[parameters]\nMax = [1]\n[grid]\nexclude = [{ Mex = 1 }]\n"),
    ("unknown-name", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Mex > 1"\n'),
    ("not-a-predicate", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max + 1"\n'),
    ("not-a-value", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "Max > TRUE"\n'),
    ("not-understood", "5:1", '[parameters]\nMax = [1, 2]\n[grid]\nwhere = "ENABLED Up"\n'),
)

# Of no deadlock check, and of a violation of nothing.
NOT_CHECKED = HEAD + "[model]\ncheck_deadlock = false\n[constants]\nMax = 1\n[expect]\n"

NOTHING = 'verdict = "violated"\nviolates = []\n'
DRY = "sweep sweep.toml --dry-run"
OVERRIDING = HEAD + '[tlc]\noverrides = ["classes"]\n'
LAUNCH = "Counter___Model_1.launch"
ENTITIES = {LAUNCH: '<!DOCTYPE a [<!ENTITY b "c">]><launchConfiguration type="&b;"></launchConfiguration>'}
UNTRUSTED = "sweep sweep.toml --no-trust --dry-run"

provokes.commands(
    ("expect-unchecked", "sweep.toml:7:14", DRY, {"sweep.toml": NOT_CHECKED + 'violates = ["deadlock"]\n'}),
    ("expect-contradiction", "sweep.toml:8:1", DRY, {"sweep.toml": NOT_CHECKED + NOTHING}),
    ("launch-file", LAUNCH, f"init Counter.tla --launch {LAUNCH}", ENTITIES),
    ("sweep-missing", None, "cfg none.toml"),
    ("sweep-unreadable", None, "cfg sweep.toml", {"sweep.toml": b"\xff"}),
    ("duration", "--timeout", "check Counter.tla -c Max=1 --timeout 0"),
    ("budget", None, "sweep Counter.toml --search --budget soon"),
    ("variable-name", None, "check Counter.tla -c Max=1 --env LOG"),
    ("input-missing", None, "check Counter.tla -c Max=1 --input data", {"data/a.csv": "1"}),
    ("outside-repository", "sweep.toml:1:13", UNTRUSTED, {"sweep.toml": 'template = "/etc/passwd"\n' + HEAD}),
    ("needs-trust", "sweep.toml:3:15", UNTRUSTED, {"classes/Counter.class": "", "sweep.toml": OVERRIDING}),
)


def module(name: str, body: str) -> dict[str, str]:
    return {f"{name}.tla": f"---- MODULE {name} ----\n{body}\n====\n"}


TWO = module("Two", "VARIABLE x\nC == INSTANCE Counter WITH Max <- 2\nSpec == C!Spec")
TWICE = module(
    "Two",
    "VARIABLE x\nC == INSTANCE Counter WITH Max <- 2\nD == INSTANCE Counter WITH Max <- 3\nSpec == C!Spec",
)
BY_NAME = 'module = "Two.tla"\n[model]\nspecification = "Spec"\n[substitutions]\n'
PAIR = module("Pair", "CONSTANTS A, B\nVARIABLE x\nSpec == [][x' = x]_x")
RULE = "{ from = 1, to = 2000 }"
BARE = module("Bare", "VARIABLE x\nStart == x = 0")
OP = module("Op", "CONSTANT Pick(_)\nVARIABLE x\nSpec == x = Pick(1) /\\ [][x' = x]_x")

provokes.plans(
    "",
    ("no-module", "sweep.toml", 'name = "nameless"\n'),
    ("empty-parameter", "1:1", "module = []\n"),
    ("instance-name", "3:18", 'module = "Two.tla"\n[model]\nspecification = "C!Spec"\n', TWO),
    ("substitution-instance", "5:14", BY_NAME + '"C!Small" = "TRUE"\n', TWICE),
    ("grid-size", "2:1", f'module = "Pair.tla"\n[parameters]\nA = {RULE}\nB = {RULE}\n', PAIR),
    ("unassigned", "sweep.toml", HEAD),
    ("no-specification", "sweep.toml", 'module = "Bare.tla"\n', BARE),
    ("wrong-arity", "3:9", 'module = "Op.tla"\n[constants]\nPick = "1"\n', OP),
    ("sweep-name", "1:1", 'name = "../elsewhere"\n' + HEAD + "[constants]\nMax = 1\n"),
    ("sweep-syntax", "sweep.toml", 'module = "Counter.tla\\u0000"\n'),
)

CONTRADICTION = ("[expect]", 'verdict = "holds"', 'outcome = "violation_safety"')
NO_POINT = ("[[expect.point]]", "match = { Max = 9 }", 'verdict = "holds"')

provokes.rows(
    ("expect-contradiction", "sweep.toml:11:1", lambda lab: lab.expect(*CONTRADICTION)),
    ("expect-no-point", "sweep.toml:9:1", lambda lab: lab.expect(*NO_POINT)),
    ("expect-unknown-action", "sweep.toml:10:11", lambda lab: lab.expect("[expect]", 'fires = ["Upp"]')),
)
