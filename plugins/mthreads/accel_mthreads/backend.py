"""Moore Threads' GPUs as a backend. It imports nothing until it is asked: every command asks whether one is here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.contract.backend import Request
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.report import Report


class MThreadsBackend:
    """The Backend of Moore Threads' GPUs; what it does is in live.py."""

    name = "mthreads"
    vendor = "Moore Threads"

    @property
    def device_type(self) -> "type[Device]":
        from accel_mthreads.model import MThreadsDevice

        return MThreadsDevice

    def detect(self, machine: "Machine") -> bool:
        from accel_mthreads.presence import may_be_here

        return may_be_here(machine)

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel.toolkit.tool_probe import probe
        from accel_mthreads.live import TOOL

        return probe(TOOL, machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        from accel.toolkit.tool_probe import memory
        from accel_mthreads.live import TOOL

        return memory(TOOL, machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        from accel.toolkit.tool_probe import sample
        from accel_mthreads.live import TOOL

        return sample(TOOL, machine, devices)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        from accel.toolkit.tool_probe import processes
        from accel_mthreads.live import TOOL

        return processes(TOOL, machine)

    def visible(self, devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Sequence[Device]":
        from accel_mthreads.visibility import with_visibility

        return with_visibility(devices, variables)
