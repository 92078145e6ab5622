#!/bin/sh
# Build the sdist and from it the wheel, install that into an environment of its own, and use it where no checkout is.
# Usage: scripts/dist.sh [PYTHON], where PYTHON makes the environment; the wheel and the sdist are left in dist/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PYTHONPATH TLA2TOOLS_JAR

"$python" -m venv "$scratch/build"
"$scratch/build/bin/pip" install --quiet build
"$scratch/build/bin/python" -m build --outdir "$root/dist" "$root" >"$scratch/build.log" || { cat "$scratch/build.log" >&2; exit 1; }
"$python" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet -c "$root/constraints.txt" "$(ls -t "$root"/dist/*.whl | head -n 1)"

mkdir "$scratch/empty"
cd "$scratch/empty"
bin=$scratch/venv/bin
say() { echo "dist: $*" >&2; }
fail() { say "$*"; exit 1; }

case $("$bin/python" -c 'import tla2py; print(tla2py.__file__)') in "$scratch"/*) ;; *) fail "the checkout is used" ;; esac
"$bin/tla2py" --help >/dev/null
[ "$("$bin/python" -m tla2py --version)" = "$("$bin/tla2py" --version)" ] || fail "python -m tla2py is another one"
[ "$("$bin/tla2py" examples list --json | grep -c '"name"')" = 5 ] || fail "five systems were to come along"
"$bin/tla2py" examples copy kip320 kip320 >/dev/null
"$bin/tla2py" sweep --dry-run kip320/sweep.toml >/dev/null

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
"$bin/tla2py" init Mine.tla -o first.toml >/dev/null
code=0; "$bin/tla2py" check Mine.tla -c Max=3 --invariant Small --no-deadlock >check.txt || code=$?
[ $code = 1 ] || { cat check.txt >&2; fail "check ended with $code"; }
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
"$bin/tla2py" sweep sweep.toml --executor local >/dev/null || fail "the sweep by threads"
"$bin/tla2py" sweep sweep.toml -o spark >/dev/null || fail "the sweep on Spark"
"$bin/tla2py" trace runs/sweep 2 >/dev/null
"$bin/tla2py" report runs/sweep >/dev/null

# The types travel with the package: a checker sees a misuse.
"$bin/pip" install --quiet -c "$root/constraints.txt" mypy
echo 'import tla2py; tla2py.open_store(1)' >wrong.py
"$bin/mypy" wrong.py 2>&1 | grep -q 'Argument 1 to "open_store"' || fail "the types are missing"
say "the wheel works: $(ls -t "$root"/dist | head -n 2 | tr '\n' ' ')"
