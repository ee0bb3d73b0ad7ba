"""An Accelerator for Lightning Fabric over accel: one for all vendors, and FLOP/s that are the chip's own.

from lightning.fabric import Fabric
Fabric(accelerator=AccelAccelerator(), devices=2)
"""

from typing import Any

import torch
from lightning.fabric.accelerators import Accelerator

import accel


class AccelAccelerator(Accelerator):
    """The visible devices of `accel.platform()`, by their ordinals."""

    def setup_device(self, device: torch.device) -> None:
        module: Any = getattr(torch, device.type, None)
        if device.type != "cpu" and hasattr(module, "set_device"):
            module.set_device(device)

    def teardown(self) -> None:
        """Nothing is held."""

    @staticmethod
    def parse_devices(devices: int | str | list[int]) -> list[int]:
        """Return ordinals: of 2 the first two, of "0,3" or [0, 3] these, of -1 or "auto" all."""
        here = AccelAccelerator.auto_device_count()
        if devices in (-1, "-1", "auto"):
            return list(range(here))
        if isinstance(devices, int) or (isinstance(devices, str) and "," not in devices):
            wanted = list(range(int(devices)))
        else:
            wanted = [int(one) for one in (devices.split(",") if isinstance(devices, str) else devices) if str(one)]
        missing = [one for one in wanted if not 0 <= one < here]
        if missing:
            raise accel.NoSuchDevice(f"no device {missing[0]}: {here} are visible. See  accel devices")
        return wanted

    @staticmethod
    def get_parallel_devices(devices: list[int]) -> list[torch.device]:
        kind = accel.platform().device_type or "cpu"
        return [torch.device(kind, one) if kind != "cpu" else torch.device("cpu") for one in devices]

    @staticmethod
    def auto_device_count() -> int:
        return len(accel.platform().devices)

    @staticmethod
    def is_available() -> bool:
        return AccelAccelerator.auto_device_count() > 0

    @staticmethod
    def name() -> str:
        return "accel"

    @classmethod
    def register_accelerators(cls, accelerator_registry: Any) -> None:
        accelerator_registry.register("accel", cls, description="every vendor's devices, by accel")


def get_available_flops(device: torch.device, dtype: torch.dtype | str) -> int | None:
    """Return the peak of dense matrix products, as Lightning's function of this name is meant; None: not known."""
    chip = accel.spec(accel.device_of(device))
    found = chip.peak_flops(dtype) if chip else None
    return None if found is None else int(found)
