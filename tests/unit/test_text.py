from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.errors import InputError
from tla2py.text import listed, parameter_text, parse_duration, parse_memory, spans, value_shown

MIB = 1024**2


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (90, 90),
        ("90", 90),
        ("90s", 90),
        ("2m", 120),
        ("1.5m", 90),
        ("1h30m", 5400),
        ("1h 30m 1s", 5401),
        ("500ms", 0.5),
        ("1d", 86400),
        (" 3 s ", 3),
    ],
)
def test_durations(written: str | int, seconds: float) -> None:
    assert parse_duration(written) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "written", ["", "m", "2 weeks", "-5s", "5s!", "1h-30m", "2M", "0", 0, "0s", -1, "1e3", "inf", "nan"]
)
def test_no_durations(written: str | int) -> None:
    with pytest.raises(InputError) as raised:
        parse_duration(written, "here:3:1")
    assert raised.value.code == "duration"
    assert raised.value.where == "here:3:1"


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_parts_of_a_duration_add_up(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == hours * 3600 + minutes * 60 + seconds


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("128MiB", 128 * MIB),
        ("1GiB", 1024 * MIB),
        ("1gib", 1024 * MIB),
        ("2g", 2048 * MIB),
        ("1.5 GB", 1536 * MIB),
        ("1t", 1024 * 1024 * MIB),
        (f"{200 * 1024}k", 200 * MIB),
        (200 * MIB, 200 * MIB),
        (f"{200 * MIB}b", 200 * MIB),
    ],
)
def test_amounts_of_memory(written: str | int, size: int) -> None:
    assert parse_memory(written) == size


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "not an amount"),
        ("lots", "not an amount"),
        ("1XB", "not an amount"),
        ("-1GiB", "not an amount"),
        ("1 GiB more", "not an amount"),
        ("9" * 400, "not an amount"),
        ("127MiB", "less than a JVM needs"),
        (0, "less than a JVM needs"),
        ("1", "less than a JVM needs"),
    ],
)
def test_no_amounts_of_memory(written: str | int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as raised:
        parse_memory(written, "here:4:1")
    assert raised.value.code == "memory"
    assert raised.value.where == "here:4:1"


def test_parameters_are_named_with_their_values() -> None:
    assert parameter_text({"N": "1", "Procs": "{p1, p2}"}) == "N = 1, Procs = {p1, p2}"


def test_what_is_left_out_is_not_shown_as_nothing() -> None:
    assert parameter_text({"N": "1", "symmetry": ""}) == "N = 1, symmetry = (none)"
    assert value_shown("") == "(none)"


def test_without_parameters_there_is_the_model() -> None:
    assert parameter_text({}) == "the model"


def test_a_list_is_cut_and_says_how_much_is_left() -> None:
    assert listed([], 2) == ""
    assert listed(["a", 2], 2) == "a, 2"
    assert listed(range(5), 3) == "0, 1, 2 and 2 more"


def test_consecutive_numbers_are_spans() -> None:
    assert spans([7, 2, 1, 3]) == [(1, 3), (7, 7)]
    assert spans([]) == []
