"""The command line of TLC for each option; nothing is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.process.command import BEHAVIOURS, GRAPH, build_argv, heap_bytes

MIB = 1024 * 1024
PLAIN = TlcOptions()
WRITTEN = f"file=/run/1/{BEHAVIOURS}/b"
LIMITS = Limits(timeout_seconds=60, memory_bytes=1024 * MIB)


def argv(options: TlcOptions = PLAIN, limits: Limits = LIMITS) -> list[str]:
    java, jar, folder = Path("/jdk/bin/java"), Path("/lib/tla2tools.jar"), Path("/run/1")
    return list(build_argv(java, jar, folder, "Main", options, limits))


def jvm(command: list[str]) -> list[str]:
    return command[1 : command.index("-cp")]


def tlc(command: list[str]) -> list[str]:
    return command[command.index("tlc2.TLC") + 1 : -1]


def test_without_options() -> None:
    command = argv()
    assert command[0] == "/jdk/bin/java"
    path = command.index("-cp")
    assert command[path : path + 3] == ["-cp", "/lib/tla2tools.jar", "tlc2.TLC"]
    # All versions read names relative to the working directory the same way, and only those.
    assert command[-1] == "Main.tla"
    assert tlc(command) == [
        *("-tool", "-config", "MC.cfg", "-metadir", "/run/1/states"),
        *("-workers", "1", "-fp", "0", "-seed", "0", "-checkpoint", "0", "-lncheck", "final"),
    ]
    # A run keeps to its folder, and what is printed does not depend on the machine.
    machine = {"-Duser.language=en", "-Duser.country=US", "-Dfile.encoding=UTF-8"}
    assert {"-Djava.io.tmpdir=/run/1/tmp", *machine} <= {*jvm(command)}
    # The time limit is not told to TLC, and num and depth bound a simulation only.
    assert argv(limits=replace(LIMITS, timeout_seconds=1)) == command
    assert argv(TlcOptions(num=5, depth=7)) == command


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (TlcOptions(check_deadlock=False), ["-deadlock"]),
        (TlcOptions(find="each"), []),
        (TlcOptions(coverage=True), ["-coverage", "60"]),
        (TlcOptions(mode="simulate"), ["-simulate"]),
        (TlcOptions(mode="generate", num=5), ["-generate", "num=5"]),
        (TlcOptions(mode="simulate", num=5), ["-simulate", "num=5"]),
        (TlcOptions(mode="simulate", depth=7), ["-simulate", "-depth", "7"]),
        (TlcOptions(mode="simulate", num=5, depth=7), ["-simulate", "num=5", "-depth", "7"]),
        (TlcOptions(graph=True), ["-dump", "dot,actionlabels", f"/run/1/{GRAPH}"]),
        (TlcOptions(mode="simulate", behaviours=True), ["-simulate", f"{WRITTEN},num={2**31 - 1}"]),
        (TlcOptions(mode="simulate", behaviours=True, num=5), ["-simulate", f"{WRITTEN},num=5"]),
        (TlcOptions(options=("-lncheck", "default")), ["-lncheck", "default"]),
    ],
)
def test_each_option_of_tlc_alone(options: TlcOptions, expected: list[str]) -> None:
    command = tlc(argv(options))
    # They are added to those without options; none may be removed.
    for argument in tlc(argv()):
        command.remove(argument)
    assert command == expected


@pytest.mark.parametrize(("name", "number"), [("workers", 4), ("fp", 3), ("seed", -9)])
def test_each_number_alone(name: str, number: int) -> None:
    command, plain = argv(TlcOptions(**{name: number})), argv()  # type: ignore[arg-type]
    flag, value = f"-{name}", str(number)
    assert command[command.index(flag) + 1] == value
    differing = [(a, b) for a, b in zip(command, plain, strict=True) if a != b]
    threads = [("-XX:ParallelGCThreads=4", "-XX:ParallelGCThreads=1")] if flag == "-workers" else []
    assert differing == [*threads, (value, plain[plain.index(flag) + 1])]


def test_options_come_last_so_that_they_win() -> None:
    command = argv(TlcOptions(options=("-workers", "8"), java_options=("-Xss64m",)))
    assert command[-3:] == ["-workers", "8", "Main.tla"]
    assert jvm(command)[-1] == "-Xss64m"
    assert "-Xss64m" not in command[command.index("-cp") :]
    # The flight recorder is there for who asks for it.
    off = "-Djfr.unsupported.vm=true"
    assert off in jvm(argv())
    recording = "-XX:StartFlightRecording=filename=x.jfr"
    asked = jvm(argv(replace(PLAIN, java_options=(recording,))))
    assert recording in asked
    assert off not in asked


@pytest.mark.parametrize("mebibytes", [128, 256, 512, 1024, 4096, 65536])
def test_the_heap_leaves_room_for_the_rest_of_the_jvm(mebibytes: int) -> None:
    memory = mebibytes * MIB
    heap = heap_bytes(memory)
    assert 48 * MIB <= heap < memory
    assert f"-Xmx{heap // MIB}m" in jvm(argv(limits=replace(LIMITS, memory_bytes=memory)))
    assert memory - heap >= memory // 5
    assert heap_bytes(2 * memory) > heap


def test_what_no_answer_depends_on_can_be_left_out() -> None:
    options = TlcOptions(java_options=("-XX:+UseSerialGC", "-Dmine=1"), options=("-lncheck", "default"))
    parts = (Path("java"), Path("tools.jar"), Path(), "Main", options, LIMITS)
    whole, short = build_argv(*parts), build_argv(*parts, tuned=False)
    assert short == (
        *("java", "-Xmx800m", "-Xss16m", "-Djava.io.tmpdir=tmp", "-Dfile.encoding=UTF-8"),
        *("-Dtlc2.value.Values.width=2147483647", "-XX:+UseSerialGC", "-Dmine=1"),
        *whole[whole.index("-cp") :],
    )
