"""The data types in which a framework's device can compute, found without starting the framework."""

from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    import jax
    import torch

    from accel.model.device import Device

# torch's names of the formats that it has types for (dir(torch) of 2.13). The others of accel.supports, such
# as tf32, are compute modes, not types.
_TORCH: Final = {
    "fp64": "float64",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp8_e4m3fn": "float8_e4m3fn",
    "fp8_e4m3fnuz": "float8_e4m3fnuz",
    "fp8_e5m2": "float8_e5m2",
    "fp8_e5m2fnuz": "float8_e5m2fnuz",
    "int8": "int8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What a device can compute.

    device   its record
    numbers  its compute capability: (9, 0); None if its vendor has none, or it is unknown
    target   the compiler's name for it: "sm_90", "gfx942"
    supported_dtypes  torch's names of the types that it computes in natively: {"bfloat16", "float16"}. Types whose
             support is unknown are in `unknown_dtypes` instead
    """

    device: "Device"
    numbers: tuple[int, ...] | None
    target: str | None
    supported_dtypes: frozenset[str]
    unknown_dtypes: frozenset[str] = frozenset()


def capability_of(device: "torch.device | jax.Device | Device | str") -> Capability:
    """Return what a device can compute, based on its chip; no framework is imported or started.

    device  anything `accel.device_of` accepts, or a record

    It is narrower than torch.accelerator.get_device_capability, which counts types that tensors may be stored in: that
    is  accel.supports(device, dtype, "storage"). Raises NoSuchDevice, and BadInput for anything that is not a device.
    """
    from accel.apps.bridges.device_of import device_of
    from accel.apps.sdk.dtypes import supports
    from accel.model.device import Device

    known = device if isinstance(device, Device) else device_of(device)
    told = {torchs: supports(known, name) for name, torchs in _TORCH.items()}
    return Capability(
        device=known,
        numbers=known.capability,
        target=known.target,
        supported_dtypes=frozenset(name for name, answer in told.items() if answer),
        unknown_dtypes=frozenset(name for name, answer in told.items() if answer is None),
    )
