"""Devices of two machines in one text are listed apart, and what can only be of one machine refuses the text."""

import json
from pathlib import Path

import pytest

from accel.apps.cli import main

_ROW = "GPU {index}: NVIDIA H100 80GB HBM3 (UUID: GPU-{number:08d}-0000-1111-2222-333344445555)"


def _listing(first: int, count: int) -> str:
    return "\n".join(_ROW.format(index=index, number=first + index) for index in range(count))


@pytest.fixture
def two(tmp_path: Path) -> str:
    path = tmp_path / "two.txt"
    path.write_text(
        f"alice@gpu01:~$ nvidia-smi -L\n{_listing(0, 2)}\nalice@gpu02:~$ nvidia-smi -L\n{_listing(50, 1)}\n"
    )
    return str(path)


def test_each_machine_has_its_own_table(two: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--from", two]) == 0
    first, _, second = capsys.readouterr().out.partition("On gpu02")
    assert first.startswith("On gpu01")
    assert (first.count("nvidia:"), second.count("nvidia:")) == (2, 1)


def test_in_json_and_csv_each_device_says_where_it_is(two: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json", "--from", two]) == 0
    found = [(one["where"], one["id"]) for one in json.loads(capsys.readouterr().out)["devices"]]
    assert found == [("on gpu01", "nvidia:0"), ("on gpu01", "nvidia:1"), ("on gpu02", "nvidia:0")]
    assert main(["devices", "--query", "index,uuid", "--from", two]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "where,index,uuid"
    assert lines[3] == "on gpu02,0,GPU-00000050-0000-1111-2222-333344445555"


@pytest.mark.parametrize("command", ["pick", "ps", "topology"])
def test_what_is_of_one_machine_names_both(command: str, two: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--from", two]) == 2
    assert "on gpu01; on gpu02" in capsys.readouterr().err


def test_environments_of_one_machine_are_one_listing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text"
    path.write_text(
        f"$ nvidia-smi -L\n{_listing(0, 2)}\n$ conda activate good\n$ pip list | grep torch\ntorch 2.3.1+cu121\n"
        "$ conda activate bad\n$ pip list | grep torch\ntorch 2.3.1+cpu\n"
    )
    assert main(["devices", "--json", "--from", str(path)]) == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)["devices"]] == ["nvidia:0", "nvidia:1"]
