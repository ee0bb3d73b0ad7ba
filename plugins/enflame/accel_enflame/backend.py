"""Enflame's accelerators as a backend. It imports nothing until one is here: every command asks.

Signs   /dev/gcu<N> and /dev/gcuctl, the driver's nodes; PCI vendor 1e36
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.contract.backend import Request
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.report import Report

_NODES: Final = ("/dev/gcuctl", "/dev/gcu0", "/dev/dtu0")
_PCI_IDS: Final = ("1e36:",)


class EnflameBackend:
    """The Backend of Enflame's accelerators; what it does is in live.py."""

    name = "enflame"
    vendor = "Enflame"

    @property
    def device_type(self) -> "type[Device]":
        from accel_enflame.model import EnflameDevice

        return EnflameDevice

    def detect(self, machine: "Machine") -> bool:
        """Say whether a node of the driver or a device on the PCI bus is here."""
        return any(machine.exists(path) for path in _NODES) or any(
            pci_id.startswith(_PCI_IDS) for pci_id in machine.pci_ids()
        )

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel.toolkit.tool_probe import probe
        from accel_enflame.live import TOOL

        return probe(TOOL, machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        from accel.toolkit.tool_probe import memory
        from accel_enflame.live import TOOL

        return memory(TOOL, machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        from accel.toolkit.tool_probe import sample
        from accel_enflame.live import TOOL

        return sample(TOOL, machine, devices)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        from accel.toolkit.tool_probe import processes
        from accel_enflame.live import TOOL

        return processes(TOOL, machine)

    def visible(self, devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Sequence[Device]":
        from accel_enflame.visibility import visible

        return visible(devices, variables)
