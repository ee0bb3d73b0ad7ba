"""What is taken is nobody else's, for as long as who took it lives, and no longer."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from accel.machine.live import LiveMachine
from accel.machine.shared_folder import SharedFolder, Unusable
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.watch.choose.leases import Leases, lease_key

pytestmark = pytest.mark.skipif(os.name != "posix", reason="leases are of POSIX systems")
TWO = [
    Device(
        id=f"acme:{n}", index=n, backend="acme", vendor="Acme", kind="npu", uuid=f"U-{n}", pci_address=f"0000:0{n}:00.0"
    )
    for n in range(2)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "leases"


def files(folder: Path) -> list[Path]:
    """What all users have left."""
    return list(folder.glob("*/*"))


def leases(folder: Path) -> Leases:
    return Leases(LiveMachine({"ACCEL_LEASES": str(folder)}))


HOLD = """
import sys
from accel.watch.choose.leases import Leases
from accel.machine.live import LiveMachine
from accel.model.device import Device
one = Device(id="acme:1", index=1, backend="acme", vendor="Acme", kind="npu", uuid="U-1")
leases = Leases(LiveMachine({"ACCEL_LEASES": sys.argv[1]}))
with leases.turn():
    lease = leases.take([one], [one], "python")
print("taken", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(folder: Path) -> "Iterator[subprocess.Popen[str]]":
    """Another process that has taken acme:1."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "taken\n"
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def test_what_is_taken_is_said_with_who_took_it_until_it_is_released(folder: Path) -> None:
    mine = leases(folder)
    with mine.turn():
        assert mine.taken(TWO) == {}
        lease = mine.take(TWO[1:], TWO, "python")
    others = leases(folder)
    said = others.taken(TWO)
    assert list(said) == ["acme:1"]
    assert f"taken by accel for python, pid {os.getpid()} of " in said["acme:1"]
    assert lease is not None
    lease.release()
    assert others.taken(TWO) == {}
    assert files(folder) == []


def test_a_lease_ends_with_its_process_however_that_ends_and_leaves_nothing(folder: Path) -> None:
    for end in (signal.SIGKILL, signal.SIGTERM):
        with holder(folder) as child:
            mine = leases(folder)
            assert list(mine.taken(TWO)) == ["acme:1"]
            child.send_signal(end)
            child.wait()
            assert mine.taken(TWO) == {}
            assert files(folder) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="states are read from /proc")
def test_a_process_that_has_ended_and_was_not_waited_for_has_lost_its_lease(folder: Path) -> None:
    with holder(folder) as child:
        mine = leases(folder)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        assert mine.taken(TWO) == {}
        assert files(folder) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="states are read from /proc")
def test_a_process_whose_first_thread_alone_has_ended_keeps_its_lease(folder: Path) -> None:
    code = f"""{HOLD[: HOLD.index("print(")]}
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
os.closerange(3, 100)
print("taken", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""
    child = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "taken\n"
        state = Path(f"/proc/{child.pid}/stat")
        while state.read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        assert list(leases(folder).taken(TWO)) == ["acme:1"]
    finally:
        child.kill()
        child.communicate()


def written(folder: Path, **told: Any) -> Path:
    """Leave a lease that no process keeps locked."""
    shared = SharedFolder(str(folder))
    name, descriptor = shared.leave("")
    os.close(descriptor)
    shared.close()
    file = next(folder.glob(f"*/{name}"))
    file.write_text(json.dumps({"schema": "accel.lease/1", "devices": ["acme:U-1"], **told}))
    return file


def own_lease(folder: Path) -> dict[str, Any]:
    mine = leases(folder)
    lease = mine.take(TWO[1:], TWO, "python")
    told: dict[str, Any] = json.loads(files(folder)[0].read_text())
    assert lease is not None
    lease.release()
    return told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="start times are read from /proc")
def test_a_process_that_has_closed_its_files_keeps_its_lease_and_another_of_its_number_does_not(folder: Path) -> None:
    told = own_lease(folder)
    file = written(folder, **told)
    assert list(leases(folder).taken(TWO)) == ["acme:1"]
    file.unlink()
    for changed in (
        {"started": told["started"] - 1},
        {"boot": "another"},
        {"pid": 2**22 + 1},
        {"namespace": "pid:[1]"},
    ):
        file = written(folder, **{**told, **changed})
        assert leases(folder).taken(TWO) == {}
        assert not file.exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "\x00" * 900, '{"schema": "accel.lease/1"}', '{"schema": "accel.lease/2", "devices": []}'],
)
def test_what_is_no_lease_is_left_where_it_is_and_takes_nothing(folder: Path, text: str) -> None:
    file = written(folder)
    file.write_text(text)
    assert leases(folder).taken(TWO) == {}
    assert file.exists()


def test_hostile_leases_take_no_more_than_they_name(folder: Path) -> None:
    inside = written(
        folder, devices=["acme:U-1", 7, None, {"a": 1}], pid="x", started=[], boot={}, command=["rm"]
    ).parent
    os.mkfifo(inside / f"{1:016x}.json")
    (inside / f"{2:016x}.json").symlink_to("/etc/passwd")
    (inside / f"{3:016x}.json").mkdir()
    (inside / f"{4:016x}.json").write_text("[" * 100_000)
    (folder / f"accel-{5:016x}").symlink_to(inside)
    (folder / f"accel-{6:016x}").write_text("")
    assert leases(folder).taken(TWO) == {}


def test_everybody_may_add_leases_and_nobody_take_away_those_of_others(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        mine = leases(folder)
        mine.take(TWO[1:], TWO, "python")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o1777
    (mine_alone,) = folder.iterdir()
    assert stat.S_IMODE(mine_alone.stat().st_mode) == 0o755
    assert stat.S_IMODE(files(folder)[0].stat().st_mode) == 0o644


def test_a_folder_that_cannot_be_used_is_said_and_nothing_is_taken(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    for place, words in (("file", "Not a directory"), ("link", "link"), ("open", "1777"), ("no/where", "No such file")):
        mine = leases(tmp_path / place)
        with mine.turn():
            assert mine.taken(TWO) == {}
            assert mine.take(TWO, TWO, "python") is None
        assert words in (mine.trouble or ""), place


def test_a_folder_that_another_keeps_locked_is_not_waited_for_without_end(folder: Path) -> None:
    kept, mine = SharedFolder(str(folder)), SharedFolder(str(folder))
    with kept.turn(0.0), pytest.raises(Unusable, match="fuser -v"), mine.turn(0.02):
        pass


def test_who_cannot_choose_alone_takes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accel.watch.choose.leases._PATIENCE_SECONDS", 0.02)
    mine = leases(folder)
    with (
        SharedFolder(str(folder)).turn(0.0),
        pytest.raises(BadInput, match=r"No device is reserved.*fuser -v"),
        mine.turn(),
    ):
        pass


def test_where_the_disk_is_full_no_device_is_taken_unseen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = leases(folder)
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)
    with pytest.raises(BadInput, match="No space left"):
        mine.take(TWO, TWO, "python")
    assert files(folder) == []


def test_junk_by_the_thousand_hides_no_lease(folder: Path) -> None:
    with holder(folder):
        (own,) = folder.iterdir()
        for number in range(5000):
            (folder / f"{number}-0.json").write_text("{}")
            (own / f"0{number}.txt").write_text("")
        for number in range(200):
            (folder / f"0{number}").mkdir()
        assert list(leases(folder).taken(TWO)) == ["acme:1"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder to another user")
def test_other_users_can_neither_hide_nor_speak_for_somebody(folder: Path) -> None:
    with holder(folder):
        for number in range(100):  # names that sort before every other
            other = folder / f"accel-{number:016x}"
            other.mkdir()
            os.chown(other, 4711, 4711)
        forged = folder / f"accel-{99:016x}" / f"{1:016x}.json"
        forged.write_text(
            json.dumps({"schema": "accel.lease/1", "devices": ["acme:U-0"]})
        )  # root's, in a folder of 4711
        assert list(leases(folder).taken(TWO)) == ["acme:1"]
    os.chown(folder, 4711, 4711)
    assert "user 4711 owns it" in (leases(folder).trouble or "")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder to another user")
def test_what_another_user_has_taken_is_said_with_that_user(folder: Path) -> None:
    with holder(folder) as child:
        (own,) = folder.iterdir()
        for path in (own, *own.iterdir()):
            os.chown(path, 4711, 4711)
        said = leases(folder).taken(TWO)
        assert said["acme:1"].endswith(f"pid {child.pid} of 4711")


def test_a_device_is_known_by_what_no_other_shares() -> None:
    parts = [
        Device(id=f"amd:{n}", index=n, backend="amd", vendor="AMD", kind="gpu", uuid="GPU-1", pci_address=address)
        for n, address in enumerate(("0000:01:00.0", "0000:01:00.1", None))
    ]
    assert [lease_key(one, parts) for one in parts] == ["amd:0000:01:00.0", "amd:0000:01:00.1", "amd:2"]
    assert lease_key(TWO[0], TWO) == "acme:U-0"
