"""Ascend NPUs on a live machine: files first, then `npu-smi`, each call with a deadline and in its own process group.

Every npu-smi call initialises DCMI, which starts helper processes and, in a plain container, claims the device; so
`accel devices` makes a single call, and the checks a few more within a time budget.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Device, Gap, Memory, Process, memory_of
from accel.model.observation import Observation
from accel.model.report import Report
from accel.vendors.contract.backend import Reading, Request
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.pci_boards import Board
from accel.vendors.toolkit.tool_answers import answer, why_nothing
from accel_ascend import found_files
from accel_ascend.chips import BACKEND, family_of_pci_id
from accel_ascend.model import AscendDevice

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_TABLE_SECONDS: Final = 10.0
_QUERY_SECONDS: Final = 5.0
_HEALTH_SECONDS: Final = 8.0  # seconds for all queries of depth "health"
_TOOLS: Final = ("npu-smi", "/usr/local/bin/npu-smi", "/usr/local/sbin/npu-smi")
_TABLE_CALL: Final = "npu-smi info"
_TOPOLOGY: Final = ("info", "-t", "topo")
_SUPERPOD: Final = ("info", "-t", "spod-info")
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "hbm_used_bytes",
    "ddr_used_bytes",
    "hugepages_used",
    "utilization_percent",
    "aicore_percent",
    "temperature_celsius",
    "power_watts",
    "health",
    "health_text",
    "processes",
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read npu-smi's output and the files; the chips from the files count if npu-smi has none."""
    chips, present = found_files.pci_chips(machine), found_files.nodes(machine)
    answers = list(_answers(machine, request))
    listed = [d for report in answers for d in report.devices if isinstance(d, AscendDevice)]
    files = _files(machine, chips, present, listed)
    for device in listed or files.devices:
        request.progress.found(device)
    return (*answers, files, *_versions(machine))


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one chip's memory from the table; None if npu-smi does not respond or does not list the chip."""
    device = next((d for d in _table(machine) if d.id == device_id), None)
    return memory_of(device)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with the table's current readings; None if it no longer reports them."""
    latest = {device.id: device for device in _table(machine)}
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes in the table: in a plain container, only those of this container."""
    return {device.id: device.processes for device in _table(machine)}


def _answers(machine: "Machine", request: Request) -> Iterator[Report]:
    if (_TABLE_CALL, None) in request.skip:
        gap = Gap(fact=_TABLE_CALL, reason="it hung or crashed before", backend=BACKEND, source=_TABLE_CALL)
        yield Report(backend=BACKEND, source=_TABLE_CALL, status="failed", trust=60, gaps=(gap,))
        return
    request.progress.calling(_TABLE_CALL)
    result = answer(machine, _TOOLS, ("info",), _TABLE_SECONDS)
    text = result.stdout
    if not any(report.devices for reading in _readings(text) for report in reading.reports):
        yield _failure(result)
        return
    gaps: tuple[Gap, ...] = ()
    seen: tuple[Observation, ...] = ()
    if result.timed_out or result.exit_code:
        broken = _failure(result)
        gaps, seen = broken.gaps, broken.observations
    elif request.depth != "devices":
        more, gaps = _queries(machine, request, text)
        text += more
    for reading in _readings(text):
        for report in reading.reports:
            status = "partial" if gaps else report.status
            yield replace(report, status=status, gaps=report.gaps + gaps, observations=report.observations + seen)
            gaps, seen = (), ()


def _readings(text: str) -> list[Reading]:
    from accel.vendors.contract.backend import has_sign
    from accel.vendors.toolkit.members import readers_of

    found: list[Reading] = []
    for reader in readers_of("accel_ascend"):
        if has_sign(reader, text.lower()):
            found.extend(reader.read(text))
    return found


def _table(machine: "Machine") -> list[AscendDevice]:
    readings = _readings(answer(machine, _TOOLS, ("info",), _TABLE_SECONDS).stdout)
    found = (device for reading in readings for report in reading.reports for device in report.devices)
    return [device for device in found if isinstance(device, AscendDevice)]


def _failure(result: "CommandResult") -> Report:
    """Return the report for an npu-smi without a table: missing, hung, refused, or with unknown output."""
    from accel_ascend.readers.smi_error import error_noted

    seen = error_noted(" ".join(result.argv), f"{result.stdout}\n{result.stderr}", result.exit_code)
    if seen is None or result.missing or result.timed_out:
        name = "npu-smi-missing" if result.missing else "npu-smi-hung" if result.timed_out else "npu-smi-no-list"
        seen = noted(name, why_nothing("npu-smi", result), _TABLE_CALL)
    return Report(
        backend=BACKEND,
        source=_TABLE_CALL,
        status="absent" if result.missing else "failed",
        trust=60,
        observations=(seen,),
        gaps=(Gap(fact="devices", reason=seen.text, backend=BACKEND, source=_TABLE_CALL),),
        seconds=result.seconds,
    )


def _queries(machine: "Machine", request: Request, table: str) -> tuple[str, tuple[Gap, ...]]:
    """Return the output of the queries that the checks need beyond the table, by command; and the skipped queries."""
    devices = [d for r in _readings(table) for p in r.reports for d in p.devices if isinstance(d, AscendDevice)]
    wanted: list[tuple[str, ...]] = [("info", "-m")]
    for device in sorted(devices, key=lambda d: d.health == "ok"):
        chip = () if device.chip_id is None else ("-c", str(device.chip_id))
        if device.health != "ok":
            wanted.append(("info", "-t", "health", "-i", str(device.npu_id), *chip))
    for npu_id in dict.fromkeys(d.npu_id for d in devices):
        wanted += [("info", "-t", query, "-i", str(npu_id)) for query in ("board", "ecc")]
    if len(devices) > 1:
        wanted.append(_TOPOLOGY)
    pod = next((d for d in devices if d.architecture == "ascend910_93"), None)
    if pod is not None:  # all of a server are of one SuperPoD
        wanted.append((*_SUPERPOD, "-i", str(pod.npu_id), "-c", str(pod.chip_id or 0)))
    end = machine.seconds() + _HEALTH_SECONDS
    answers, gaps = [], []
    for arguments in wanted:
        call = " ".join(("npu-smi", *arguments))
        left = end - machine.seconds()
        if (call, None) in request.skip or left <= 0:
            reason = "not queried: npu-smi is slow" if left <= 0 else "not queried: it hung or crashed before"
            gaps.append(Gap(fact=call, reason=reason, backend=BACKEND, source=call))
            continue
        request.progress.calling(call)
        result = answer(machine, _TOOLS, arguments, min(left, _QUERY_SECONDS))
        if result.timed_out or result.missing or result.exit_code:
            reason = "no answer in time" if result.timed_out else f"npu-smi ended with {result.exit_code}"
            if arguments[:3] in (_TOPOLOGY, _SUPERPOD) and not result.timed_out:  # 310 and older tools have none
                reason = f"not supported by this chip or npu-smi: {reason}"
            gaps.append(Gap(fact=call, reason=reason, backend=BACKEND, source=call))
        else:
            answers.append(f"\n$ {call}\n{result.stdout}\n$\n")
    return "".join(answers), tuple(gaps)


def _files(
    machine: "Machine",
    chips: tuple[Board, ...],
    present: tuple[int, ...],
    listed: Sequence[AscendDevice],
) -> Report:
    """Return npu-smi's chips with facts from PCI and the nodes; the files' own chips if npu-smi lists none."""
    from accel_ascend.readers.device_nodes import node_device
    from accel_ascend.readers.lspci import pci_device

    seen = list(found_files.state_noted(machine, chips, present))
    by_address = {d.pci_address: d for d in listed if d.pci_address}
    devices: list[AscendDevice] = []
    if listed:
        for chip in chips:
            known = by_address.get(chip.address)
            if known is not None:
                devices.append(replace(pci_device(known.index, chip.address, chip.pci_id), numa_node=chip.numa_node))
        count = len({device.id for device in listed})  # each npu-smi output lists them again
        if len(present) > count:
            unlisted = " ".join(chip.address for chip in chips if chip.address not in by_address)
            message = f"{len(present)} nodes /dev/davinci<N>, {count} chips in npu-smi's table"
            told = {"nodes": str(len(present)), "listed": str(count), "pci_addresses": unlisted}
            seen.append(noted("npu-not-listed", message, "/dev", **told))
    elif present:
        kinds = {chip.pci_id for chip in chips}
        kind = kinds.pop() if len(kinds) == 1 else None
        alone = chips[0] if len(chips) == len(present) == 1 else None
        for number in present:
            devices.append(
                replace(
                    node_device(number),
                    pci_id=kind,
                    architecture=family_of_pci_id(kind),
                    pci_address=alone.address if alone else None,
                    numa_node=alone.numa_node if alone else None,
                )
            )
    else:
        for number, chip in enumerate(chips):
            devices.append(replace(pci_device(number, chip.address, chip.pci_id), numa_node=chip.numa_node))
    return Report(backend=BACKEND, source="device files", trust=35, devices=tuple(devices), observations=tuple(seen))


def _versions(machine: "Machine") -> Iterator[Report]:
    """Yield the driver and firmware versions; CANN's as facts, since a report has no environment."""
    from accel_ascend.readers import version_info

    for path in found_files.version_files(machine):
        text = found_files.text(machine, path)
        for reading in version_info.read(text):
            yield from reading.reports
            for toolkit in reading.environment.toolkits if reading.environment else ():
                told = {"file": toolkit.name, "version": toolkit.version, "path": path}
                one = noted("ascend-version-file", f"{path}: {toolkit.version}", path, **told)
                yield Report(backend=BACKEND, source=path, trust=35, observations=(one,))


def _sampled(device: Device, latest: AscendDevice | None) -> Device:
    own = set(field_names(device))
    fresh: dict[str, Any] = {name: getattr(latest, name, None) for name in _CHANGING if name in own}
    fresh["health"] = latest.health if latest else "unknown"
    return replace(device, **fresh)
