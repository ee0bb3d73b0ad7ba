"""What `accel devices --format` writes for Kubernetes, Slurm and Ray, from recorded machines."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.apps.render.inventory import gres_lines, ray_resources, resource_slice
from accel.model.device import Device
from accel.watch.topology import Member

MACHINES = Path(__file__).parents[1] / "machines"
HGX = str(MACHINES / "hgx-worn-wiring" / "nvidia-smi.xml")


def printed(capsys: pytest.CaptureFixture[str], form: str, *words: str) -> tuple[int, str]:
    code = main(["devices", "--format", form, *words])
    return code, capsys.readouterr().out


def device(**facts: Any) -> Device:
    return Device(**{"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "npu", **facts})


def test_a_resource_slice_has_each_device_with_the_names_that_kubernetes_gives(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, text = printed(capsys, "dra", "--from", HGX)
    document = json.loads(text)
    assert code == 0
    assert (document["apiVersion"], document["kind"]) == ("resource.k8s.io/v1", "ResourceSlice")
    first, *others = document["spec"]["devices"]
    assert len(others) == 3
    assert first["name"] == "nvidia-0"
    assert first["attributes"]["productName"] == {"string": "NVIDIA H100 80GB HBM3"}
    assert first["attributes"]["computeCapability"] == {"version": "9.0.0"}
    assert first["attributes"]["driverVersion"] == {"version": "535.183.1"}
    assert first["attributes"]["resource.kubernetes.io/pciBusID"] == {"string": "0000:13:00.0"}
    assert int(first["capacity"]["memory"]["value"]) > 80_000_000_000


def test_every_attribute_of_a_slice_has_one_value_of_a_kind_that_kubernetes_takes() -> None:
    member = Member(id="acme:0", role="device", slot=("pci0000:3a",))
    long = device(name="A" * 100, uuid="U\n1", numa_node=1, unified_memory=True, compute_capability="gfx942")
    known = json.loads(resource_slice([long], {"acme:0": member}, "node_1.example"))["spec"]["devices"][0]
    for name, value in known["attributes"].items():
        assert len(value) == 1, name
        assert set(value) <= {"string", "int", "bool", "version"}
        assert len(str(value.get("string", ""))) <= 64
    assert known["attributes"]["resource.kubernetes.io/pcieRoot"] == {"string": "pci0000:3a"}
    assert known["attributes"]["uuid"] == {"string": "U?1"}
    assert "computeCapability" not in known["attributes"]


def test_a_whole_device_is_not_offered_beside_its_partitions() -> None:
    devices = [device(), device(id="acme:0/part0", parent="acme:0"), device(id="acme:1", index=1)]
    listed = json.loads(resource_slice(devices, {}, "n"))["spec"]["devices"]
    assert [one["name"] for one in listed] == ["acme-0-part0", "acme-1"]
    assert listed[0]["attributes"]["type"] == {"string": "partition"}


def test_slurm_gets_a_line_a_device_with_its_node(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "slurm-gres", "--from", HGX)
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert code == 0
    assert [line.split("File=")[1] for line in lines] == [f"/dev/nvidia{n}" for n in range(4)]
    assert all("Name=gpu Type=h100_80gb_hbm3" in line for line in lines)
    assert "Gres=gpu:h100_80gb_hbm3:4" in text


def test_slurm_is_told_of_a_device_whose_node_is_not_known() -> None:
    lines = list(gres_lines([device(name="Acme One\nRm=x")], {}, lambda _: None, "n\nFile=/x"))
    assert len(lines) == 2
    assert lines[1].startswith("# acme:0")
    assert all("\n" not in line for line in lines)


@pytest.mark.parametrize(
    ("known", "resource", "text"),
    [
        ([], "GPU", ""),
        (
            [device(name="NVIDIA H100 80GB HBM3", vendor="NVIDIA")],
            "GPU",
            "--num-gpus=1 --resources='{\"accelerator_type:H100\": 1}'",
        ),
        ([device(name="910B3")], None, '--resources=\'{"ACME": 1, "accelerator_type:910B3": 1}\''),
    ],
)
def test_ray_is_told_counts_and_types(known: list[Device], resource: str | None, text: str) -> None:
    assert ray_resources(known, lambda _: resource).strip() == text


def test_no_accelerator_is_said_by_the_exit_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    empty = tmp_path / "report.txt"
    empty.write_text("torch 2.4.0\n", encoding="utf-8")
    assert printed(capsys, "ray", "--from", str(empty)) == (1, "")


def test_a_format_excludes_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--format", "ray", "--json"]) == 2
    assert "excludes" in capsys.readouterr().err
