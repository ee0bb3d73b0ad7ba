"""Whole runs on recorded machines: what `accel doctor` says of each, and what a saved snapshot of it keeps."""

import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from accel.apps.privacy.redact import redacted
from accel.apps.render.diagnosis_words import outcome
from accel.apps.render.json import devices_json
from accel.apps.render.report.build import report
from accel.apps.render.report.document import Document
from accel.apps.render.report.given import Given
from accel.apps.render.report.html import html
from accel.apps.render.report.markdown import markdown
from accel.collect import live as gather
from accel.collect.live import device_types
from accel.diagnose.engine import diagnose
from accel.facts.questions import Facts
from accel.machine.recorded import RecordedMachine
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.diagnosis import Diagnosis
from accel.model.merge import merged_devices
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

MACHINES = Path(__file__).parent / "machines"
NAMES = sorted(path.name for path in MACHINES.iterdir() if path.is_dir())
UPDATE = os.environ.get("ACCEL_UPDATE_GOLDEN") == "1"

FINDINGS = {  # the machine: all that the doctor finds there, in its order
    "ascend-910b-healthy": [],
    "ascend-driver-not-loaded": ["npu-driver-not-loaded"],
    "container-without-gpu": ["container-without-gpu", "no-accelerator"],
    "hgx-worn-wiring": [
        *("network-port-down", "pcie-port-narrow", "acs-on-peer-path", "gpudirect-rdma-off"),
        "card-on-other-numa-node",
        "driver-branch-ended",
    ],
    "laptop-without-accelerator": ["no-accelerator"],
    "mi300x-mesh": [],
    "nouveau-bound-gpu": ["driver-not-loaded"],
    "nvidia-smi-only": ["nvml-library-not-found", "driver-branch-ended"],
    "tpu-v5e": [],
    "ubuntu-nvidia-driver-not-loaded": ["driver-not-loaded"],
    "ubuntu-torch-cpu-build": ["torch-cpu-build-on-gpu-machine", "driver-branch-ended"],
    "wsl2": [],
}
PRIVATE = {  # the machine: what of its owner is planted in it and must not leave it
    "ascend-910b-healthy": ["atlas-node-3", "chenwei", "10.44.3.17", "2102058833"],
    "ascend-driver-not-loaded": ["atlas-node-3", "chenwei", "10.44.3.17"],
    "container-without-gpu": ["9f3c1d7a2b44", "appuser", "172.17.0.9"],
    "hgx-worn-wiring": ["hgx-halvorsen-02", "halvorsen", "10.71.8.22", "165392307750", "a088:c203", "7e11ac"],
    "laptop-without-accelerator": ["priya"],
    "mi300x-mesh": ["mi-okonkwo-11", "okonkwo", "10.71.9.31", "0e42:a1ff"],
    "nouveau-bound-gpu": ["oskar", "192.168.178.23", "pa55wort"],
    "nvidia-smi-only": ["train-07", "wanjiru", "192.168.77.12", "16539230771", "5c1d9a3"],
    "tpu-v5e": ["t1v-n-4b7e19c2", "ines", "10.164.0.21"],
    "ubuntu-nvidia-driver-not-loaded": ["gpubox-tomasz", "tomasz", "10.20.30.41"],
    "ubuntu-torch-cpu-build": ["lindiwe", "172.29.4.18", "a81b44c0"],
    "wsl2": ["KENJI", "kenji", "172.22.144.1", "d02f7be1"],
}


@cache
def registry() -> Registry:
    return Registry({})


@cache
def taken(name: str) -> Snapshot:
    return gather.snapshot(RecordedMachine(MACHINES / name), registry(), depth="health", isolate=False)


def judged(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, registry().specs, registry().checks, registry().rules)


def answered(snapshot: Snapshot) -> str:
    """Return the answer without its prose: what was found, and what is to be typed."""
    diagnosis = judged(snapshot)
    lines = [outcome(diagnosis)]
    for finding in diagnosis.findings:
        lines.append(f"{finding.severity} [{finding.code} {finding.name}] {finding.title}")
        lines += [f"    {remedy.kind}: {remedy.command}" for remedy in finding.remedies if remedy.command]
    return "".join(f"{line}\n" for line in lines)


def document(snapshot: Snapshot) -> Document:
    return report(
        Given(
            facts=Facts(snapshot),
            diagnosis=judged(snapshot),
            specs=registry().specs,
            day="2026-11-21",
            destination=None,
            identifiers=False,
            written_at="2026-11-21T00:00:00Z",
            accel_version="0.1.0",
        )
    )


def held_to(golden: Path, text: str) -> None:
    if UPDATE:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_every_machine_has_its_findings_and_its_private_words() -> None:
    assert NAMES == sorted(FINDINGS) == sorted(PRIVATE)


@pytest.mark.parametrize("name", NAMES)
def test_the_doctor_says_of_a_machine_what_it_said_before(name: str) -> None:
    held_to(MACHINES / name / "doctor.txt", answered(taken(name)))


@pytest.mark.parametrize("name", NAMES)
def test_the_devices_of_a_machine_are_what_they_were_before(name: str) -> None:
    reports = taken(name).reports
    devices, disagreements = merged_devices(reports)
    gaps = (*(gap for report in reports for gap in report.gaps), *disagreements)
    held_to(MACHINES / name / "devices.json", devices_json(devices, gaps))


@pytest.mark.parametrize("name", NAMES)
def test_the_faults_found_are_those_that_the_machine_was_made_with(name: str) -> None:
    assert [f.name for f in judged(taken(name)).findings] == FINDINGS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_snapshot_is_the_snapshot(name: str) -> None:
    again = decode_snapshot(encode_snapshot(taken(name)), device_types(registry()))
    assert again == taken(name)
    assert judged(again) == judged(taken(name))


def test_a_snapshot_of_an_older_accel_is_read_without_what_is_no_longer_kept() -> None:
    name = NAMES[0]
    data = json.loads(encode_snapshot(taken(name)))
    data["reports"][0]["events"] = [
        {"name": "nvml-error", "message": "nvmlInit: NVML error 9", "values": [["code", "9"]]}
    ]
    assert decode_snapshot(json.dumps(data), device_types(registry())) == taken(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_redacted_snapshot_names_nobody_and_is_judged_the_same(name: str) -> None:
    original = encode_snapshot(taken(name))
    shown = redacted(taken(name))
    text = encode_snapshot(shown)
    assert [word for word in PRIVATE[name] if word not in original] == []
    assert [word for word in (*PRIVATE[name], "hf_") if word in text] == []
    assert [f.code for f in judged(shown).findings] == [f.code for f in judged(taken(name)).findings]


@pytest.mark.parametrize("name", NAMES)
def test_a_secret_of_the_environment_never_enters_a_snapshot(name: str) -> None:
    token = RecordedMachine(MACHINES / name).environment["HF_TOKEN"]
    assert token.startswith("hf_")
    assert token not in encode_snapshot(taken(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_report_of_a_redacted_machine_names_nobody_and_all_findings(name: str) -> None:
    made = document(redacted(taken(name)))
    page, text = html(made), markdown(made)
    assert [word for word in (*PRIVATE[name], "hf_") if word in page + text] == []
    assert [
        finding for finding in FINDINGS[name] if f" {finding}</code>" not in page or f" {finding}\n" not in text
    ] == []


def test_the_report_of_a_machine_without_accelerator_is_what_it_was_before() -> None:
    name = "laptop-without-accelerator"
    text = markdown(document(replace(redacted(taken(name)), taken_at="2026-11-20T23:00:00Z"))).split(
        "<details><summary>How each check ended"
    )[0]
    held_to(MACHINES / name / "report.md", re.sub(r"\d+ (clear|not applicable)", r"N \1", text))
