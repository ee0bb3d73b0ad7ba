"""Hygon's DCUs of a live machine: hy-smi, each call with a deadline; the PCI bus."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from accel.backend import Reading, Request
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Event, Report
from accel_hygon.model import BACKEND, VENDOR, HygonDevice
from accel_hygon.presence import PCI_VENDOR, has_node, is_dcu

if TYPE_CHECKING:
    from accel.command import CommandResult
    from accel.machine import Machine

_SECONDS: Final = 8.0
_CALLS: Final = (
    ("hy-smi",),
    ("hy-smi", "--showproductname", "--showbus", "--showmeminfo", "vram", "--showtemp", "--showuse", "--json"),
)
_FOLDERS: Final = ("/opt/hyhal/bin", "/usr/local/hyhal/bin")  # not on the PATH of most hosts
_BUS: Final = "/sys/bus/pci/devices"
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "health",
    "processes",
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read the tool's two answers and the bus; the bus counts where the tool lists none."""
    answers = list(_answers(machine, request, _CALLS))
    listed = _by_id(answers)
    files = _files(machine, tuple(listed.values()))
    for device in (listed or _by_id([files])).values():
        request.progress.found(device)
    return (*answers, files)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one DCU's memory; None if hy-smi does not answer or does not say it."""
    device = _by_id(_answers(machine, Request(), _CALLS[1:])).get(device_id)
    if device is None:
        return None
    return Memory(
        total_bytes=device.memory_total_bytes,
        used_bytes=device.memory_used_bytes,
        free_bytes=device.memory_free_bytes,
    )


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with the readings of now; None where they are no longer said."""
    latest = _by_id(_answers(machine, Request(), _CALLS))
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return every DCU with None: hy-smi lists processes, but not by DCU."""
    return {device.id: None for device in _table(machine).values()}


def _sampled(device: Device, latest: Device | None) -> Device:
    unknown = {"health": "unknown"}
    fresh: dict[str, Any] = {name: getattr(latest, name) if latest else unknown.get(name) for name in _CHANGING}
    return replace(device, **fresh)


def _table(machine: "Machine") -> Mapping[str, Device]:
    return _by_id(_answers(machine, Request(), _CALLS[:1]))


def _by_id(reports: Iterable[Report]) -> dict[str, Device]:
    found: dict[str, Device] = {}
    for report in reports:
        for device in report.devices:
            known = found.get(device.id)
            found[device.id] = device if known is None else _filled(known, device)
    return found


def _filled(first: Device, second: Device) -> Device:
    """Return the first with what only the second knows."""
    both = (f.name for f in fields(first) if hasattr(second, f.name))
    more: dict[str, Any] = {n: getattr(second, n) for n in both if getattr(first, n) in (None, "unknown")}
    return replace(first, **more)


def _answers(machine: "Machine", request: Request, calls: Sequence[Sequence[str]]) -> Iterator[Report]:
    for argv in calls:
        call = " ".join(argv)
        if (call, None) in request.skip:
            yield _failed(call, "it hung or crashed before")
            continue
        request.progress.calling(call)
        result = _run(machine, argv)
        reports = [report for reading in _readings(result.stdout) for report in reading.reports if report.devices]
        if not reports:
            yield _failure(call, result)
            if result.missing:
                return
        for report in reports:
            gap = Gap(fact=call, reason=_reason(result), backend=BACKEND, source=call)
            whole = result.exit_code == 0
            yield report if whole else replace(report, status="partial", gaps=(*report.gaps, gap))


def _run(machine: "Machine", argv: Sequence[str]) -> "CommandResult":
    result = machine.run(argv, _SECONDS)
    for folder in _FOLDERS:
        if result.missing:
            result = machine.run((f"{folder}/{argv[0]}", *argv[1:]), _SECONDS)
    return result


def _readings(text: str) -> Iterator[Reading]:
    from accel_hygon.readers import hygon_readers

    for reader in hygon_readers():
        if any(sign in text for sign in reader.signs):
            yield from reader.read(text)


def _reason(result: "CommandResult") -> str:
    if result.missing:
        return "hy-smi is not installed, nor mounted into this container: it comes with the driver, in /opt/hyhal/bin"
    if result.timed_out:
        return f"no answer in {result.seconds:.0f} s, and was killed; see  dmesg"
    printed = "".join(c if c.isprintable() else " " for c in f"{result.stdout} {result.stderr}")
    said = " ".join(printed.split())[:120] or "nothing"
    return f"ended with {result.exit_code} and said: {said}"


def _failure(call: str, result: "CommandResult") -> Report:
    report = _failed(call, _reason(result))
    if result.missing:
        return replace(report, status="absent")
    name = "hy-smi-hung" if result.timed_out else "hy-smi-no-list"
    return replace(report, events=(Event(name=name, message=_reason(result), source=call),), seconds=result.seconds)


def _failed(call: str, reason: str) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=BACKEND, source=call)
    return Report(backend=BACKEND, source=call, status="failed", trust=60, gaps=(gap,))


def _files(machine: "Machine", listed: Sequence[Device]) -> Report:
    """Return what the PCI bus says: of the listed DCUs, or of all where none is listed."""
    found = _dcus(machine)
    events: tuple[Event, ...] = ()
    if found and not has_node(machine):
        message = f"{len(found)} DCUs on the PCI bus, and no node /dev/kfd or /dev/mkfd"
        events = (Event(name="dcu-no-node", message=message, source="sysfs"),)
    if listed:
        places = {device.pci_address: device for device in listed if device.parent is None}
        found = [replace(d, id=at.id, index=at.index) for d in found if (at := places.get(d.pci_address))]
    return Report(
        backend=BACKEND,
        source="sysfs",
        status="ok" if found else "absent",
        trust=40,
        devices=tuple(found),
        events=events,
    )


def _dcus(machine: "Machine") -> list[HygonDevice]:
    dcus: list[HygonDevice] = []
    for address in machine.list(_BUS):
        if _file(machine, f"{_BUS}/{address}/vendor").lower() != f"0x{PCI_VENDOR}":
            continue
        device = _file(machine, f"{_BUS}/{address}/device").lower().removeprefix("0x")
        if not is_dcu(f"{PCI_VENDOR}:{device}"):
            continue
        node = _file(machine, f"{_BUS}/{address}/numa_node")
        dcus.append(
            HygonDevice(
                id=f"{BACKEND}:{len(dcus)}",
                index=len(dcus),
                backend=BACKEND,
                vendor=VENDOR,
                kind="gpu",
                pci_address=address,
                pci_id=f"{PCI_VENDOR}:{device}" if device else None,
                numa_node=int(node) if node.isdecimal() else None,
            )
        )
    return dcus


def _file(machine: "Machine", path: str) -> str:
    try:
        return machine.read(path, 4096).strip()
    except OSError:
        return ""
