"""Maps a framework's device to accel's record of it, and to the data types in which it can compute.

The framework is not started.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput, NoSuchDevice

if TYPE_CHECKING:
    import jax
    import torch


_SEVERAL: Final = 2
_RUNTIMES: Final = {"gpu": "cuda", "rocm": "cuda", "metal": "mps"}  # JAX's platform: the runtime's name


def device_of(device: "torch.device | jax.Device | str") -> Device:
    """Return the record of a framework's device: a torch.device, a jax.Device, or a name such as "cuda:1".

        accel.device_of(model.weight.device).memory_free_bytes

    A torch.device without a number is torch's current device, which is the first one until torch has started.
    Imports nothing and starts nothing: the answer is computed from the masks.
    Raises NoSuchDevice for a name that no device here has, or that two vendors' runtimes both use ("cuda:0" with AMD
    and NVIDIA devices; an imported torch resolves it), BadInput for anything that is not a device.
    """
    from accel.apps.api import devices

    name = runtime_name_of(device)
    here = devices()
    called = _of_this_build([d for d in here if name in (d.runtime_names or ())])
    if not called:
        names = ", ".join(f"{d.runtime_names[0]} ({d.id})" for d in here if d.runtime_names)
        raise NoSuchDevice(f"No device on this machine is called {name!r}. It has: {names}. Try  accel devices")
    from accel.facts.device_names import the_only

    return the_only(called, name)


def _of_this_build(called: "list[Device]") -> "list[Device]":
    """Return the devices that the imported torch, if any, was built to address."""
    import sys

    torch = sys.modules.get("torch")
    if len(called) < _SEVERAL or torch is None:
        return called
    from accel.apps.bridges.framework_device import build_of
    from accel.apps.sdk.platforms import words_of

    build = build_of(torch)
    return [d for d in called if words_of(d.backend).get("torch_build", "cuda") == build] or called


def runtime_name_of(device: Any) -> str:
    """Return the runtime name ("cuda:1") of a framework's device. Raises BadInput."""
    if isinstance(device, str):
        kind, _, digits = device.partition(":")
        return _named(kind, int(digits) if digits.isdecimal() else None)
    if isinstance(torchs := getattr(device, "type", None), str):
        return _named(torchs, getattr(device, "index", None))
    if isinstance(platform := getattr(device, "platform", None), str):
        place = getattr(device, "local_hardware_id", None)
        runtime = _RUNTIMES.get(platform.lower(), platform.lower())
        return _named(runtime, getattr(device, "id", None) if place is None else place)
    raise BadInput(f"{device!r:.80} is no torch.device, jax.Device or name such as 'cuda:0'. Pass one of these.")


def _named(kind: str, number: int | None) -> str:
    return f"{kind}:{_current(kind) if number is None else number}"


def _current(kind: str) -> int:
    """Return torch's current device of a type if torch is already running, else 0, its initial value."""
    import sys

    module: Any = getattr(sys.modules.get("torch"), kind, None)
    if module is None or not getattr(module, "is_initialized", lambda: False)():
        return 0
    current = module.current_device()
    return current if isinstance(current, int) else 0  # for the CPU torch returns "cpu"


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
