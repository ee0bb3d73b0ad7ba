"""Huawei's NPUs as a backend. It imports nothing until it is asked: every command asks whether one is here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from accel_ascend.chips import BACKEND, VENDOR

if TYPE_CHECKING:
    from accel.contract.backend import Request
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.report import Report


class AscendBackend:
    """The Backend of Huawei's NPUs; what it does is in live.py."""

    name = BACKEND
    vendor = VENDOR

    @property
    def device_type(self) -> "type[Device]":
        from accel_ascend.model import AscendDevice

        return AscendDevice

    def detect(self, machine: "Machine") -> bool:
        from accel_ascend.presence import may_be_here

        return may_be_here(machine)

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel_ascend import live

        return live.probe(machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        from accel_ascend import live

        return live.memory(machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        from accel_ascend import live

        return live.sample(machine, devices)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        from accel_ascend import live

        return live.processes(machine)

    def visible(self, devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Sequence[Device]":
        from accel_ascend.visibility import with_visibility

        return with_visibility(devices, variables)
