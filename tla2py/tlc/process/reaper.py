"""The reaper: a guard process that kills process groups and removes folders once our process is gone.

``kill -9`` gives a process no chance to clean up, and only Linux can tie a child's life to its parent's. So the first
run starts a small shell in its own session that reads a pipe from us. Every process group, before its command starts,
and every scratch folder is registered there. When the pipe closes, however we ended, the shell kills and removes what is
left.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

# An entry is a process group id, or a name `folderN` without a group, and a folder. Removal is repeated, since some
# processes go on writing into a folder: Spark's JVM does for some seconds after its driver is gone.
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
# A shell registers the group before the command exists, and does not pass the pipe on. The pipe is standard input,
# because shells need not support descriptors of more than one digit.
_STARTER = 'echo "+ $$ $TLA2PY_FOLDER" >&0 || exit 126; unset TLA2PY_FOLDER; exec "$@" </dev/null'

_lock = threading.Lock()
_pipe: tuple[int, int] | None = None  # (our process id, write end); a forked child must not use its parent's
_numbers = itertools.count(1)


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder that is removed at the end of the block, or of this process however it ends."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).absolute()
    key = f"folder{next(_numbers)}"
    try:
        if "\n" not in str(folder):
            _tell(f"+ {key} {folder}\n")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _tell(f"- {key}\n")


def process_folder(prefix: str) -> Path:
    """Make a temporary folder that lasts as long as this process, and is removed however it ends."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(scratch_folder(prefix))


def guarded(argv: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The argv that registers with the guard and then becomes ``argv``, and the descriptor for its standard input.

    ``argv`` itself gets an empty standard input. The process must lead its own group, and ``TLA2PY_FOLDER`` must name
    its folder, without newlines.
    """
    return ("/bin/sh", "-c", _STARTER, "tla2py", *argv), _write_end()


def register(pid: int, folder: Path) -> None:
    """Register a process that leads its own group, with its folder."""
    _tell(f"+ {pid} {folder}\n")


def release(pid: int) -> None:
    """Unregister a group that is gone, because its id may be reused."""
    _tell(f"- {pid}\n")


def _tell(line: str) -> None:
    # Work goes on without the guard; the next group starts a new one.
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
            ).returncode = 0  # it ends after us, so we never wait for it
            os.close(read)
            _pipe = (os.getpid(), write)
        return _pipe[1]
