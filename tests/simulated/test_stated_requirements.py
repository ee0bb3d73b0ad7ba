"""accel.require(file=…) and  accel require : what files and options ask for, on simulated machines."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import accel
import accel.testing
from accel.apps.cli import main
from accel.specs.store import parse

CASES: dict[str, Any] = parse(str(Path(__file__).parent / "requirements.yaml"))


def written(case: dict[str, Any], folder: Path) -> Path:
    name, text = ("pyproject.toml", case["toml"]) if "toml" in case else ("accel.yaml", case["yaml"])
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_met_or_says_why_not(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    file = written(case, tmp_path)
    with accel.testing.machine(case["machine"]):
        if "met" in case:
            assert len(accel.require(file=file)) == case["met"]
        elif "refused" in case:
            with pytest.raises(accel.BadInput, match=case["refused"]):
                accel.require(file=file)
        else:
            with pytest.raises(accel.RequirementUnmet) as unmet:
                accel.require(file=tmp_path)  # the folder with the file
            assert [words for words in case["unmet"] if words not in str(unmet.value)] == []
            assert unmet.value.diagnosis is not None


def test_keywords_go_before_the_file(tmp_path: Path) -> None:
    file = written({"yaml": "vendor: amd\ncount: 8\nmemory: 16GiB\n"}, tmp_path)
    with accel.testing.machine("4xA100-pcie"):
        assert len(accel.require(file=file, vendor="nvidia", count=4)) == 4
        assert accel.require(memory_bytes=2**30, compute_capability="8.0") == accel.accelerators()
        with pytest.raises(accel.BadInput, match="same meaning"):
            accel.require(memory="1GiB", memory_bytes=2**30)


def test_a_lost_device_is_told_with_the_fault_and_its_remedy() -> None:
    with accel.testing.machine("8xH100") as m:
        m.lose("nvidia:3")
        with pytest.raises(accel.RequirementUnmet) as unmet:
            accel.require(count=8)
    assert unmet.value.reasons == {
        "nvidia:3": "its health is critical",
        "count": "7 of the 8 accelerators here will do, 8 needed",
    }
    lines = str(unmet.value).splitlines()
    place = lines.index("What is broken first:")
    assert lines[place + 1].startswith("  NV020 A GPU is lost")
    assert len(lines) == place + 4  # the fault, its first remedy, and where to read more


@pytest.mark.parametrize(
    ("machine", "words", "code", "printed"),
    [
        ("8xH100", ("--vendor", "nvidia", "--count", "2", "--memory", "16GiB", "--dtype", "bf16"), 0, "nvidia:7"),
        ("8xH100", ("--links", "nvlink", "--count", "8"), 0, "Met by nvidia:0"),
        ("2x4090", ("--vendor", "amd", "--vendor", "nvidia", "--capability", "8.9"), 0, "nvidia:1"),
        ("2x4090", ("--memory", "40GiB"), 1, "nvidia:0: it has 24.0 GiB, 40.0 needed"),
        ("2x4090", ("--framework", "torch>=2.4:cu12*"), 1, "torch is not installed"),
        ("2x4090", ("--memory", "lots"), 2, ""),
    ],
)
def test_the_command_says_it_with_its_exit_code(
    machine: str, words: tuple[str, ...], code: int, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with accel.testing.machine(machine):
        assert main(["require", *words]) == code
    assert printed in capsys.readouterr().out


def test_the_command_reads_the_file_of_the_folder_and_writes_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with accel.testing.machine("cpu-only"):
        assert main(["require"]) == 2
    written({"toml": "[tool.accel]\nvendor = 'nvidia'\n"}, tmp_path)
    with accel.testing.machine("cpu-only"):
        assert main(["require", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["met"], answer["devices"]) == ("accel.require/1", False, [])
    assert answer["reasons"] == {"count": "0 of the 0 accelerators here will do, 1 needed"}
    with accel.testing.machine("2x4090"):
        assert main(["require", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["devices"] == ["nvidia:0", "nvidia:1"]


def test_without_a_reader_of_toml_the_other_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tomllib", "tomli"):
        monkeypatch.setitem(sys.modules, module, None)
    file = written({"toml": "[tool.accel]\nkind = 'gpu'\n"}, tmp_path)
    with pytest.raises(accel.BadInput, match=r"accel\.yaml"):
        accel.require(file=file)
