"""Maps a device to the torch.device that this process would use."""

from types import ModuleType
from typing import TYPE_CHECKING, Any

from accel.apps.bridges.runtime_name import imported, record_of, runtime_names
from accel.apps.bridges.torch_build import EXTENSIONS, build_of, has_type
from accel.model.device import Device
from accel.model.errors import RequirementUnmet

if TYPE_CHECKING:
    import torch


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
