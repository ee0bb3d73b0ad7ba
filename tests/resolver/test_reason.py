"""Where nothing fits: the one reason, and the least change with its command."""

import pytest

import accel
from accel.model.errors import BadInput

LINUX = {"system": "linux", "libc": "2.35", "machine": "x86_64"}


def test_the_driver_that_helps_first_is_named_before_the_newest() -> None:
    found = accel.resolve("torch", gpus="RTX 5090", driver="550", python="3.12", **LINUX)
    assert found.reason is not None
    assert found.reason.rule == "driver-drives-device"
    assert [change.text for change in found.changes[:2]] == [
        "with driver 570 or newer: torch 2.13.0+cu129 fits",
        "with driver 580 or newer: torch 2.15.0+cu132 fits",
    ]
    assert found.changes[0].command == "pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cu129"
    assert found.upgrade == tuple(change.text for change in found.changes)


def test_of_builds_with_one_fault_the_one_that_asks_for_least_is_the_reason() -> None:
    found = accel.resolve("sglang", gpus="RTX A6000", driver="470.256.02", python="3.10", **LINUX)
    assert found.reason is not None
    assert "525.60.13" in found.reason.because
    assert any("torch==2.9.1 sglang==" in (change.command or "") for change in found.changes)


def test_the_nearest_python_is_named() -> None:
    found = accel.resolve("tensorflow", gpus="RTX 4090", driver="550", python="3.14", **LINUX)
    assert found.reason is not None
    assert (found.reason.rule, found.reason.version) == ("python", "2.21.0")
    assert found.changes[0].text == "with Python 3.13: tensorflow 2.21.0 (cuda) fits"


def test_each_pin_that_stands_in_the_way_alone_is_named_with_what_goes_without_it() -> None:
    found = accel.resolve(
        ["torch==2.4.1", "torchvision==0.20.0"], gpus="RTX 3080", driver="550.54.14", python="3.11", **LINUX
    )
    assert found.reason is not None
    assert found.reason.rule == "companion"
    assert [(change.text, change.command) for change in found.changes[:2]] == [
        ("without torch's ==2.4.1, with torch 2.5.0", "pip install torch==2.5.0 torchvision==0.20.0"),
        ("without torchvision's ==0.20.0, with torchvision 0.19.1", "pip install torch==2.4.1 torchvision==0.19.1"),
    ]


def test_a_device_that_no_build_serves_is_the_reason_and_its_makers_package_is_told() -> None:
    found = accel.resolve("torch", gpus="MTT S80", python="3.10", **LINUX)
    assert found.reason is not None
    assert found.reason.because == "no known build of torch supports MTT S80"
    assert any("torch_musa" in text for text in found.upgrade)


def test_what_fits_has_no_reason() -> None:
    assert accel.resolve("torch", gpus="L4", driver="550", python="3.12", **LINUX).reason is None


@pytest.mark.parametrize(
    ("cuda", "label"), [("12.4", "2.14.1"), ("13.0", "2.15.0"), ("11.4", "2.7.1"), ("12", "2.14.1")]
)
def test_the_cuda_that_nvidia_smi_prints_stands_for_a_driver(cuda: str, label: str) -> None:
    found = accel.resolve("torch", gpus="RTX A6000", cuda=cuda, python="3.12", **LINUX)
    assert found.chosen[0].version == label


def test_a_device_newer_than_that_cuda_is_refused_as_with_its_driver() -> None:
    found = accel.resolve("torch", gpus="RTX 5090", cuda="12.4", python="3.12", **LINUX)
    assert found.reason is not None
    assert found.reason.because == "GeForce RTX 5090 (12.0) needs driver 570 or newer, this is one of CUDA 12.4"


@pytest.mark.parametrize("cuda", ["12.x", "cu124", "", "driver 550"])
def test_another_word_for_it_is_refused(cuda: str) -> None:
    with pytest.raises(BadInput, match="nvidia-smi"):
        accel.resolve("torch", gpus="L4", cuda=cuda, python="3.12", **LINUX)


def test_cuda_without_a_device_of_its_vendor_is_refused() -> None:
    with pytest.raises(BadInput, match="of which device"):
        accel.resolve("torch", gpus="MI300X", cuda="12.4", python="3.12", **LINUX)


@pytest.mark.parametrize("python", ["3.12", "cp312", "py312", "Python 3.12.4", "python3.12"])
def test_a_python_may_be_named_as_wheels_and_people_do(python: str) -> None:
    assert accel.resolve("torch", gpus="none", python=python, **LINUX).machine.endswith(
        (", Python 3.12, glibc 2.35", ", Python 3.12.4, glibc 2.35")
    )


def test_a_macos_older_than_the_wheels_gets_the_last_that_served_it() -> None:
    found = accel.resolve("torch", gpus="Apple M2", system="macOS 13.6", python="3.12")
    assert found.chosen[0].version == "2.11.0"
    assert any(text.startswith("with macOS 14 or newer: torch 2.15.0") for text in found.upgrade)


def test_a_build_for_this_system_is_nearer_than_one_for_another() -> None:
    found = accel.resolve("torch", gpus="Apple M1", system="macOS 10.15", python="3.12")
    assert found.reason is not None
    assert (found.reason.rule, found.reason.because) == ("system", "its wheels need macOS 11 or newer, this is 10.15")


def test_of_several_packages_only_what_does_not_fit_has_changes() -> None:
    found = accel.resolve(["torch", "tensorflow==2.10.0"], gpus="RTX 4090", driver="550", python="3.12", **LINUX)
    assert found.upgrade
    assert not any(text.startswith("with driver") for text in found.upgrade)
