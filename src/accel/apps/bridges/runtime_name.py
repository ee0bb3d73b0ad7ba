"""The name of a device in this process's runtimes, or why it has none."""

import os
from types import ModuleType

from accel.model.device import Device
from accel.model.errors import RequirementUnmet


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
