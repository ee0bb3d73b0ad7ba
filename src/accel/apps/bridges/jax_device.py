"""Maps a device to the jax.Device of this process."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps.bridges.runtime_name import imported, record_of, runtime_names
from accel.model.device import Device
from accel.model.errors import RequirementUnmet

if TYPE_CHECKING:
    import jax

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
