"""A companion without a wheel for the hardware is refused with how it is had there, and with the versions if known."""

import pytest

import accel


@pytest.mark.parametrize(
    ("stack", "python", "says"),
    [
        ("cann=8.3.RC2", "3.11", "vllm-ascend 0.11.0 goes with vllm 0.11.0, CANN 8.3.RC2, torch 2.7.1 and torch_npu"),
        ("cann=9.1.0", "3.12", "vllm-ascend 0.23.0 goes with vllm 0.23.0, CANN 9.1.0"),
        ("cann=8.0.0", "3.10", "vllm-ascend 0.8.4rc2 goes with vllm 0.8.4"),
        ("cann=7.0.0", "3.10", "none is known for this CANN and Python"),
    ],
)
def test_vllm_on_ascend_names_vllm_ascend_of_the_machines_cann(stack: str, python: str, says: str) -> None:
    found = accel.resolve("vllm", gpus=["Ascend 910B3"], python=python, stack=stack)
    assert not found.fits
    assert says in found.upgrade[0]


def test_vllm_on_amd_has_wheels_of_its_own() -> None:
    found = accel.resolve("vllm", gpus=["RX 7900 XTX"], python="3.11")
    assert not found.fits
    assert found.upgrade[0].startswith("vllm: for ROCm wheels with a torch of their own")


def test_a_companion_that_fits_is_not_sent_elsewhere() -> None:
    found = accel.resolve("vllm", gpus=["RTX 4090"], driver="580", python="3.12")
    assert found.fits
    assert not any("vllm" in hint for hint in found.upgrade)
