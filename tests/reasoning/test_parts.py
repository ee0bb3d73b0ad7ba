"""Several machines, runs and environments in one text are kept apart, named and compared; one machine is not split."""

from pathlib import Path
from typing import Any

import pytest

from accel.apps.render.diagnosis_text import print_diagnosis
from accel.collect.live import device_types, judged
from accel.collect.text import read_texts
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.diagnosis import Diagnosis
from accel.plugins.registry import Registry
from accel.specs.store import parse

REGISTRY = Registry({})
CASES: dict[str, dict[str, Any]] = parse(str(Path(__file__).parent / "parts.yaml"))


def diagnosed(text: str) -> Diagnosis:
    return judged(read_texts([("r", text)], REGISTRY), REGISTRY)


@pytest.mark.parametrize("name", CASES)
def test_each_part_has_its_own_findings(name: str) -> None:
    case = CASES[name]
    diagnosis = diagnosed(case["text"])
    assert list(diagnosis.parts) == case["parts"]
    found: dict[str, list[str]] = {}
    for finding in diagnosis.findings:
        if finding.severity != "info":
            found.setdefault(", ".join(finding.parts), []).append(finding.name)
    assert found == case["found"]
    for part, words in case.get("says", {}).items():
        told = [sentence for finding in diagnosis.findings if part in finding.parts for sentence in finding.compared]
        assert any(words in sentence for sentence in told), told


def test_a_saved_snapshot_of_a_text_keeps_its_parts() -> None:
    snapshot = read_texts([("r", CASES["two-conda-environments"]["text"])], REGISTRY)
    again = decode_snapshot(encode_snapshot(snapshot), device_types(REGISTRY))
    assert again.parts == snapshot.parts
    assert judged(again, REGISTRY).findings == judged(snapshot, REGISTRY).findings


def test_the_page_says_where_a_fault_is_and_what_is_otherwise_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = read_texts([("r", CASES["two-servers-under-headings"]["text"])], REGISTRY)
    print_diagnosis(judged(snapshot, REGISTRY), snapshot, verbose=False)
    page = " ".join(capsys.readouterr().out.split())
    assert "on Server B" in page
    assert "On Server A, where it works, torch is 2.5.1+cu121; on Server B it is 2.5.1+cpu." in page


def test_a_fact_of_one_machine_decides_nothing_about_another() -> None:
    text = (
        "Machine 1:\nGPU 0: NVIDIA A10 (UUID: GPU-0d6f4b1e-1c53-4b6a-8a0e-0b8a1f9d3c11)\n\n"
        "Machine 2:\n$ python -c 'import torch; print(torch.__version__, torch.cuda.is_available())'\n2.5.1+cpu False\n"
    )
    assert [f.name for f in diagnosed(text).findings if f.name == "torch-cpu-build-on-gpu-machine"] == []


def test_a_common_error_is_explained_by_the_part_that_has_its_cause() -> None:
    text = (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n\n"
        "Server 1 (works): NVIDIA A10, torch 2.4.1+cu121\n\nServer 2 (fails): RTX 5090, torch 2.4.1+cu121\n"
    )
    assert diagnosed(text).unexplained == ()


@pytest.mark.parametrize(
    "text",
    [
        "Machine 1\nMachine 2\n",
        "node0: \nnode1: \nnode2: \n",
        "gpu0: 40C\ngpu1: 41C\ngpu2: 80C\nTesla T4\n",
        "eth0: up\neth1: down\neth2: up\n",
        "(((((((((a) b@c:~$ x\n" * 200,
        "Before:\nAfter:\n",
        "\n".join(f"machine {n}:\nGPU 0: NVIDIA A10 (UUID: GPU-{n})" for n in range(80)),
    ],
    ids=["empty", "marks", "devices", "interfaces", "hostile", "moments", "too-many"],
)
def test_what_is_no_part_splits_nothing(text: str) -> None:
    assert read_texts([("r", text)], REGISTRY).parts == ()


def test_what_a_text_of_several_machines_only_mentions_is_shown() -> None:
    machine = "node {}:\n$ nvidia-smi -L\nGPU 0: NVIDIA L40S (UUID: GPU-0b9c0000-0000-4000-8000-00000000000{})\n"
    card = "The docs give this line as an example: NVRM: Xid (PCI:0000:3b:00): 95, Uncontained: FBHUB. RST: Yes\n\n"
    text = machine.format("gpu01", 1) + card + machine.format("gpu02", 2)
    diagnosis = judged(read_texts([("r", text)], REGISTRY, several=True), REGISTRY)
    assert [one.name for one in diagnosis.findings if one.severity == "error"] == []
    assert [one.name for one in diagnosis.mentioned] == ["gpu-ecc-uncorrectable"]
