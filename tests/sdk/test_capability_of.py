"""What a framework's device can compute in, on simulated machines."""

import pytest

import accel
import accel.testing


@pytest.mark.parametrize(
    ("machine", "name", "numbers", "has", "lacks"),
    [
        ("8xH100", "cuda:3", (9, 0), {"bfloat16", "float16", "float8_e4m3fn", "float64"}, {"float8_e4m3fnuz"}),
        ("4xA100-pcie", "cuda:0", (8, 0), {"bfloat16", "float16"}, {"float8_e4m3fn"}),
        ("mi300x-8", "cuda:0", (9, 4, 2), {"bfloat16", "float8_e4m3fnuz"}, {"float8_e4m3fn"}),
    ],
)
def test_types_are_those_that_the_chip_computes_in(
    machine: str, name: str, numbers: tuple[int, ...], has: set[str], lacks: set[str]
) -> None:
    with accel.testing.machine(machine):
        found = accel.capability_of(name)
        assert found.numbers == numbers
        assert has <= found.supported_dtypes
        assert not lacks & found.supported_dtypes
        assert not lacks & found.unknown_dtypes
        assert accel.capability_of(found.device) == found


def test_what_is_not_known_is_told_apart() -> None:
    strange = accel.Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu")
    found = accel.capability_of(strange)
    assert found.supported_dtypes == frozenset()
    assert "bfloat16" in found.unknown_dtypes


@pytest.mark.parametrize("name", ["cuda:0", "xpu:1"])
def test_a_device_that_is_not_here_is_said(name: str) -> None:
    with accel.testing.machine("cpu-only"), pytest.raises(accel.NoSuchDevice):
        accel.capability_of(name)
