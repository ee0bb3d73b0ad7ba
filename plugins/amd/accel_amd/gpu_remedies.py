"""Remedies shared by several checks of AMD's GPUs: commands for one GPU."""

from typing import TYPE_CHECKING

from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import command_line, number_word

if TYPE_CHECKING:
    from accel_amd.model import AmdDevice


def reset(device: "AmdDevice") -> Remedy:
    """Return the remedy that resets one GPU."""
    return Remedy(
        text="Stop the programs on this GPU and reset it; if errors return, have the board replaced.",
        command=command_line("sudo amd-smi reset --gpureset --gpu", number_word(device.index)),
        action="reset",
    )


def gpus(devices: "tuple[object, ...]") -> "tuple[AmdDevice, ...]":
    """Return those devices that are AMD records."""
    from accel_amd.model import AmdDevice

    return tuple(one for one in devices if isinstance(one, AmdDevice))
