"""What a device's record tells beyond its fields: numbers of its capability, ordinals, a name that stays."""

from typing import Any

import pytest
from accel_nvidia.nvml_facts import INTEGRATED

import accel
from accel.collect.chip_facts import with_chip_facts
from accel.collect.system_memory import with_system_memory
from accel.model.device import Gap
from accel.model.report import Report
from accel.specs import load


def device(**facts: Any) -> accel.Device:
    return accel.Device(**{"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "gpu", **facts})


@pytest.mark.parametrize(
    ("word", "numbers", "target"),
    [
        ("9.0", (9, 0), "sm_90"),
        ("12.1", (12, 1), "sm_121"),
        ("gfx942", (9, 4, 2), "gfx942"),
        ("gfx90a", (9, 0, 10), "gfx90a"),
        ("gfx1100", (11, 0, 0), "gfx1100"),
        ("ascend910b", None, "ascend910b"),
        ("gfx", None, "gfx"),
        ("gfx9z0", None, "gfx9z0"),
        ("9", None, "sm_9"),
        (None, None, None),
    ],
)
def test_a_capability_is_told_as_numbers_and_as_a_compiler_names_it(
    word: str | None, numbers: tuple[int, ...] | None, target: str | None
) -> None:
    one = device(compute_capability=word)
    assert (one.capability, one.target) == (numbers, target)


@pytest.mark.parametrize(
    ("names", "ordinals", "ordinal"),
    [
        (("cuda:1",), {"cuda": 1}, 1),
        (("tpu:0", "tpu:1"), {"tpu": 0}, 0),
        (("cpu:0", "cpu"), {"cpu": 0}, 0),
        ((), {}, None),
        (None, {}, None),
        (("cuda:x",), {}, None),
    ],
)
def test_ordinals_are_the_numbers_that_runtimes_give(
    names: tuple[str, ...] | None, ordinals: dict[str, int], ordinal: int | None
) -> None:
    one = device(runtime_names=names)
    assert (one.ordinals, one.ordinal) == (ordinals, ordinal)


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"uuid": "GPU-1", "serial": "2", "pci_address": "0000:3b:00.0"}, "GPU-1"),
        ({"serial": "2", "pci_address": "0000:3b:00.0"}, "acme-2"),
        ({"pci_address": "0000:3b:00.0", "pci_id": "1e99:0001"}, "acme-0000:3b:00.0-1e99:0001"),
        ({"pci_address": "0000:3b:00.0"}, "acme-0000:3b:00.0"),
        ({"name": "Acme One"}, "acme-acme-one-0"),
        ({}, "acme-acme-0"),
        ({"id": "acme:0/part2", "parent": "acme:0", "serial": "2"}, "acme-2/part2"),
    ],
)
def test_a_key_is_there_whatever_is_known(facts: dict[str, Any], key: str) -> None:
    assert device(**facts).key == key


def test_keys_tell_the_chips_of_one_board_apart() -> None:
    chips = [device(id=f"acme:{n}", index=n, name="Acme One") for n in range(2)]
    assert len({chip.key for chip in chips}) == 2


NVIDIA = {"id": "nvidia:0", "backend": "nvidia", "vendor": "NVIDIA"}
PROCESSOR = device(
    id="cpu:0", backend="cpu", kind="cpu", memory_total_bytes=120, memory_used_bytes=50, memory_free_bytes=70
)


def completed(one: accel.Device, *gaps: Gap) -> tuple[accel.Device, tuple[Gap, ...]]:
    reports = (
        Report(backend=one.backend, source="x", devices=(one,), gaps=gaps),
        Report(backend="cpu", source="y", devices=(PROCESSOR,)),
    )
    found = with_system_memory(with_chip_facts(reports, load))[0]
    return found.devices[0], found.gaps


@pytest.mark.parametrize("name", ["NVIDIA GB10", "Jetson AGX Orin 64GB"])
def test_a_device_that_computes_in_the_systems_memory_has_its_figures(name: str) -> None:
    gap = Gap(fact="memory_total_bytes", reason="not supported", device="nvidia:0")
    one, gaps = completed(device(name=name, **NVIDIA), gap)
    assert one.unified_memory is True
    assert (one.memory_total_bytes, one.memory_used_bytes, one.memory_free_bytes) == (120, 50, 70)
    assert "unified_memory" in one.from_specs
    assert gaps == ()


def test_what_a_driver_counts_of_unified_memory_stays() -> None:
    one, _ = completed(device(name="NVIDIA GB10", memory_total_bytes=60, **NVIDIA))
    assert (one.memory_total_bytes, one.memory_used_bytes, one.memory_free_bytes) == (60, 0, 60)


@pytest.mark.parametrize("name", ["NVIDIA H100 80GB HBM3", "a name that means nothing", None])
def test_other_devices_are_not_given_the_systems_memory(name: str | None) -> None:
    one, gaps = completed(device(name=name, **NVIDIA), Gap(fact="memory_total_bytes", reason="x", device="nvidia:0"))
    assert one.unified_memory is (False if name and "H100" in name else None)
    assert one.memory_total_bytes is None
    assert len(gaps) == 1


def test_what_the_specs_filled_is_said() -> None:
    one, _ = completed(device(name="NVIDIA H100 80GB HBM3", compute_capability="9.0", **NVIDIA))
    assert one.architecture == "hopper"
    assert one.from_specs == ("architecture", "unified_memory")


def test_the_capabilities_without_memory_of_their_own_are_those_of_the_specs() -> None:
    table = load().table("nvidia/architectures")
    integrated = {row["compute_capability"] for row in table["compute_capabilities"] if row["kind"] == "integrated"}
    assert integrated | {"12.1"} == INTEGRATED  # code for GB10 runs on 12.0 too: there it counts as discrete
