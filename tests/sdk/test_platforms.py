"""The platform, driver, masks and key of machines with several vendors' devices."""

from collections.abc import Mapping
from typing import Any

import pytest

import accel
from accel.apps import api
from accel.apps.sdk.platforms import words_of
from accel.model.report import Driver, Report

GIB = 2**30


def device(id_: str, **facts: Any) -> accel.Device:
    backend, _, index = id_.partition(":")
    vendor = {"nvidia": "NVIDIA", "intel": "Intel", "amd": "AMD", "ascend": "Huawei", "cpu": "Intel"}[backend]
    base = {"id": id_, "index": int(index), "backend": backend, "vendor": vendor}
    return accel.Device(**{**base, "kind": "cpu" if backend == "cpu" else "gpu", "visible": True, **facts})


CPU = device("cpu:0")
BIG = device("nvidia:0", memory_total_bytes=80 * GIB, unified_memory=False)
BIGGER = device("amd:0", memory_total_bytes=192 * GIB, unified_memory=False)
INTEGRATED = device("intel:0", memory_total_bytes=512 * GIB, unified_memory=True)


def here(monkeypatch: pytest.MonkeyPatch, *devices: accel.Device) -> None:
    monkeypatch.setattr(api, "_devices", lambda isolate, timeout_seconds: devices)


@pytest.mark.parametrize(
    ("devices", "backend", "why"),
    [
        ((BIG, CPU), "nvidia", "only nvidia has visible devices"),
        ((INTEGRATED, BIG, CPU), "nvidia", "its own memory"),
        ((BIG, BIGGER, CPU), "amd", "more memory"),
        ((device("amd:0"), device("nvidia:0"), CPU), "amd", "by name"),
        ((device("nvidia:0", visible=False), INTEGRATED, CPU), "intel", "only intel has visible devices"),
        ((device("nvidia:0", visible=False), CPU), "cpu", "masks hide nvidia:0"),
        ((CPU,), "cpu", "no accelerator"),
    ],
)
def test_one_rule_decides_which_vendors_devices_are_the_platform(
    monkeypatch: pytest.MonkeyPatch, devices: tuple[accel.Device, ...], backend: str, why: str
) -> None:
    here(monkeypatch, *devices)
    found = accel.platform()
    assert found.backend == backend
    assert why in found.why
    assert set(found.others) == {d.backend for d in devices if d.kind != "cpu" and d.visible} - {backend}


def test_a_vendor_that_is_asked_for_is_taken_if_it_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch, BIG, INTEGRATED, CPU)
    assert accel.platform(prefer="Intel").backend == "intel"
    assert accel.platform(prefer="amd").backend == "nvidia"
    with pytest.raises(accel.BadInput, match="Did you mean 'nvidia'"):
        accel.platform(prefer="nvidea")


def test_the_devices_of_a_platform_are_in_the_order_of_their_ordinals(monkeypatch: pytest.MonkeyPatch) -> None:
    swapped = (device("nvidia:0", runtime_names=("cuda:1",)), device("nvidia:1", runtime_names=("cuda:0",)))
    here(monkeypatch, *swapped, CPU)
    assert [d.id for d in accel.platform().devices] == ["nvidia:1", "nvidia:0"]


def test_a_platform_says_what_frameworks_call_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch, BIG, CPU)
    found = accel.platform()
    assert (found.device_type, found.jax_platform, found.collectives) == ("cuda", "cuda", "nccl")
    assert (found.mask_variable, found.ray_resource) == ("CUDA_VISIBLE_DEVICES", "GPU")


@pytest.mark.parametrize("backend", sorted(set(api._registry().backend_names)))
def test_every_vendor_has_a_device_type_and_the_mask_that_picking_sets(backend: str) -> None:
    assert words_of(backend)["device_type"]
    mask = accel.mask_variable(backend)
    found = api._registry().backend(backend)
    assert found is not None
    stated = getattr(getattr(found, "stated", None), "masks", None)
    if stated is not None:
        assert mask == stated.lists[0][0]


def _reports(monkeypatch: pytest.MonkeyPatch, *devices: accel.Device) -> None:
    driver = Driver(version="570.124.06", toolkit_version="12.8")
    known = Report(backend="nvidia", source="nvml", devices=devices, driver=driver)
    monkeypatch.setattr(api, "_reports", lambda isolate, timeout_seconds: (known,))


GPUS = tuple(
    device(f"nvidia:{n}", uuid=f"GPU-{n}f2c61d0-0000-4000-8000-aaaabbbbcccc", pci_address=f"0000:{n}b:00.0", name="A")
    for n in range(3)
)


@pytest.mark.parametrize(
    ("environment", "ids"),
    [
        ({}, ["nvidia:0", "nvidia:1", "nvidia:2"]),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, ["nvidia:2", "nvidia:0"]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-1f2c"}, ["nvidia:1"]),
        ({"CUDA_VISIBLE_DEVICES": "7"}, []),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
    ],
)
def test_what_a_new_process_is_shown_follows_its_variables(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], ids: list[str]
) -> None:
    _reports(monkeypatch, *GPUS)
    shown = accel.visible(environment)
    assert [d.id for d in shown] == ids
    assert [d.ordinal for d in shown] == list(range(len(ids)))


def test_a_driver_is_told_with_its_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    _reports(monkeypatch, *GPUS)
    found = accel.driver("NVIDIA")
    assert found is not None
    assert (found.version, found.toolkit_version, found.branch) == ("570.124.06", "12.8", "570")
    assert accel.driver("ascend") is None
    with pytest.raises(accel.BadInput, match=r"Known are: .*nvidia"):
        accel.driver("intl corporation")


def test_a_snapshot_tells_its_devices_and_drivers_put_together() -> None:
    text = "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4 |"
    known = accel.read_text(text)
    assert known.drivers["nvidia"].version == "550.54.15"
    assert known.devices == ()


def test_a_hardware_key_is_the_same_for_the_same_hardware_in_any_order() -> None:
    facts: dict[str, Any] = {"name": "H100", "compute_capability": "9.0", "memory_total_bytes": 80 * GIB}
    one = device("nvidia:0", uuid="GPU-1", driver_version="570.1", **facts)
    other = device("nvidia:3", uuid="GPU-2", driver_version="570.2", **{**facts, "memory_total_bytes": 80 * GIB + 9})
    slower = device("nvidia:1", driver_version="570.1", **{**facts, "name": "A100"})
    assert accel.hardware_key([one]) == accel.hardware_key([other])
    assert accel.hardware_key([one, slower]) == accel.hardware_key([slower, one])
    assert accel.hardware_key([one]) != accel.hardware_key([slower])
    assert accel.hardware_key([one]).startswith("nvidia-1x-")
    with pytest.raises(accel.BadInput, match="no devices"):
        accel.hardware_key([])
