"""From a device to the jax.Device of this process."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps.bridges.runtime_name import imported, record_of, runtime_names
from accel.model.device import Device
from accel.model.errors import RequirementUnmet

if TYPE_CHECKING:
    import jax

PLATFORMS: Final = {"cuda": "gpu", "mps": "METAL"}  # a runtime's word: JAX's, where they differ


def jax_device(device: "Device | str") -> "jax.Device":
    """Return the jax.Device of one device, by its record, id, uuid or PCI address.

    Asks jax.local_devices(), which starts JAX's backends: a GPU's context is made and memory may be reserved, a TPU is
    claimed by this process. Fork before, not after.
    The match is made by what identifies the device where JAX tells it (UUID, PCI address, coordinates), else by its
    number within the masks, else by a name that only one device has. Of a TPU chip with two cores it is the first.
    Raises NoSuchDevice for an unknown id; RequirementUnmet where a mask hides the device, where JAX is missing or
    broken, has no such platform, or lists no device that is surely this one.
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
        except RuntimeError as error:  # JAX's word for a platform that it lacks or that did not start
            refusals.append(str(error).splitlines()[0])
    if names and not listed:
        raise RequirementUnmet(
            f"{known.id} was wanted as a JAX device, but JAX {jax.__version__} said: {'; '.join(refusals)}. "
            "accel resolve jax  says which build serves this machine, accel doctor  why one does not start."
        )
    found = matched(known, names, listed or jax.local_devices())
    if found is None:
        runtime_names(known, "jax")
        raise RequirementUnmet(
            f"{known.id} was wanted as a JAX device, but none of JAX's is surely it: {', '.join(map(str, listed))}. "
            "accel devices  shows what accel takes it for."
        )
    return found


def matched(device: Device, names: Sequence[str], listed: Sequence[Any]) -> Any:
    """Return the one of JAX's devices that is the device; None if none is, or none surely."""
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
    """Return the number in this process: the device's own where JAX tells it, else its place in JAX's list."""
    number = getattr(device, "local_hardware_id", None)
    return place if number is None else int(number)


def _first(device: Any, attributes: Sequence[str]) -> Any:
    return next((value for name in attributes if (value := getattr(device, name, None)) is not None), None)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value.lower() if isinstance(value, str) else value
