"""The masks that restrict a program to certain devices, according to their vendor's plugin and verified with it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from accel.model.device import Device
from accel.model.errors import in_words
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import not_told

if TYPE_CHECKING:
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Backend
    from accel.watch.choose.choice import Masker


def masker(devices: Sequence[Device], registry: "Registry", variables: Mapping[str, str]) -> "Masker":
    """Return a function that asks the vendor's plugin for the mask of some devices."""

    def mask(chosen: Sequence[Device]) -> Mask:
        backend = registry.backend(chosen[0].backend)
        if backend is None or not hasattr(backend, "mask"):
            return not_told(chosen[0].backend)
        its_own = [device for device in devices if device.backend == chosen[0].backend]
        try:
            return _proven(backend, chosen, its_own, variables)
        except (Exception, SystemExit) as error:  # a plugin's code may raise anything
            return Mask(refused=f"its plugin broke: {in_words(error)}")

    return mask


def _proven(
    backend: "Backend", chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]
) -> Mask:
    """Return the mask if the plugin itself interprets it as showing exactly these devices."""
    answer = backend.mask(chosen, devices, variables)
    if answer.refused is not None:
        return answer
    seen = backend.visible(devices, {**variables, **answer.environment})
    shown = {device.id for device in seen if device.visible}
    if shown == {device.id for device in chosen}:
        return answer
    told = " ".join(f"{name}={value}" for name, value in answer.environment.items())
    return Mask(
        refused=f"its plugin's mask shows other devices than it should ({told or 'none is set'}); please report this"
    )
