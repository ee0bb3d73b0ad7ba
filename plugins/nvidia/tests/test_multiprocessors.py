"""NVML counts a GPU's cores; its multiprocessors follow from the compute capability."""

import pytest
from accel_nvidia.nvml_device import CORES_EACH, multiprocessors

from accel.specs import load

CORES = {  # as NVIDIA's data sheets have them
    "H100 SXM5 80GB": 16896,
    "H100 PCIe 80GB": 14592,
    "A100 SXM4 80GB": 6912,
    "V100 SXM2 32GB": 5120,
    "T4": 2560,
    "P100 PCIe 16GB": 3584,
    "P40": 3840,
    "L4": 7424,
    "GeForce RTX 4090": 16384,
    "GeForce RTX 3090": 10496,
    "GeForce RTX 5090": 21760,
    "GeForce GTX 980": 2048,
}


@pytest.mark.parametrize("name", CORES)
def test_cores_are_as_many_multiprocessors_as_the_chips_record_has(name: str) -> None:
    (chip,) = load().named(name).chips
    assert multiprocessors(CORES[name], chip.compute_capability or "") == chip.multiprocessors


def test_every_capability_of_the_spec_database_has_a_count_or_is_known_to_have_none() -> None:
    known = {chip.compute_capability for chip in load().chips("nvidia") if chip.compute_capability}
    lacking = {one for one in known if one.partition(".")[0] not in CORES_EACH}
    assert {one.partition(".")[0] for one in lacking} <= {"1", "2", "13", "14"}
