"""A vendor's device nodes as declared: which paths they are, and which device each belongs to.

"/dev/nvidia<minor_number>"   the number is this field of the device's record
"/dev/dri/renderD<pci>"       sysfs says which PCI device it belongs to: /sys/class/<class>/renderD128/device
"/dev/vfio/<iommu_group>"     the device's group: /sys/bus/pci/devices/<address>/iommu_group
"/dev/nvidia-caps/nvidia-cap<N>", "/dev/kfd"   of no particular device
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from accel.machine.files import names_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device

_SLOT: Final = re.compile(r"<([A-Za-z_]+)>")
_CLASSES: Final = ("drm", "accel", "misc")
_ADDRESS: Final = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class HeldNodes:
    """The nodes that vendors declare, each with its backend.

    addresses   the PCI addresses of nodes that only the vendor's own files relate to one
    """

    def __init__(self, stated: Iterable[tuple[str, Sequence[str]]], addresses: Mapping[str, str] | None = None) -> None:
        self._rows = tuple((backend, node) for backend, nodes in stated for node in nodes)
        self._addresses = addresses or {}

    def __bool__(self) -> bool:
        return bool(self._rows)

    def path_in(self, target: str) -> str | None:
        """Return which node an open file is, as a path starting at /dev; None if it is none of them.

        >>> HeldNodes([("acme", ["/dev/acme<index>"])]).path_in("/run/c/rootfs/dev/acme3")
        '/dev/acme3'
        """
        place = target.rfind("/dev/")
        if place < 0:
            return None
        path = target[place:]
        return path if any(form.fullmatch(path) for _, _, form in self._forms) else None

    def here(self, machine: "Machine") -> bool:
        """Return whether any of the nodes exists."""
        from accel.vendors.toolkit.presence import shown

        return shown((_SLOT.sub("<N>", node) for _, node in self._rows), machine)

    def owner(self, path: str, devices: "Sequence[Device]", machine: "Machine") -> tuple[str, str | None] | None:
        """Return a node's backend and the id of its device, which is None if it belongs to no particular device.

        If several vendors declare a node, it belongs to the one with such a device on this machine. None: nobody
        declares it.
        """
        backends: list[str] = []
        for backend, slot, form in self._forms:
            match = form.fullmatch(path)
            if match is None:
                continue
            own = [d for d in devices if d.backend == backend and d.is_top_level]
            fits = _fits(slot, match["number"] if slot else "", self._addresses.get(path), path, machine)
            device = next((d.id for d in own if fits(d)), None)
            if device is not None:
                return backend, device
            backends.append(backend)
        here = [name for name in backends if any(d.backend == name for d in devices)]
        return next(((name, None) for name in (*here, *backends)), None)

    def node_of(self, device: "Device", machine: "Machine | None" = None) -> str | None:
        """Return the node of a whole device; None if none is declared for it, or what determines it is unknown.

        machine  whose sysfs says which PCI device a node belongs to; None: use only the record
        """
        for backend, node in self._rows:
            slot = _SLOT.search(node)
            if backend != device.backend or slot is None or slot[1] == "N":
                continue
            value = getattr(device, slot[1], None)
            if value is not None:
                return node[: slot.start()] + str(value) + node[slot.end() :]
            if machine is not None and slot[1] in ("pci", "iommu_group"):
                folder = posixpath.dirname(node)
                paths = (f"{folder}/{name}" for name in names_in(machine, folder))
                mine = (path for path in paths if self.owner(path, (device,), machine) == (backend, device.id))
                found = next((path for path in mine if self._is_of(node, path)), None)
                if found is not None:
                    return found
        return None

    def _is_of(self, node: str, path: str) -> bool:
        return any(
            one == node and form.fullmatch(path) for (_, one), (_, _, form) in zip(self._rows, self._forms, strict=True)
        )

    @cached_property
    def _forms(self) -> "tuple[tuple[str, str, re.Pattern[str]], ...]":
        """Return backend, meaning of the number ("" if there is none), and the pattern of the path."""
        forms = []
        for backend, node in self._rows:
            slot = _SLOT.search(node)
            text = (
                re.escape(node)
                if slot is None
                else (re.escape(node[: slot.start()]) + r"(?P<number>\d{1,6})" + re.escape(node[slot.end() :]))
            )
            forms.append((backend, slot[1] if slot else "", re.compile(text)))
        return tuple(forms)


def _fits(slot: str, number: str, told: str | None, path: str, machine: "Machine") -> "Callable[[Device], bool]":
    if slot == "pci" or told is not None:
        address = told or _address(path, machine)
        return lambda device: address is not None and device.pci_address == address
    if slot == "iommu_group":
        return lambda device: _group(device, machine) == number
    return lambda device: slot not in ("", "N") and str(getattr(device, slot, None)) == number


def _address(path: str, machine: "Machine") -> str | None:
    """Return the PCI address of a node from its link in sysfs."""
    name = posixpath.basename(path)
    for folder in _CLASSES:
        found = _ADDRESS.findall(machine.link(f"/sys/class/{folder}/{name}/device") or "")
        if not found:  # the class's entry is itself a link, and the whole way is in it
            found = _ADDRESS.findall(machine.link(f"/sys/class/{folder}/{name}") or "")
        if found:
            return str(found[-1])
    return None


def _group(device: "Device", machine: "Machine") -> str | None:
    if device.pci_address is None:
        return None
    link = machine.link(f"/sys/bus/pci/devices/{device.pci_address}/iommu_group")
    return posixpath.basename(link) if link else None
