"""RecordedMachine answers as a machine does."""

from pathlib import Path

import pytest

from accel.machine.live import LiveMachine
from accel.machine.protocol import Machine
from accel.machine.recorded import RecordedMachine
from accel.model.errors import BadInput

RECORD = """\
system: linux
environment: {TPU_VISIBLE_CHIPS: 0}
interpreter: {executable: /opt/py/bin/python, version: '3.11.4', paths: [/opt/py/lib], prefix: /opt/py}
commands:
  - {argv: [npu-smi, info], stdout_file: smi.txt}
  - {argv: [hangs], timed_out: true, stdout: "half"}
  - {argv: [fails], exit_code: 3, stderr: "no\\n"}
  - {argv: ["*", -c, "*", "8431"], stdout: "any"}
libraries: [libacme.so.1]
files: {/sys/devices/pci0/0000:00:04.0/vendor: "0x1ae0\\n"}
nodes: [/dev/acme0]
links:
  /sys/bus/pci/devices/0000:00:04.0: ../../../devices/pci0/0000:00:04.0
  /loop/a: b
  /loop/b: a
inaccessible: [/dev/acme0, /proc/7/fd]
filesystems: {/dev/shm: {total_bytes: 64, free_bytes: 32}}
seconds: 12.5
"""


@pytest.fixture
def machine(tmp_path: Path) -> RecordedMachine:
    (tmp_path / "machine.yaml").write_text(RECORD)
    (tmp_path / "smi.txt").write_text("a table")
    (tmp_path / "files/proc/7/fd").mkdir(parents=True)
    (tmp_path / "files/proc/7/comm").write_bytes(b"caf\xe9 server\n")
    return RecordedMachine(tmp_path)


def test_it_has_every_member_of_the_protocol(machine: RecordedMachine) -> None:
    members = [name for name in dir(Machine) if not name.startswith("_")] + ["environment", "system"]
    assert all(hasattr(machine, name) and hasattr(LiveMachine(), name) for name in members)


def test_files_come_from_the_folder_and_from_the_record(machine: RecordedMachine) -> None:
    assert machine.read("/proc/7/comm") == "caf\ufffd server\n"
    assert machine.read("/proc/7/comm", 3) == "caf"
    assert machine.list("/proc") == ("7",)
    assert machine.list("/dev") == ("acme0",)
    assert machine.read("/dev/acme0/../acme0x/../../sys/devices/pci0/0000:00:04.0/vendor") == "0x1ae0\n"


def test_links_are_followed_on_the_way_and_read_at_the_end(machine: RecordedMachine) -> None:
    assert machine.link("/sys/bus/pci/devices/0000:00:04.0") == "../../../devices/pci0/0000:00:04.0"
    assert machine.read("/sys/bus/pci/devices/0000:00:04.0/vendor") == "0x1ae0\n"
    assert machine.list("/sys/bus/pci/devices") == ("0000:00:04.0",)
    assert machine.list("/sys/bus/pci/devices/0000:00:04.0") == ("vendor",)
    assert machine.link("/proc/7/comm") is None


def test_a_loop_of_links_is_not_followed_for_ever(machine: RecordedMachine) -> None:
    with pytest.raises(OSError):
        machine.read("/loop/a/x")


def test_what_is_missing_or_closed_raises_as_on_a_machine(machine: RecordedMachine) -> None:
    assert machine.list("/nowhere") == ()
    assert not machine.exists("/nowhere")
    with pytest.raises(FileNotFoundError):
        machine.read("/nowhere")
    with pytest.raises(IsADirectoryError):
        machine.read("/proc/7")
    with pytest.raises(PermissionError):
        machine.list("/proc/7/fd")
    with pytest.raises(PermissionError):
        machine.read("/dev/acme0")
    assert machine.exists("/dev/acme0")
    assert not machine.accessible("/dev/acme0")
    assert machine.accessible("/proc/7/comm")


def test_commands_answer_hang_fail_or_are_missing(machine: RecordedMachine) -> None:
    assert machine.run(["/usr/local/bin/npu-smi", "info"], 1).stdout == "a table"
    hung = machine.run(["hangs"], 2.0)
    assert (hung.timed_out, hung.exit_code, hung.stdout, hung.seconds) == (True, None, "half", 2.0)
    assert machine.run(["fails"], 1).exit_code == 3
    assert machine.run(["npu-smi", "-v"], 1).missing


def test_the_rest_is_as_recorded(machine: RecordedMachine) -> None:
    assert machine.environment == {"TPU_VISIBLE_CHIPS": "0"}
    assert machine.finds_library("libacme.so.1")
    assert not machine.finds_library("libother.so")
    assert machine.library("libacme.so.1") is None
    assert machine.filesystem_bytes("/dev/shm") == (64, 32)
    assert machine.filesystem_bytes("/") is None
    assert machine.interpreter() == ("/opt/py/bin/python", "3.11.4", ("/opt/py/lib",), "/opt/py")
    assert machine.seconds() == machine.seconds() == 12.5


def test_a_mistake_in_the_record_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no recorded machine"):
        RecordedMachine(tmp_path)
    (tmp_path / "machine.yaml").write_text("enviroment: {}")
    with pytest.raises(BadInput, match="enviroment"):
        RecordedMachine(tmp_path)
    (tmp_path / "machine.yaml").write_text("files: [")
    with pytest.raises(BadInput, match="not YAML"):
        RecordedMachine(tmp_path)


def test_a_star_stands_for_any_one_word(machine: RecordedMachine) -> None:
    assert machine.run(["/usr/bin/python3", "-c", "print()", "8431"], 1).stdout == "any"
    assert machine.run(["python3", "-c", "print()", "8432"], 1).missing
    assert machine.run(["python3", "-c", "print()", "more", "8431"], 1).missing
