"""A guard that kills process groups and removes folders once the process that they belong to is gone.

``kill -9`` gives a driver no chance to clean up after itself, and only Linux can tie a child's life to its parent's.
So the first run starts a small shell in a session of its own that reads a pipe from us: it is told of every group
before its command begins, and of every scratch folder; when the pipe closes, because we ended in whatever way, it kills
and removes what is left.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

# An entry is the number of a group, or a name for what is no group, and a folder. Whoever still writes into a folder,
# as Spark's JVM does for some seconds after its driver is gone, has to be waited for.
_SCRIPT = r"""
trap '' INT TERM HUP
while read -r op key folder; do
  if [ "$op" = + ]; then set -- "$@" "$key $folder"; continue; fi
  left=$#
  while [ "$left" -gt 0 ]; do
    case $1 in "$key "*) ;; *) set -- "$@" "$1" ;; esac
    shift; left=$((left - 1))
  done
done
for entry; do
  case $entry in folder*) ;; *) kill -9 "-${entry%% *}" 2>/dev/null ;; esac
done
[ $# -gt 0 ] || exit 0
for seconds in 0.2 1 2 4; do
  sleep "$seconds"
  for entry; do rm -rf -- "${entry#* }" 2>/dev/null; done
done
"""
# Started through the shell: the group is announced before the command exists, and the command does not get the pipe.
# The pipe comes as standard input, since a shell need not know descriptors of more than one digit.
_STARTER = 'echo "+ $$ $TLA2PY_FOLDER" >&0 || exit 126; unset TLA2PY_FOLDER; exec "$@" </dev/null'

_lock = threading.Lock()
_pipe: tuple[int, int] | None = None  # (our process id, write end); a forked child must not use its parent's
_numbers = itertools.count(1)


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder that is gone with the block, or with this process however it ends."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).absolute()
    key = f"folder{next(_numbers)}"
    try:
        if "\n" not in str(folder):
            _tell(f"+ {key} {folder}\n")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _tell(f"- {key}\n")


def guarded(argv: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The argv that announces itself to the guard and then becomes ``argv``, and the descriptor to be its input.

    ``argv`` itself has nothing to read. The process has to lead its own group and find its folder, without a newline
    in it, in ``TLA2PY_FOLDER``.
    """
    return ("/bin/sh", "-c", _STARTER, "tla2py", *argv), _write_end()


def release(pid: int) -> None:
    """Tell the guard that a group is gone, so that its number may be used again by others."""
    _tell(f"- {pid}\n")


def _tell(line: str) -> None:
    # Without its guard a process goes on; the next group starts another one.
    with contextlib.suppress(BrokenPipeError):
        os.write(_write_end(), line.encode())


def _write_end() -> int:
    global _pipe
    with _lock:
        if _pipe is None or _pipe[0] != os.getpid():
            read, write = os.pipe()
            subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={"PATH": os.defpath},
            ).returncode = 0  # it ends after us, so nobody waits for it
            os.close(read)
            _pipe = (os.getpid(), write)
        return _pipe[1]
