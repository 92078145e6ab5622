"""Evidence in one file: written, verified in another folder, refused where it was changed or is hostile."""

from __future__ import annotations

import getpass
import hashlib
import json
import shutil
import socket
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import command
from tests.command import CommandResult
from tests.conftest import SPECS
from tests.raising import raises
from tla2py.errors import StoreError
from tla2py.gate.evidence import _sealed, read_pack


@pytest.fixture(scope="module")
def lamp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and two packs of it, with and without the environment's values."""
    folder = tmp_path_factory.mktemp("lamp")
    for name in ("Lamp.tla", "lamp.toml"):
        shutil.copy(SPECS / "gate" / name, folder)
    command.run("sweep", "lamp.toml", "-o", "store", "--executor", "local", cwd=folder, code=1)
    for name, more in (("pack.zip", ("--with-environment",)), ("bare.zip", ())):
        packed = command.run("evidence", "store", "-o", name, *more, cwd=folder, code=0)
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() in packed.stdout
    return folder


def verify(pack: Path, code: int) -> CommandResult:
    return command.run("evidence", "verify", pack, "--json", cwd=pack.parent, code=code)


def test_a_pack_verifies_in_another_folder(lamp: Path, tmp_path: Path) -> None:
    found = verify(Path(shutil.copy(lamp / "pack.zip", tmp_path / "other.zip")), 0).json
    assert found["points"] == 3
    told = sorted((each["point"], each["status"]) for each in found["repeated"])
    assert told == [(1, "same"), (2, "same"), (3, "same")]
    some = command.run("evidence", "verify", "other.zip", "--sample", "1", cwd=tmp_path)
    assert (some.code, some.stdout.splitlines()[-1]) == (0, "1 of 3 points repeated: 1 the same")
    # Hidden values are not made up.
    found = verify(lamp / "bare.zip", 2).json
    assert {each["status"] for each in found["repeated"]} == {"unrepeatable"}
    assert all("--with-environment" in each["text"] for each in found["repeated"])


def test_it_says_what_an_auditor_asks_and_no_place_user_host_or_secret(lamp: Path) -> None:
    pack = read_pack(lamp / "pack.zip")
    facts = pack.facts
    verdicts = [(each.parameters["Max"], each.row.verdict.value) for each in facts.points]
    assert verdicts == [("2", "violated"), ("3", "violated"), ("4", "holds")]
    assert facts.points[2].row.collision_optimistic is not None
    assert all(each.row.jar_sha256 in facts.jars for each in facts.points)
    record = json.loads(pack.files[f"runs/{facts.points[0].row.run_id}.json"])
    assert (record["options"]["workers"], record["options"]["fp"], record["options"]["seed"]) == (1, 0, 0)
    assert record["executions"][0]["wall_seconds"] > 0
    assert "INVARIANT" in record["executions"][0]["config_text"]
    assert (lamp / "Lamp.tla").read_bytes() in pack.files.values()
    assert facts.machine["cores"]
    texts = {name: data.decode() for name, data in read_pack(lamp / "bare.zip").files.items()}
    with zipfile.ZipFile(lamp / "bare.zip") as archive:
        texts["evidence.json"] = archive.read("evidence.json").decode()
    home, host = Path.home(), socket.gethostname()
    for name, text in texts.items():
        for secret in (str(lamp), str(home), "/tmp", "/home", "/usr", host, "swordfish", "hushhush"):
            assert secret not in text, (name, secret)
        assert f'"{getpass.getuser()}"' not in text
    assert b"swordfish" in b"".join(read_pack(lamp / "pack.zip").files.values())


def test_each_changed_byte_is_refused(lamp: Path, tmp_path: Path) -> None:
    data = (lamp / "pack.zip").read_bytes()
    changed = tmp_path / "changed.zip"
    for place in (0, 10, len(data) // 2, len(data) - 80, len(data) - 66, len(data) - 1):
        changed.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert raises(StoreError, read_pack, changed).code == "pack-damaged"
    verify(changed, 2)
    changed.write_bytes(data[:-1])
    verify(changed, 2)


def hostile(lamp: Path, pack: Path, more: Mapping[str, bytes]) -> Path:
    """The pack with other entries, sealed by somebody who knows how."""
    with zipfile.ZipFile(lamp / "pack.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    pack.write_bytes(_sealed(files | dict(more)))
    return pack


def test_names_that_climb_out_and_links_and_bombs_are_refused(lamp: Path, tmp_path: Path) -> None:
    climbing = "../out.tla /etc/passwd sources/../../x.tla runs/a/b.json jars/x.jar sources/"
    for name in climbing.split():
        with pytest.raises(StoreError, match="it has an entry"):
            read_pack(hostile(lamp, tmp_path / "p.zip", {name: b"x"}))
        assert [each.name for each in tmp_path.iterdir()] == ["p.zip"]
    link = zipfile.ZipInfo("inputs/" + "0" * 64)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    bomb = zipfile.ZipInfo("inputs/" + "1" * 64)
    for number, (info, size) in enumerate(((link, 1), (bomb, (2 << 30) + 1))):
        path = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open(info, "w", force_zip64=True) as sink:
                for _ in range(size >> 20):
                    sink.write(bytes(1 << 20))
                sink.write(b"x" * (size % (1 << 20)))
            archive.comment = b"0" * 64
        data = path.read_bytes()[:-64]
        path.write_bytes(data + hashlib.sha256(data).hexdigest().encode())
        assert raises(StoreError, read_pack, path).code == "pack-damaged"


# What a row may say, and what its run says.
FORGED: list[tuple[str, object, str]] = [
    ("verdict", "violated", "verdict violated, now holds"),
    ("outcome", "violation_safety", "outcome violation_safety, now success"),
    ("exit_code", 12, "exit_code 12, now 0"),
    ("checked", ["deadlock"], "checked deadlock, now "),
    ("held", [], "held nothing, now "),
    ("trace_length", 7, "trace_length 7, now unknown"),
    ("tlc_version", "2.14", "tlc_version 2.14, now "),
    ("queue", 1, "queue 1, now 0"),
    ("memory_bytes", 1, "memory_bytes 1, now "),
]


def test_other_parameters_and_removed_points_are_found(lamp: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(lamp / "pack.zip") as archive:
        facts = json.loads(archive.read("evidence.json"))
    first, second, third = facts["points"]

    def forged(**changes: object) -> Path:
        entries = {"evidence.json": json.dumps({**facts, **changes}).encode()}
        return hostile(lamp, tmp_path / "f.zip", entries)

    other = {**third, "parameters": {**third["parameters"], "Max": "5"}}
    [text] = [
        each["text"]
        for each in verify(forged(points=[first, second, other]), 1).json["repeated"]
        if each["text"]
    ]
    assert "Max = 5" in text
    assert "in the sweep" in text
    assert "Max is 5, and the run had 4" in text
    # A point removed, at the end too, and all of them.
    for points, removed in (([first, third], [2]), ([first, second], [3])):
        found = verify(forged(points=points), 1).json
        assert (found["missing"], len(found["repeated"])) == (removed, 2)
    shown = command.run("evidence", "verify", forged(points=[first, second]), cwd=tmp_path, code=1).stdout
    assert "missing: the pack has no entry for 1 point of its sweep: 3" in shown
    assert "left over: 1 run in the pack belongs to no point" in shown
    # One that had no result is no forgery, but it is named.
    [without] = [{**facts, "points": [first, second], "missing": [3]}]
    entries = {
        name: data
        for name, data in read_pack(lamp / "pack.zip").files.items()
        if third["row"]["run_id"] not in name
    }
    pack = tmp_path / "w.zip"
    pack.write_bytes(_sealed({**entries, "evidence.json": json.dumps(without).encode()}))
    shown = command.run("evidence", "verify", pack, cwd=tmp_path, code=0).stdout
    assert "without a result when it was packed: 1 point: 3" in shown
    assert "2 of 2 points repeated: 2 the same" in shown
    # Nothing repeated is no confirmation.
    empty = {**facts, "points": [], "grid": [], "missing": []}
    pack.write_bytes(_sealed({"evidence.json": json.dumps(empty).encode()}))
    assert command.run("evidence", "verify", pack, cwd=tmp_path, code=3).stdout.endswith(
        "0 of 0 points repeated: 0 the same\n"
    )


def test_another_text_or_answer_in_a_sealed_pack_is_found(lamp: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(lamp / "pack.zip") as archive:
        texts = [name for name in archive.namelist() if name.startswith("sources/")]
        facts = json.loads(archive.read("evidence.json"))
        run = next(name for name in archive.namelist() if name.startswith("runs/"))
        record = json.loads(archive.read(run))
    with pytest.raises(StoreError, match="another digest"):
        read_pack(hostile(lamp, tmp_path / "p.zip", {texts[0]: b"---- MODULE Lamp ----\n===="}))
    facts["points"][2]["row"]["distinct"] += 1
    pack = hostile(lamp, tmp_path / "q.zip", {"evidence.json": json.dumps(facts).encode()})
    differ = [each["text"] for each in verify(pack, 1).json["repeated"] if each["status"] == "differs"]
    assert differ == ["distinct 6, now 5"]
    facts["points"][2]["row"]["distinct"] -= 1
    forged = {**facts["points"][2]["row"], **{key: value for key, value, _ in FORGED}}
    points = [*facts["points"][:2], {**facts["points"][2], "row": forged}]
    entries = {"evidence.json": json.dumps({**facts, "points": points}).encode()}
    repeated = verify(hostile(lamp, tmp_path / "q.zip", entries), 1).json["repeated"]
    found = {each["point"]: (each["status"], each["text"]) for each in repeated}
    assert (found[3][0], found[1][0]) == ("differs", "same")
    for key, _, told in FORGED:
        assert told in found[3][1], key
    options = {**record["options"], "java_options": ["-agentpath:/tmp/evil.so"]}
    for key, value, told in (
        ("options", options, "it ran with trust: -agentpath"),
        ("jar_sha256", "0" * 64, "no jar here has the sha256 000000000000"),
    ):
        pack = hostile(lamp, tmp_path / "r.zip", {run: json.dumps({**record, key: value}).encode()})
        assert any(told in each["text"] for each in verify(pack, 2).json["repeated"]), key
    for key, wrong in (("executions", []), ("main", "../../Out"), ("modules", [["../x.tla", "0" * 64]])):
        pack = hostile(lamp, tmp_path / "t.zip", {run: json.dumps({**record, key: wrong}).encode()})
        assert verify(pack, 2).error.code == "pack-damaged", key
