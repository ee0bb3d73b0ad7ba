"""Neuron devices on a live machine: the driver's files, and `neuron-ls -j` with a deadline.

neuron-ls occupies no core. neuron-monitor, the only source of core utilisation, answers only after a period of seconds
and never exits by itself, so it is not started: that fact is a gap.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.tool_answers import HUNG_BEFORE, answer, failed, printed, why_nothing
from accel_neuron.found_files import files_report, readings
from accel_neuron.model import BACKEND, NeuronDevice
from accel_neuron.readers.neuron_ls_json import READER

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_SECONDS: Final = 8.0
_CALL: Final = "neuron-ls -j"
_TOOLS: Final = ("neuron-ls", "/opt/aws/neuron/bin/neuron-ls")
_UNMEASURED: Final = ("memory_used_bytes", "utilization_percent")
_UNASKED: Final = "neuron-monitor measures it over a period; run  neuron-monitor  and give what it prints"


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read neuron-ls's output and the files."""
    files = files_report(machine)
    measured = any(device.memory_used_bytes is not None for device in files.devices)
    answers = list(_answers(machine, request, ("utilization_percent",) if measured else _UNMEASURED))
    for device in next((report.devices for report in answers if report.devices), files.devices):
        request.progress.found(device)
    return (*answers, files)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one device's memory: its size from neuron-ls, its use from the files; None if neither lists it."""
    device = next((d for d in _devices(_run(machine)) if d.id == device_id), None)
    if device is None:
        return None
    total, used = device.memory_total_bytes, readings(machine, device.index)["memory_used_bytes"]
    free = total - used if total is not None and used is not None and total >= used else None
    return Memory(total_bytes=total, used_bytes=used, free_bytes=free)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with their current processes, memory and errors."""
    latest = processes(machine)
    return tuple(
        replace(
            d,
            processes=latest.get(d.id),
            utilization_percent=None,
            memory_free_bytes=None,
            **readings(machine, d.index),
        )
        if isinstance(d, NeuronDevice)
        else d
        for d in devices
    )


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes that use the Neuron runtime, as listed by neuron-ls."""
    return {device.id: device.processes for device in _devices(_run(machine))}


def _answers(machine: "Machine", request: Request, unmeasured: Sequence[str]) -> Iterator[Report]:
    if (_CALL, None) in request.skip:
        yield failed(BACKEND, _CALL, HUNG_BEFORE)
        return
    request.progress.calling(_CALL)
    result = _run(machine)
    found = [report for reading in READER.read(result.stdout) for report in reading.reports]
    for report in found:
        gaps = tuple(Gap(fact=fact, reason=_UNASKED, backend=BACKEND, source=_CALL) for fact in unmeasured)
        yield replace(report, status="partial", gaps=gaps)
    if not found:
        reason = why_nothing("neuron-ls", result, "it is part of the package aws-neuronx-tools")
        yield failed(BACKEND, _CALL, reason, *_refused(result))


def _refused(result: "CommandResult") -> tuple[Noted, ...]:
    said = printed(result)
    return (noted("neuron-no-device", said, _CALL),) if "no neuron device" in said.lower() else ()


def _run(machine: "Machine") -> "CommandResult":
    return answer(machine, _TOOLS, ("-j",), _SECONDS)


def _devices(result: "CommandResult") -> list[Device]:
    return [d for reading in READER.read(result.stdout) for report in reading.reports for d in report.devices]
