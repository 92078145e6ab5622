"""Fuzzing of everything that reads what others print: ``python tests/fuzz.py -max_total_time=60``.

Coverage-guided by atheris. The seeds are the corpora of the tests; the first byte of an input says which reader gets
the rest. No reader may raise anything but an InputError, no text may be read as another value than it is written as,
and nothing may hold that does not end with exit status 0.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tla2py"]):
    from tla2py.errors import InputError
    from tla2py.model.outcome import Verdict
    from tla2py.store.foreign import read_file, read_log, trace_from_itf, trace_to_itf
    from tla2py.tla.itf import state_from_itf, state_to_itf
    from tla2py.tla.value import format_value, same_value
    from tla2py.tla.value_text import parse_value
    from tla2py.tlc.config.read import parse_config
    from tla2py.tlc.output.graph import GraphReader
    from tla2py.tlc.output.messages import iter_messages
    from tla2py.tlc.output.result import interpret

CORPUS = Path(__file__).parent / "corpus"


def stream(data: bytes) -> None:
    result = interpret(iter_messages(data.splitlines(keepends=True)), exit_code=12, termination_reason=None)
    assert result.verdict is not Verdict.HOLDS
    for trace in result.traces:
        back = trace_from_itf(json.loads(json.dumps(trace_to_itf(trace))))
        for before, after in zip(trace.states, back.states, strict=True):
            assert before.values.keys() == after.values.keys()
            assert all(same_value(text, after.values[name]) for name, text in before.values.items())


def log(data: bytes) -> None:
    read_log(data.splitlines(keepends=True))


def value(data: bytes) -> None:
    try:
        found = parse_value(data.decode(errors="replace"))
    except ValueError:
        return
    assert same_value(parse_value(format_value(found)), found)
    assert same_value(state_from_itf(json.loads(json.dumps(state_to_itf({"x": found}))))["x"], found)


def config(data: bytes) -> None:
    parse_config(data.decode(errors="replace"), Path("fuzzed.cfg"))


def foreign(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(data)
        file.flush()
        read_file(Path(file.name))


def graph(data: bytes) -> None:
    for state in GraphReader().read(data).states:
        state_from_itf(json.loads(state))


READERS: list[Callable[[bytes], None]] = [stream, log, value, config, foreign, graph]


def one_input(data: bytes) -> None:
    if data:
        with contextlib.suppress(InputError):
            READERS[data[0] % len(READERS)](data[1:])


def seeds(folder: Path) -> None:
    """Write the corpora as the fuzzer's seeds, each for the readers it is meant for."""
    kinds = {"*.txt": (stream, log), "*.cfg": (config,), "*.json": (foreign,), "*.dot": (graph,)}
    for pattern, readers in kinds.items():
        for number, file in enumerate(sorted(CORPUS.rglob(pattern))):
            for reader in readers:
                name = f"{reader.__name__}-{number}-{file.name}"
                (folder / name).write_bytes(bytes([READERS.index(reader)]) + file.read_bytes())
    values = [
        "{1, 2}",
        '[a |-> "x", b |-> <<1, -2>>]',
        "(m1 :> 1..3 @@ m2 :> SUBSET {1})",
        "[Nat -> BOOLEAN]",
    ]
    for number, text in enumerate(values):
        (folder / f"value-{number}").write_bytes(bytes([READERS.index(value)]) + text.encode())


def main() -> None:
    """Fuzz with the options of libFuzzer that were given."""
    with tempfile.TemporaryDirectory() as name:
        seeds(Path(name))
        atheris.Setup([sys.argv[0], "-max_len=6000", *sys.argv[1:], name], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
