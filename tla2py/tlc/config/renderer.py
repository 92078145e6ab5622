"""The process of ``tla2py.tlc.config.render``: it renders a template for each line of its input."""

from __future__ import annotations

import contextlib
import math
import resource
import sys
import time

import msgspec

from tla2py.tlc.config.render import CPU_SECONDS, MEMORY_BYTES, Reply, Request, render_here

# A config of more is no use to TLC.
_MOST_TEXT = 64 << 20


def main() -> None:
    """Render until the input ends."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    allowed = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    # macOS refuses it; there the time and the text are limited, the memory is not.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (allowed, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    decoder = msgspec.json.Decoder(Request)
    for line in sys.stdin.buffer:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + CPU_SECONDS, hard))
        request = decoder.decode(line)
        reply = render_here(request.template, request.config)
        if reply.text is not None and len(reply.text) > _MOST_TEXT:
            reply = Reply(error="it prints too much for a config")
        sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
