#!/bin/sh
# Build the sdist, and the wheel from it, into dist/; then install the wheel and use it without a checkout.
# Usage: scripts/dist.sh PYTHON [HOW...]: PYTHON builds; each HOW (a Python, pipx or uv; default: PYTHON) installs.
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
# A single Python gets the pinned versions; several installers get the versions that users get today.
[ $# -gt 0 ] || exec sh "$root/scripts/try_wheel.sh" "$python" "$wheel" "$root/constraints.txt"
for how in "$@"; do
    sh "$root/scripts/try_wheel.sh" "$how" "$wheel"
done
