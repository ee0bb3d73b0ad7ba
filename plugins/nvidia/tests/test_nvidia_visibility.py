"""CUDA's masks, as the CUDA runtime documents them."""

import pytest
from accel_nvidia.found import gpu, mig
from accel_nvidia.visibility import visible

from accel.model.device import Device

_TWO = (
    gpu(0, name="NVIDIA L4", uuid="GPU-aa11", pci_address="0000:01:00.0"),
    gpu(1, name="NVIDIA L4", uuid="GPU-bb22", pci_address="0000:02:00.0"),
)
_MIXED = (
    gpu(0, name="GeForce GT 710", uuid="GPU-aa11", pci_address="0000:01:00.0"),
    gpu(1, name="GeForce RTX 3090", uuid="GPU-bb22", pci_address="0000:02:00.0"),
)
_MIG = (
    gpu(0, name="NVIDIA A100", uuid="GPU-aa11", pci_address="0000:01:00.0", mig_mode="enabled"),
    mig(0, 0, uuid="MIG-cc33", gpu_instance_id=1, compute_instance_id=0),
    mig(0, 1, uuid="MIG-dd44", gpu_instance_id=2, compute_instance_id=0),
)


def _names(devices: tuple[Device, ...], **variables: str) -> list[tuple[str, ...] | None]:
    return [device.runtime_names for device in visible(devices, variables)]


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        ("1", [(), ("cuda:0",)]),
        ("1,0", [("cuda:1",), ("cuda:0",)]),
        ("", [(), ()]),
        ("-1", [(), ()]),
        ("0,-1,1", [("cuda:0",), ()]),
        ("0,7,1", [("cuda:0",), ()]),
        ("none", [(), ()]),
        ("NoDevFiles", [(), ()]),
        ("0,0", [(), ()]),
        ("GPU-bb22", [(), ("cuda:0",)]),
        ("GPU-b, 0", [("cuda:1",), ("cuda:0",)]),
        ("GPU-zz,0", [(), ()]),
        ("GPU-", [(), ()]),
    ],
)
def test_a_mask_shows_what_it_names(mask: str, names: list[tuple[str, ...]]) -> None:
    assert _names(_TWO, CUDA_VISIBLE_DEVICES=mask) == names


def test_without_a_mask_all_are_shown() -> None:
    assert _names(_TWO) == [("cuda:0",), ("cuda:1",)]


def test_the_order_of_unlike_boards_is_not_known() -> None:
    assert _names(_MIXED) == [None, None]
    assert [d.visible for d in visible(_MIXED, {})] == [True, True]
    assert [d.visible for d in visible(_MIXED, {"CUDA_VISIBLE_DEVICES": "0"})] == [None, None]


def test_a_mask_of_uuids_is_itself_the_order_of_unlike_boards() -> None:
    assert _names(_MIXED, CUDA_VISIBLE_DEVICES="GPU-bb22,GPU-aa11") == [("cuda:1",), ("cuda:0",)]


def test_pci_bus_order_goes_by_address() -> None:
    assert _names(_MIXED[::-1], CUDA_DEVICE_ORDER="PCI_BUS_ID") == [("cuda:1",), ("cuda:0",)]
    assert _names(_MIXED, CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="1") == [(), ("cuda:0",)]


def test_in_mig_mode_one_partition_is_shown() -> None:
    assert _names(_MIG) == [(), ("cuda:0",), ()]
    assert _names(_MIG, CUDA_VISIBLE_DEVICES="MIG-dd44") == [(), (), ("cuda:0",)]
    assert _names(_MIG, CUDA_VISIBLE_DEVICES="MIG-GPU-aa11/2/0") == [(), (), ("cuda:0",)]


def test_the_masks_of_the_container_runtime_and_other_vendors_are_not_read() -> None:
    other = Device(id="cpu:0", index=0, backend="cpu", vendor="x", kind="cpu")
    assert visible((other,), {"CUDA_VISIBLE_DEVICES": ""}) == (other,)
    assert _names(_TWO, NVIDIA_VISIBLE_DEVICES="none") == [("cuda:0",), ("cuda:1",)]
