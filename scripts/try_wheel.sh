#!/bin/sh
# Install a wheel as users do, in an empty folder without a checkout, and use it: first the core, then all of it.
# Usage: scripts/try_wheel.sh PYTHON|pipx|uv WHEEL [CONSTRAINTS]
set -eu
how=$1
wheel=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PYTHONPATH TLA2TOOLS_JAR
say() { echo "wheel, $how: $*" >&2; }
fail() { say "$*"; exit 1; }

case $how in
pipx) bin=$scratch/bin python=$scratch/pipx/venvs/tla2py/bin/python ;;
uv) bin=$scratch/bin python=$scratch/uv/tla2py/bin/python ;;
*)
    "$how" -m venv "$scratch/venv"
    bin=$scratch/venv/bin python=$scratch/venv/bin/python ;;
esac
constraints=${3-}
# install [EXTRAS]: install the wheel, or what its extras add to it.
install() {
    requirement="tla2py${1-} @ file://$wheel"
    case $how in
    pipx) PIPX_HOME=$scratch/pipx PIPX_BIN_DIR=$bin pipx install --force --quiet "$requirement" ;;
    uv) UV_TOOL_DIR=$scratch/uv UV_TOOL_BIN_DIR=$bin uv tool install --force --quiet "$requirement" ;;
    *) "$bin/pip" install --quiet --disable-pip-version-check ${constraints:+-c "$constraints"} "$requirement" ;;
    esac >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
}

install
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
size=$(du -sm --exclude=pip --exclude=setuptools --exclude=pkg_resources "$packages" | cut -f 1)
[ "$size" -le 400 ] || fail "the core takes $size MB"

mkdir "$scratch/empty" "$scratch/home"
cd "$scratch/empty"
# The user's own files must not help and must not change; nothing that Java and pip keep below HOME is needed.
export HOME="$scratch/home"
unset XDG_CACHE_HOME
tla2py() { "$bin/tla2py" "$@" >out.txt 2>err.txt; }
# well ARGS: the command must exit with 0; ends CODE ARGS: with that code. Neither may print a Python warning.
ends() { code=0; want=$1; shift; tla2py "$@" || code=$?
    [ $code = "$want" ] || { cat out.txt err.txt >&2; fail "tla2py $* exited with $code"; }
    ! grep -E "Warning:|Traceback" err.txt >&2 || fail "tla2py $* warns"; }
well() { ends 0 "$@"; }

case $("$python" -W error -c 'import tla2py; print(tla2py.__file__)') in "$scratch"/*) ;; *) fail "a different tla2py is used" ;; esac
[ "$("$python" -m tla2py --version)" = "$("$bin/tla2py" --version)" ] || fail "python -m tla2py is a different version"
cat >import.py <<'PY'
import sys, time
begun = time.perf_counter()
import tla2py
took = time.perf_counter() - begun
heavy = {"pyspark", "pandas", "pyarrow", "duckdb", "typer", "rich"} & set(sys.modules)
sys.exit(0 if took < 0.3 and not heavy else f"{took:.2f} s, {heavy or 'nothing heavy'}")
PY
# On a busy machine, one fast import of five is enough.
for _ in 1 2 3 4 5; do slow=$("$python" import.py 2>&1) && slow= && break; done
[ -z "$slow" ] || fail "import tla2py takes $slow"
well --help
well doctor
well tools list
well examples list
[ "$(wc -l <out.txt)" -gt 5 ] || fail "the five example systems are missing"
well examples copy kip320 kip320
well sweep --dry-run kip320/sweep.toml
# Completion is installed for the calling shell.
bash -c '"$0" --install-completion; exit $?' "$bin/tla2py" >out.txt 2>&1 || { cat out.txt >&2; fail "--install-completion failed"; }
[ -n "$(find "$HOME" -name 'tla2py*')" ] || fail "completion was not installed"

cat >Mine.tla <<'TLA'
---- MODULE Mine ----
EXTENDS Naturals
CONSTANT Max
VARIABLE x
Init == x = 0
Next == x < Max /\ x' = x + 1
Spec == Init /\ [][Next]_x
Small == x < 3
====
TLA
cat >sweep.toml <<'TOML'
module = "Mine.tla"
[model]
invariants = ["Small"]
check_deadlock = false
[parameters]
Max = [2, 3]
[expect]
[[expect.point]]
match = { Max = 3 }
violates = ["Small"]
TOML
core() {
    well init Mine.tla -o first.toml --force
    ends 1 check Mine.tla -c Max=3 --invariant Small --no-deadlock
    well lint sweep.toml
    well sweep sweep.toml "$@" --fresh
    well trace runs/sweep 2
    well trace runs/sweep 2 --verify
    well report runs/sweep
    well query runs/sweep "SELECT point, verdict FROM runs"
    well gate sweep.toml "$@"
    "$python" -W error -c 'import tla2py; assert tla2py.open_store("runs/sweep").arrow("runs").num_rows == 2' || fail "the tables"
}
core
well sweep sweep.toml -o threads
grep -q "tla2py\[spark\]" err.txt || fail "without pyspark, a sweep must name the extra that brings it"

install "[spark]"
core --executor local
well sweep sweep.toml -o spark
well query spark "SELECT point FROM runs" --engine spark
"$python" -W error -c 'import tla2py; assert len(tla2py.open_store("spark").runs) == 2' || fail "the frames"

case $how in
pipx | uv) ;;
*)
    # The package ships its types, so mypy reports the wrong call.
    "$bin/pip" install --quiet --disable-pip-version-check ${constraints:+-c "$constraints"} mypy
    echo 'import tla2py; tla2py.open_store(1)' >wrong.py
    "$bin/mypy" wrong.py 2>&1 | grep -q 'Argument 1 to "open_store"' || fail "the types are missing" ;;
esac
say "works, with $("$python" --version); the core takes $size MB"
