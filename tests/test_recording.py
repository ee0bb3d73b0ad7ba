"""Recording a machine: what is kept answers as the machine did, and names nobody."""

import os
import subprocess
from pathlib import Path

import pytest
import warm_accel
import yaml
from accel_amd.model import AmdDevice
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.apps.privacy.disguise import Disguise, same_form
from accel.kit.recording import RecordingMachine, expected_yaml, machine_yaml
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.plugins.registry import Registry
from accel.vendors.contract.backend import Request

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(
    path.parent for top in ("plugins", "tests") for path in (ROOT / top).glob("**/machines/**/machine.yaml")
)


def kept(machine: RecordingMachine, folder: Path) -> RecordedMachine:
    """Write what was kept, as the command does."""
    commands = [
        {
            "argv": list(done.argv),
            "stdout": done.stdout,
            "stderr": done.stderr,
            **({"timed_out": True} if done.timed_out else {"exit_code": done.exit_code}),
        }
        for done in machine.commands
    ]
    document = {**machine.document(lambda text: text), "commands": commands}
    (folder / "machine.yaml").write_text(machine_yaml(document), encoding="utf-8")
    return RecordedMachine(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_recording_answers_every_backend_as_the_machine_did(folder: Path, tmp_path: Path) -> None:
    registry = Registry({})
    first = RecordingMachine(RecordedMachine(folder))
    backends = [backend for backend in registry.backends_on(RecordedMachine(folder)) if backend.detect(first)]
    before = [backend.probe(first, Request(depth="health")) for backend in backends]
    again = kept(first, tmp_path)
    assert all(backend.detect(again) for backend in backends)
    after = [backend.probe(again, Request(depth="health")) for backend in backends]
    assert [[r.devices for r in reports] for reports in after] == [[r.devices for r in reports] for reports in before]
    assert [[r.status for r in reports] for reports in after] == [[r.status for r in reports] for reports in before]


def board(**facts: object) -> Device:
    given = {"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "npu", **facts}
    return Device(**given)  # type: ignore[arg-type]


def test_what_identifies_a_board_keeps_its_form_and_its_sameness() -> None:
    disguise = Disguise([board(uuid="GPU-2b1077aa0f0f1122", serial="1652323001000")], ["train-07"], ["wanjiru"], "salt")
    text = disguise.of(
        "GPU-2b1077aa0f0f1122 2B1077AA0F0F1122 sn 1652323001000 on train-07 by wanjiru, driver 550.54.15"
    )
    first, second, _, serial, *rest = text.split()
    assert first.startswith("GPU-")
    assert first != "GPU-2b1077aa0f0f1122"
    assert second == first.removeprefix("GPU-").upper()
    assert len(serial) == 13
    assert serial.isdigit()
    assert " ".join(rest) == "on host by user, driver 550.54.15"


def test_a_number_that_identifies_is_replaced_in_both_its_writings() -> None:
    gpu = AmdDevice(id="amd:0", index=0, backend="amd", vendor="AMD", kind="gpu", unique_id=0x2B1077AA0F0F1122)
    number, written = Disguise([gpu], [], [], "salt").of(f"{gpu.unique_id} 0x{gpu.unique_id:x}").split()
    assert int(written, 16) == int(number) != gpu.unique_id


def test_tokens_mail_and_hardware_addresses_are_cut_out() -> None:
    text = Disguise([], [], [], "salt").of(
        "HF_TOKEN=hf_mN4bV7cX1zL9kJ3hG6fDsA jane@example.org 9c:7b:ef:12:34:56 0000:3b:00.0"
    )
    assert "hf_mN4" not in text
    assert "jane" not in text
    assert "9c:7b" not in text
    assert text.endswith("0000:3b:00.0")


@settings(max_examples=60, deadline=None)
@given(st.from_regex(r"[0-9A-Za-z]{6,40}", fullmatch=True))
def test_the_form_of_any_run_stays(run: str) -> None:
    made = same_form(run, "salt")
    assert [c.isdigit() for c in made] == [c.isdigit() for c in run]
    assert [c.isupper() for c in made] == [c.isupper() for c in run]
    assert made == same_form(run, "salt")


def accel(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return warm_accel.run("plugins", *words, environment={**os.environ, **variables})


def test_the_command_writes_a_machine_that_the_plugin_reads_again(tmp_path: Path) -> None:
    folder = tmp_path / "machines" / "here"
    done = accel("record", "cpu", str(folder), HUGGING_FACE_HUB_TOKEN="hf_mN4bV7cX1zL9kJ3hG6fDsA")
    assert done.returncode == 0, done.stderr
    assert "accel plugins check cpu" in done.stdout
    (device,) = yaml.safe_load((folder / "expected.yaml").read_text())["devices"]
    assert device["id"] == "cpu:0"
    written = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert "hf_mN4" not in written
    assert "HUGGING_FACE" not in written


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nvida", "x"), "Named are: nvidia"),
        (("cpu", "{here}"), "is there already"),
        (("cpu", "/proc/nowhere/x"), "Name a folder to write to"),
        (("cpu",), "FOLDER"),
    ],
)
def test_what_cannot_be_recorded_is_said(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = accel("record", *(word.format(here=tmp_path) for word in words))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout == ""


def test_the_expected_facts_are_a_line_a_device() -> None:
    text = expected_yaml({"devices": [{"id": "acme:0", "name": "X1"}], "driver": {"version": "2.4"}, "findings": []})
    assert "  - {id: 'acme:0', name: X1}\n" in text
    assert yaml.safe_load(text) == {
        "devices": [{"id": "acme:0", "name": "X1"}],
        "driver": {"version": "2.4"},
        "findings": [],
    }
