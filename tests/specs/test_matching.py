"""Which product a device is, where its name alone leaves it open."""

import pytest

from accel.model.device import Device
from accel.specs import load
from accel.specs.matching import chip_of


def device(name: str, gibibytes: float | None, backend: str = "nvidia") -> Device:
    return Device(
        id=f"{backend}:0",
        index=0,
        backend=backend,
        vendor=backend,
        kind="gpu",
        name=name,
        memory_total_bytes=None if gibibytes is None else int(gibibytes * 2**30),
    )


@pytest.mark.parametrize(
    ("name", "gibibytes", "chip"),
    [
        ("Tesla V100-SXM2", 31.7, "Tesla V100 SXM2 32GB"),
        ("Tesla V100-SXM2", 15.9, "Tesla V100 SXM2 16GB"),
        ("Tesla V100-SXM2", None, None),
        ("Tesla V100-SXM2-32GB", None, "Tesla V100 SXM2 32GB"),
        ("A board of tomorrow", 80.0, None),
    ],
)
def test_memory_tells_apart_what_a_name_does_not(name: str, gibibytes: float | None, chip: str | None) -> None:
    found = chip_of(load(), device(name, gibibytes))
    assert (found.name if found else None) == chip
