"""Intel's Gaudi cards as a backend. It imports nothing until it is asked: every command asks whether one is here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.contract.backend import Request
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.report import Report


class GaudiBackend:
    """The Backend of Intel's Gaudi cards; what it does is in live.py."""

    name = "gaudi"
    vendor = "Intel"

    @property
    def device_type(self) -> "type[Device]":
        from accel_gaudi.model import GaudiDevice

        return GaudiDevice

    def detect(self, machine: "Machine") -> bool:
        from accel_gaudi.presence import may_be_here

        return may_be_here(machine)

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel_gaudi import live

        return live.probe(machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        from accel_gaudi import live

        return live.memory(machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        from accel_gaudi import live

        return live.sample(machine, devices)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        from accel_gaudi import live

        return live.processes(machine)

    def visible(self, devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Sequence[Device]":
        from accel_gaudi.visibility import visible

        return visible(devices, variables)
