"""An Accelerator for Lightning Fabric over accel, and its FLOP/s beside Lightning's own table."""

from unittest.mock import patch

import pytest

import accel.testing

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")
lightning_accelerator = pytest.importorskip("lightning_accelerator")
AccelAccelerator = lightning_accelerator.AccelAccelerator


@pytest.mark.parametrize(
    ("asked", "ordinals"),
    [(2, [0, 1]), ("2", [0, 1]), ("0,3", [0, 3]), ([5, 1], [5, 1]), (-1, list(range(8))), ("auto", list(range(8)))],
)
def test_devices_are_asked_for_as_lightning_does(asked: "int | str | list[int]", ordinals: list[int]) -> None:
    with accel.testing.machine("8xH100"):
        found = AccelAccelerator.parse_devices(asked)
        assert found == ordinals
        assert AccelAccelerator.get_parallel_devices(found) == [torch.device("cuda", one) for one in ordinals]


def test_a_device_that_is_not_there_is_refused() -> None:
    with accel.testing.machine("8xH100"), pytest.raises(accel.NoSuchDevice, match="8 are visible"):
        AccelAccelerator.parse_devices([8])


def test_it_is_registered_by_name() -> None:
    from lightning.fabric.accelerators import ACCELERATOR_REGISTRY

    AccelAccelerator.register_accelerators(ACCELERATOR_REGISTRY)
    try:
        assert ACCELERATOR_REGISTRY["accel"]["accelerator"] is AccelAccelerator
    finally:
        ACCELERATOR_REGISTRY.pop("accel")


@pytest.mark.parametrize(("machine", "kind"), [("ascend-910b-8", "npu"), ("tpu-v5e-4", "xla"), ("cpu-only", "cpu")])
def test_it_is_available_on_every_machine_by_torchs_word(machine: str, kind: str) -> None:
    with accel.testing.machine(machine):
        assert AccelAccelerator.is_available()
        assert accel.platform().device_type == kind


def test_fabric_runs_with_it() -> None:
    from lightning.fabric import Fabric

    with accel.testing.machine("cpu-only"):
        fabric = Fabric(accelerator=AccelAccelerator(), devices=1)
        fabric.launch()
        assert fabric.device == torch.device("cpu")


# What Lightning's table says of bf16 where it differs from the sheet: figures with structured sparsity, and 2.6's own.
SAME = {"8xH100": 989.4e12, "4xA100-pcie": 312e12}
DIFFERS = {"8xH200": (2.0e15, 989.4e12)}


@pytest.mark.parametrize("machine", [*SAME, *DIFFERS])
def test_peaks_are_those_of_the_sheet_beside_lightnings(machine: str) -> None:
    from lightning.fabric.utilities.throughput import get_available_flops

    with accel.testing.machine(machine):
        name = accel.accelerators()[0].name
        ours = lightning_accelerator.get_available_flops(torch.device("cuda", 0), torch.bfloat16)
    label = "NVIDIA H200 SXM1" if "H200" in str(name) else name  # the word that its test of names looks for
    with patch("torch.cuda.get_device_name", return_value=label):
        theirs = get_available_flops(torch.device("cuda", 0), torch.bfloat16)
    if machine in SAME:
        assert (ours, theirs) == (pytest.approx(SAME[machine], rel=0.001), pytest.approx(SAME[machine], rel=0.001))
    else:
        assert (theirs, ours) == tuple(pytest.approx(figure, rel=0.001) for figure in DIFFERS[machine])
