"""Maps a device to the torch.device or jax.Device that this process would use, or says why it has none.

The hardware that an imported torch was built for is in its attributes: reading them queries no device and creates no
context.
Source  torch/version.py (cuda, hip, xpu); torch.utils.rename_privateuse1_backend, with which an extension adds a type
        and a module of the same name (torch.npu)
"""

import os
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import Device
from accel.model.errors import RequirementUnmet

if TYPE_CHECKING:
    import jax
    import torch


# Newer torch loads installed extensions itself; older torch, and TORCH_DEVICE_BACKEND_AUTOLOAD=0, do not.
EXTENSIONS: Final = {
    "npu": "torch_npu",
    "mlu": "torch_mlu",
    "musa": "torch_musa",
    "gcu": "torch_gcu",
    "hpu": "habana_frameworks.torch",
}


def has_type(torch: ModuleType, kind: str) -> bool:
    """Return whether this build can address devices of a type ("cuda"); imports the extension that adds the type."""
    if kind == "cpu":
        return True
    if kind == "cuda":
        return build_of(torch) is not None
    if kind == "mps":
        return bool(torch.backends.mps.is_built())
    if kind == "xpu":
        return getattr(torch.version, "xpu", None) is not None or bool(getattr(torch._C, "_has_xpu", False))
    if not hasattr(torch, kind) and kind in EXTENSIONS:
        _extend(EXTENSIONS[kind])
    return hasattr(torch, kind)


def build_of(torch: ModuleType) -> str | None:
    """Return the toolkit behind the type "cuda": "cuda" or "rocm"; None if the build has neither."""
    if getattr(torch.version, "hip", None) is not None:
        return "rocm"
    return "cuda" if getattr(torch.version, "cuda", None) is not None else None


def _extend(module: str) -> None:
    import importlib

    try:
        importlib.import_module(module)
    except Exception:  # an extension loads its vendor's libraries and may raise anything; the type is then missing
        pass


def record_of(device: "Device | str") -> Device:
    """Return the record itself, or the one with this id, UUID or PCI address. Raises NoSuchDevice."""
    if isinstance(device, Device):
        return device
    from accel.apps.api import device as named

    return named(device)


def runtime_names(device: Device, framework: str) -> tuple[str, ...]:
    """Return the runtime names with the masks applied: ("cuda:1",).

    The masks are those that were set when the record was made. Raises RequirementUnmet for a hidden or unnumbered
    device.
    """
    if device.visible is False:
        raise RequirementUnmet(
            f"{device.id} was requested as a {framework} device, but it is hidden from this process{_masks()}. "
            "Add it to the mask before the process starts, or choose another: accel devices shows their names."
        )
    if not device.runtime_names:
        raise RequirementUnmet(
            f"{device.id} was requested as a {framework} device, but its number in the {device.vendor} runtime "
            f"is unknown before the runtime starts{_masks()}. Set the runtime's mask to one device; for CUDA "
            "with boards of different models, set CUDA_DEVICE_ORDER=PCI_BUS_ID."
        )
    return device.runtime_names


def imported(framework: str, device: Device) -> ModuleType:
    """Import the framework. Raises RequirementUnmet if it is not installed or fails to import."""
    import importlib

    try:
        return importlib.import_module(framework)
    except ModuleNotFoundError as error:
        if error.name != framework:
            raise _broken(framework, device, error) from error
        raise RequirementUnmet(
            f"{device.id} was requested as a {framework} device, but {framework} is not installed in this "
            f"Python. accel resolve {framework}  shows which build fits this machine."
        ) from error
    except Exception as error:  # a framework's import loads vendor libraries, and may raise anything
        raise _broken(framework, device, error) from error


def _broken(framework: str, device: Device, error: Exception) -> RequirementUnmet:
    said = str(error).strip() or type(error).__name__
    return RequirementUnmet(
        f"{device.id} was requested as a {framework} device, but importing {framework} fails: "
        f"{said.splitlines()[0]}. accel doctor  looks for the cause."
    )


def _masks() -> str:
    """Return a phrase that names the masks that are set; "" if none is."""
    marks = ("VISIBLE_", "AFFINITY_MASK", "DEVICE_SELECTOR")
    found = [f"{name}={value}" for name, value in sorted(os.environ.items()) if any(mark in name for mark in marks)]
    return f" ({', '.join(found)})" if found else ""


def torch_device(device: "Device | str") -> "torch.device":
    """Return the torch.device of one device, given its record, id, UUID or PCI address.

        accel.torch_device("nvidia:3")      device(type='cuda', index=0)   under CUDA_VISIBLE_DEVICES=3
        accel.torch_device("ascend:1")      device(type='npu', index=1)
        accel.torch_device("cpu:0")         device(type='cpu')

    Imports torch, and the extension that provides a type such as npu; creates no context and starts no runtime, so
    processes may still be forked afterwards. If a mask changes after torch has started its runtime, torch ignores the
    change, and this function does not notice that.

    Raises NoSuchDevice for an unknown id; RequirementUnmet if a mask hides the device, if its index cannot be known
    before the runtime starts, and if torch is missing, broken or built for other hardware.
    """
    known = record_of(device)
    names = runtime_names(known, "torch")
    torch = imported("torch", known)
    # A tensor on the CPU has device "cpu", which is unequal to "cpu:0". Torch on a CUDA layer says cuda for any vendor.
    for name in sorted(names, key=lambda name: (":" in name, not name.startswith("cuda"))):
        if has_type(torch, name.partition(":")[0]):
            _refuse_other_build(torch, known, name)
            found: Any = torch.device(name)
            return found
    raise _lacking(torch, known, names)


def _refuse_other_build(torch: ModuleType, device: Device, name: str) -> None:
    """Raise RequirementUnmet if a build is the other vendor's: CUDA and ROCm builds both say "cuda"."""
    from accel.specs import load

    build = build_of(torch)
    table = load().table("frameworks/installers")
    if not name.startswith("cuda") or build is None or table is None:
        return
    titles = {family["name"]: (family["vendor"], family["title"]) for family in table["families"]}
    vendor, title = titles.get(build, (device.backend, build))
    if vendor != device.backend and device.backend in {owner for owner, _ in titles.values()}:
        raise RequirementUnmet(
            f"{device.id} was requested as a torch device, but torch {torch.__version__} is built for {title}, "
            f"which does not support {device.vendor} devices. accel resolve torch  shows which build does."
        )


def _lacking(torch: ModuleType, device: Device, names: tuple[str, ...]) -> RequirementUnmet:
    kinds = list(dict.fromkeys(name.partition(":")[0] for name in names))
    brought = [EXTENSIONS[kind] for kind in kinds if kind in EXTENSIONS]
    remedy = f"It comes with {brought[0]}: install it, and check that  import {brought[0]}  works. " if brought else ""
    return RequirementUnmet(
        f"{device.id} was requested as a torch device, but torch {torch.__version__} has no device type "
        f"{' or '.join(kinds)}. {remedy}accel resolve torch  shows which build supports this machine."
    )


PLATFORMS: Final = {"cuda": "gpu", "mps": "METAL"}  # runtime's name: JAX's name, if they differ


def jax_device(device: "Device | str") -> "jax.Device":
    """Return the jax.Device of one device, given its record, id, UUID or PCI address.

    Calls jax.local_devices(), which starts JAX's backends: it creates a GPU context and may reserve memory, or claims a
    TPU for this process. Fork before calling it, not after.

    Devices are matched by what identifies them if JAX reports it (UUID, PCI address, coordinates), else by their index
    within the masks, else by a unique name. For a TPU chip with two cores the result is the first core.

    Raises NoSuchDevice for an unknown id; RequirementUnmet if a mask hides the device, if JAX is missing or broken, has
    no such platform, or lists no device that is certainly this one.
    """
    known = record_of(device)
    names = known.runtime_names or ()
    if known.visible is False:
        runtime_names(known, "jax")
    jax = imported("jax", known)
    listed: list[Any] = []
    refusals: list[str] = []
    for kind in dict.fromkeys(name.partition(":")[0] for name in names):
        try:
            listed += jax.local_devices(backend=PLATFORMS.get(kind, kind))
        except RuntimeError as error:  # raised by JAX for a platform that is missing or failed to start
            refusals.append(str(error).splitlines()[0])
    if names and not listed:
        raise RequirementUnmet(
            f"{known.id} was requested as a JAX device, but JAX {jax.__version__} reports: {'; '.join(refusals)}. "
            "accel resolve jax  shows which build supports this machine, accel doctor  why one does not start."
        )
    found = matched(known, names, listed or jax.local_devices())
    if found is None:
        runtime_names(known, "jax")
        raise RequirementUnmet(
            f"{known.id} was requested as a JAX device, but none of JAX's devices matches it with certainty: "
            f"{', '.join(map(str, listed))}. accel devices  shows how accel identifies it."
        )
    return found


def matched(device: Device, names: Sequence[str], listed: Sequence[Any]) -> Any:
    """Return JAX's device that is this device; None if no match is certain."""
    for fact, attributes in (
        ("uuid", ("uuid",)),
        ("pci_address", ("pci_address", "pci_bus_id")),
        ("coords", ("coords",)),
    ):
        mine = _plain(getattr(device, fact, None))
        told = [(other, _plain(_first(other, attributes))) for other in listed]
        if mine is not None and all(theirs is not None for _, theirs in told):
            return next((other for other, theirs in told if theirs == mine), None)
    numbers = [int(number) for _, _, number in (name.partition(":") for name in names) if number.isdecimal()]
    if numbers:
        return next((d for place, d in enumerate(listed) if _number(d, place) == numbers[0]), None)
    same = [d for d in listed if device.name is not None and getattr(d, "device_kind", None) == device.name]
    return same[0] if len(same) == 1 else None


def _number(device: Any, place: int) -> int:
    """Return the index in this process: the one JAX reports for the device, else its position in JAX's list."""
    number = getattr(device, "local_hardware_id", None)
    return place if number is None else int(number)


def _first(device: Any, attributes: Sequence[str]) -> Any:
    return next((value for name in attributes if (value := getattr(device, name, None)) is not None), None)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value.lower() if isinstance(value, str) else value
