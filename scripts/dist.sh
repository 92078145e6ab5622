#!/bin/sh
# Build the sdist and from it the wheel into dist/, install that and use it where no checkout is.
# Usage: scripts/dist.sh PYTHON [HOW...]: PYTHON builds; each HOW is a Python, pipx or uv that installs (default: PYTHON).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$python" -m venv "$scratch/build"
"$scratch/build/bin/pip" install --quiet build
"$scratch/build/bin/python" -m build --outdir "$root/dist" "$root" >"$scratch/build.log" || { cat "$scratch/build.log" >&2; exit 1; }
wheel=$(ls -t "$root"/dist/*.whl | head -n 1)
# One Python gets what this repository is tested with; several get what their users get today.
[ $# -gt 0 ] || exec sh "$root/scripts/try_wheel.sh" "$python" "$wheel" "$root/constraints.txt"
for how in "$@"; do
    sh "$root/scripts/try_wheel.sh" "$how" "$wheel"
done
