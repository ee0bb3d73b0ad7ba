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
    assert list(folder.iterdir()) == []


def test_a_lease_ends_with_its_process_however_that_ends_and_leaves_nothing(folder: Path) -> None:
    for end in (signal.SIGKILL, signal.SIGTERM):
        with holder(folder) as child:
            mine = leases(folder)
            assert list(mine.taken(TWO)) == ["acme:1"]
            child.send_signal(end)
            child.wait()
            assert mine.taken(TWO) == {}
            assert list(folder.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="states are read from /proc")
def test_a_process_that_has_ended_and_was_not_waited_for_has_lost_its_lease(folder: Path) -> None:
    with holder(folder) as child:
        mine = leases(folder)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        assert mine.taken(TWO) == {}
        assert list(folder.iterdir()) == []


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
    SharedFolder(str(folder)).close()
    file = folder / "9-0.json"
    file.write_text(json.dumps({"schema": "accel.lease/1", "devices": ["acme:U-1"], **told}))
    return file


def own_lease(folder: Path) -> dict[str, Any]:
    mine = leases(folder)
    lease = mine.take(TWO[1:], TWO, "python")
    told: dict[str, Any] = json.loads(next(folder.iterdir()).read_text())
    assert lease is not None
    lease.release()
    return told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="start times are read from /proc")
def test_a_process_that_has_closed_its_files_keeps_its_lease_and_another_of_its_number_does_not(folder: Path) -> None:
    told = own_lease(folder)
    file = written(folder, **told)
    assert list(leases(folder).taken(TWO)) == ["acme:1"]
    for changed in (
        {"started": told["started"] - 1},
        {"boot": "another"},
        {"pid": 2**22 + 1},
        {"namespace": "pid:[1]"},
    ):
        written(folder, **{**told, **changed})
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
    written(folder, devices=["acme:U-1", 7, None, {"a": 1}], pid="x", started=[], boot={}, command=["rm"])
    (folder / "pipe").unlink(missing_ok=True)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "folder").mkdir()
    (folder / "long").write_text("[" * 100_000)
    assert leases(folder).taken(TWO) == {}


def test_everybody_may_add_leases_and_nobody_take_away_those_of_others(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        mine = leases(folder)
        mine.take(TWO[1:], TWO, "python")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o1777
    assert stat.S_IMODE(next(folder.iterdir()).stat().st_mode) == 0o644


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


def test_a_device_is_known_by_what_no_other_shares() -> None:
    parts = [
        Device(id=f"amd:{n}", index=n, backend="amd", vendor="AMD", kind="gpu", uuid="GPU-1", pci_address=address)
        for n, address in enumerate(("0000:01:00.0", "0000:01:00.1", None))
    ]
    assert [lease_key(one, parts) for one in parts] == ["amd:0000:01:00.0", "amd:0000:01:00.1", "amd:2"]
    assert lease_key(TWO[0], TWO) == "acme:U-0"
