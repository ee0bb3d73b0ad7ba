"""Which cards a new process would see.

HABANA_VISIBLE_MODULES   read by Intel's runtime: the module IDs, "0,1", that a process may use. Unset: any.
HABANA_VISIBLE_DEVICES   read by the container runtime when a container is created: indices, "all", "none". Inside the
                         container it has already been applied, so it hides nothing more from a process.

Source  docs.habana.ai: PyTorch runtime flags, Multiple Workloads on a Single Docker
"""

from collections.abc import Mapping, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hidden_by, quoted

RUNTIME_MASK = "HABANA_VISIBLE_MODULES"
CONTAINER_MASK = "HABANA_VISIBLE_DEVICES"


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` set; None if the mask cannot be parsed or the module ID is unknown.

    `runtime_names` is "hpu:0" only if a single card is left: with several, which one becomes hpu:0 is decided when a
    process acquires them.
    """
    modules = module_ids(variables.get(RUNTIME_MASK))
    shown = [_is_shown(device, modules, RUNTIME_MASK in variables) for device in devices]
    only = shown.count(True) == 1 and None not in shown
    return tuple(
        replace(device, visible=is_shown, runtime_names=_names(is_shown, only))
        for device, is_shown in zip(devices, shown, strict=True)
    )


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen cards: their module IDs."""
    allowed = module_ids(variables.get(RUNTIME_MASK))
    modules = [getattr(device, "module_id", None) for device in chosen]
    if None in modules:
        return Mask(refused="its module id is unknown:  hl-smi -Q index,module_id -f csv  shows it")
    if RUNTIME_MASK in variables and allowed is None:
        return Mask(refused=f"{quoted(variables, (RUNTIME_MASK,))} is no list of module ids")
    if allowed is not None and not set(modules) <= set(allowed):
        return hidden_by(variables, (RUNTIME_MASK,))
    return Mask(environment={RUNTIME_MASK: ",".join(map(str, modules))})


def module_ids(mask: str | None) -> tuple[int, ...] | None:
    """Return the module IDs of a mask; None without a mask, or if it cannot be parsed.

    >>> module_ids("0, 3"), module_ids("all"), module_ids("")
    ((0, 3), None, ())
    """
    if mask is None:
        return None
    parts = [part.strip() for part in mask.split(",") if part.strip()]
    return tuple(map(int, parts)) if all(part.isascii() and part.isdecimal() for part in parts) else None


def _is_shown(device: Device, modules: tuple[int, ...] | None, masked: bool) -> bool | None:
    if not masked:
        return True
    module = getattr(device, "module_id", None)
    return None if modules is None or module is None else module in modules


def _names(is_shown: bool | None, only: bool) -> tuple[str, ...] | None:
    if is_shown is False:
        return ()
    return ("hpu:0",) if is_shown and only else None
