"""A file grows by whole pieces, whatever the disk does."""

import errno
import os
from pathlib import Path

import pytest

from accel.machine.growing import CannotWrite, GrowingFile


def test_pieces_are_appended_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"head\n")
    file = GrowingFile(str(path))
    file.append(b"one\n")
    assert path.read_bytes() == b"head\none\n"


def test_a_file_that_is_full_moves_on_and_the_oldest_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    file = GrowingFile(str(path), rotate_bytes=12, keep=2, head=lambda: b"head\n")
    for line in (b"head\n", b"1111\n", b"2222\n", b"3333\n", b"4444\n"):
        file.append(line)
    assert path.read_bytes() == b"head\n4444\n"
    assert (tmp_path / "a.csv.1").read_bytes() == b"head\n3333\n"
    assert (tmp_path / "a.csv.2").read_bytes() == b"head\n2222\n"
    assert not (tmp_path / "a.csv.3").exists()


def test_half_a_line_at_the_end_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"head\nwhole\nhal")
    file = GrowingFile(str(path))
    assert (file.cut_half_a_line(), path.read_bytes()) == (3, b"head\nwhole\n")
    assert file.cut_half_a_line() == 0
    path.write_bytes(b"no line at all")
    assert GrowingFile(str(path)).cut_half_a_line() == 14


def test_a_piece_that_does_not_fit_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    file = GrowingFile(str(path))
    file.append(b"whole line\n")
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:6])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(CannotWrite, match=r"the disk is full\. What was written before, 11 bytes, is intact"):
        file.append(b"half a line\n")
    assert path.read_bytes() == b"whole line\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is always full")
def test_a_device_that_is_full_is_said() -> None:
    with pytest.raises(CannotWrite, match="/dev/full: the disk is full"):
        GrowingFile("/dev/full").append(b"x\n")
