"""Hugging Face accelerate's decision on peer transfers by a board's name, beside accel's by rules with sources."""

from contextlib import ExitStack
from unittest.mock import patch

import pytest

import accel.testing

pytest.importorskip("accelerate")
accelerate_p2p = pytest.importorskip("accelerate_p2p")


def theirs(names: list[str], driver: str) -> bool:
    from accelerate.utils import environment

    with ExitStack() as stack:
        stack.enter_context(patch("torch.cuda.is_available", return_value=True))
        stack.enter_context(patch("torch.cuda.device_count", return_value=len(names)))
        stack.enter_context(patch.object(environment, "get_gpu_info", return_value=(names, len(names))))
        stack.enter_context(patch.object(environment, "get_driver_version", return_value=driver))
        return bool(environment.check_cuda_p2p_ib_support())


@pytest.mark.parametrize(
    ("machine", "agree"),
    [
        ("8xH100", True),
        ("4xA100-pcie", True),
        ("2x4090", False),  # its test lets a driver from 550.40.07 on pass; the boards still have no peer transfers
        ("l4-no-nvml", True),
    ],
)
def test_both_decide_on_the_same_machine(machine: str, agree: bool) -> None:
    with accel.testing.machine(machine):
        boards = accel.platform().devices
        names, driver = [str(board.name) for board in boards], str(boards[0].driver_version)
        ours = not accelerate_p2p.p2p_environment()
        assert (theirs(names, driver) == ours) is agree
        assert ours is (not accelerate_p2p.why())


def test_a_state_starts_on_the_processor_with_our_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    from accelerate import PartialState

    with accel.testing.machine("2x4090"):
        for name, value in accelerate_p2p.p2p_environment().items():
            monkeypatch.setenv(name, value)
        assert PartialState(cpu=True).num_processes == 1
