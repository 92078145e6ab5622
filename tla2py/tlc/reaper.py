"""A guard that kills process groups and removes their folders once the process that started them is gone.

``kill -9`` gives a driver no chance to clean up after itself, and only Linux can tie a child's life to its parent's.
So the first run starts a small shell in a session of its own that reads a pipe from us: it is told of every group
before its command begins, and when the pipe closes, because we ended in whatever way, it kills what is left.
"""

from __future__ import annotations

import os
import subprocess
import threading

_SCRIPT = r"""
trap '' INT TERM HUP
while read -r op pid folder; do
  if [ "$op" = + ]; then set -- "$@" "$pid $folder"; continue; fi
  left=$#
  while [ "$left" -gt 0 ]; do
    case $1 in "$pid "*) ;; *) set -- "$@" "$1" ;; esac
    shift; left=$((left - 1))
  done
done
for entry; do kill -9 "-${entry%% *}" 2>/dev/null; done
[ $# -eq 0 ] || sleep 0.2
for entry; do rm -rf -- "${entry#* }"; done
"""
# Started through the shell: the group is announced before the command exists, and the command does not get the pipe.
# The pipe comes as standard input, since a shell need not know descriptors of more than one digit.
_STARTER = 'echo "+ $$ $TLA2PY_FOLDER" >&0 || exit 126; unset TLA2PY_FOLDER; exec "$@" </dev/null'

_lock = threading.Lock()
_pipe: tuple[int, int] | None = None  # (our process id, write end); a forked child must not use its parent's


def guarded(argv: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The argv that announces itself to the guard and then becomes ``argv``, and the descriptor to be its input.

    ``argv`` itself has nothing to read. The process has to lead its own group and find its folder, without a newline
    in it, in ``TLA2PY_FOLDER``.
    """
    return ("/bin/sh", "-c", _STARTER, "tla2py", *argv), _write_end()


def release(pid: int) -> None:
    """Tell the guard that a group is gone, so that its number may be used again by others."""
    os.write(_write_end(), f"- {pid}\n".encode())


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
