"""The live backend. It acquires no chip: sysfs, nodes and /proc first; libtpu's metric service if one responds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process
from accel.model.observation import Noted
from accel.model.report import Report, Status
from accel.specs import load
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.notes import noted
from accel_tpu import jax_child, metrics, nodes, pci
from accel_tpu.generation import product_name
from accel_tpu.model import TpuDevice
from accel_tpu.neighbours import neighbours
from accel_tpu.slice import slices

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_SYSFS: Final = "sysfs"
_HUGE_PAGES: Final = "/sys/kernel/mm/transparent_hugepage/enabled"
_METRICS: Final = "libtpu metrics"
_NO_HEALTH: Final = (
    "neither the kernel nor libtpu's metric service reports it; libtpu.sdk.tpumonitoring may: ici_link_health, "
    "tpu_throttle_score"
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    request.progress.calling("sysfs")
    found = _sysfs(machine)
    reports = [found]
    if found.devices:
        request.progress.calling("metrics")
        measured = _measured(machine, found.devices)
        reports.insert(0, measured)
        merged = {device.id: device for device in measured.devices}
        for device in found.devices:
            request.progress.found(_with_metrics(device, merged.get(device.id)))
    asked: list[Report] = []
    if request.depth == "deep" and found.devices:
        request.progress.calling("jax.devices")
        asked.append(jax_child.jax_report(machine))
    if request.depth != "devices":
        reports += neighbours([device for report in asked for device in report.devices], found.devices)
    return (*reports, *asked)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    devices = _sysfs(machine).devices
    found = next((d for d in _measured(machine, devices).devices if d.id == device_id), None)
    if found is None or found.memory_total_bytes is None:
        return None
    return Memory(
        total_bytes=found.memory_total_bytes,
        used_bytes=found.memory_used_bytes,
        free_bytes=found.memory_free_bytes,
    )


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    measured = {device.id: device for device in _measured(machine, devices).devices}
    return tuple(_with_metrics(device, measured.get(device.id)) for device in devices)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    return {device.id: device.processes for device in _sysfs(machine).devices}


def _sysfs(machine: "Machine") -> Report:
    found, unknown = pci.chips(machine)
    gaps = [
        Gap(fact="devices", reason=f"{address} is a Google accelerator of a kind not known here", source=_SYSFS)
        for address in unknown
    ]
    paths = _paths(machine, found)
    every = [path for group in paths for path in group]
    held = nodes.owners(machine, [*every, nodes.LOCK_FILE]) if every or machine.exists(nodes.LOCK_FILE) else None
    devices = tuple(_device(machine, n, chip, paths[n], held) for n, chip in enumerate(found))
    if held is not None and held.hidden and any(device.processes is None for device in devices):
        reason = f"{held.hidden} processes of other users could not be inspected; root can see them"
        gaps.append(Gap(fact="processes", reason=reason, source=_SYSFS))
    for device in devices:
        if device.device_path is None:
            reason = "it has no node in /dev: the driver is not bound to it, or it was not passed to the container"
            gaps.append(Gap(fact="device_path", reason=reason, device=device.id, source=_SYSFS))
    if not found and not unknown and nodes.accel_nodes(machine):
        reason = f"{nodes.accel_nodes(machine)[0]} is there, but the PCI bus shows no TPU: it may be another maker's"
        gaps.append(Gap(fact="devices", reason=reason, source=_SYSFS))
    status: Status = "partial" if gaps else ("ok" if devices else "absent")
    if devices:
        gaps.append(Gap(fact="health", reason=_NO_HEALTH, source=_SYSFS))
    gaps = [replace(gap, backend="tpu") for gap in gaps]
    return Report(
        backend="tpu",
        source=_SYSFS,
        status=status,
        trust=40,
        devices=devices,
        domains=slices(machine.environment, devices),
        observations=(*_lock_file(machine, held), *_huge_pages(machine, devices)),
        gaps=tuple(gaps),
    )


def _paths(machine: "Machine", chips: Sequence[pci.Chip]) -> list[tuple[str, ...]]:
    """Return each chip's existing device nodes."""
    ids = pci.table()["generations"]
    accel = nodes.accel_nodes(machine)
    paths: list[tuple[str, ...]] = []
    for n, chip in enumerate(chips):
        kind = ids.get(chip.first.generation or "", {}).get("node")
        groups = [function.iommu_group for function in chip.functions if function.iommu_group is not None]
        candidates = [f"/dev/vfio/{group}" for group in dict.fromkeys(groups)]
        if kind == "accel" or (kind is None and accel):
            candidates = [f"/dev/accel{n}"]
        paths.append(tuple(path for path in candidates if machine.exists(path)))
    return paths


def _device(
    machine: "Machine", index: int, chip: pci.Chip, paths: Sequence[str], held: nodes.Owners | None
) -> TpuDevice:
    first = chip.first
    known = pci.table()["generations"].get(first.generation or "", {})
    spec = load().chip(name=product_name(first.generation), vendor="tpu") if first.generation else None
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=known.get("name"),
        pci_address=first.address,
        pci_id=first.pci_id,
        numa_node=first.numa_node,
        architecture=first.generation,
        devices_per_chip=known.get("devices_per_chip"),
        hbm_nominal_bytes=spec.memory_bytes if spec else None,
        device_path=paths[0] if paths else None,
        node_accessible=all(machine.accessible(path) for path in paths) if paths else None,
        processes=held.of(paths) if held is not None and paths else None,
    )


def _lock_file(machine: "Machine", held: nodes.Owners | None) -> tuple[Noted, ...]:
    """Report libtpu's lock file, which remains if libtpu is killed. It is never removed."""
    if held is None or not machine.exists(nodes.LOCK_FILE):
        return ()
    holders = held.by_path.get(nodes.LOCK_FILE, ())
    told = {"path": nodes.LOCK_FILE, "ours": "yes" if machine.accessible(nodes.LOCK_FILE) else "no"}
    if holders:
        told["pid"] = str(holders[0].pid)
        message = f"{nodes.LOCK_FILE} is held by process {holders[0].pid}"
    elif held.hidden:
        message = f"{nodes.LOCK_FILE} exists; whether another user's process holds it could not be checked"
    else:
        told["stale"] = "yes"
        message = f"{nodes.LOCK_FILE} exists, and no process has it open"
    return (noted("tpu-lockfile", message, _SYSFS, **told),)


def _huge_pages(machine: "Machine", devices: Sequence[TpuDevice]) -> tuple[Noted, ...]:
    """Report disabled transparent huge pages, "always [madvise] never": v5e and later are faster with them."""
    if not any((device.device_path or "").startswith("/dev/vfio/") for device in devices):
        return ()
    setting = file_text(machine, _HUGE_PAGES) or ""
    if "[always]" in setting or "[" not in setting:
        return ()
    text = f"{_HUGE_PAGES}: {setting}"
    return (noted("tpu-hugepages-off", text, _SYSFS),)


def _measured(machine: "Machine", devices: Sequence[Device]) -> Report:
    """Assign the service's values to the chips in order; none if their counts differ."""
    values = metrics.read_metrics(machine)
    reason = values.reason
    if reason is None and not _fits(values, devices):
        reason = f"libtpu reports {len(values.total_bytes)} devices, which do not fit the {len(devices)} chips seen"
    if reason is not None:
        gaps = tuple(
            Gap(fact=fact, reason=reason, backend="tpu", source=_METRICS)
            for fact in ("memory_total_bytes", "memory_used_bytes", "utilization_percent")
        )
        return Report(backend="tpu", source=_METRICS, status="partial", trust=80, gaps=gaps)
    used, total, duty = (_sorted(v) for v in (values.used_bytes, values.total_bytes, values.duty_percent))
    measured = []
    for n, device in enumerate(devices):
        mine_total, mine_used = (_share(numbers, n, len(devices)) for numbers in (total, used))
        sum_total = int(sum(mine_total)) if mine_total else None
        sum_used = int(sum(mine_used)) if mine_used else None
        cycles = _share(duty, n, len(devices))
        cycle = sum(cycles) / len(cycles) if cycles else None
        measured.append(
            TpuDevice(
                id=device.id,
                index=device.index,
                backend="tpu",
                vendor="Google",
                kind="tpu",
                memory_total_bytes=sum_total,
                memory_used_bytes=sum_used,
                memory_free_bytes=None if sum_total is None or sum_used is None else max(sum_total - sum_used, 0),
                utilization_percent=cycle,
                duty_cycle_percent=cycle,
            )
        )
    return Report(backend="tpu", source=_METRICS, trust=80, devices=tuple(measured))


def _fits(values: metrics.Metrics, devices: Sequence[Device]) -> bool:
    for device in devices:
        each = getattr(device, "devices_per_chip", None) or 1
        for numbers, per_chip in ((values.used_bytes, each), (values.total_bytes, each), (values.duty_percent, 1)):
            if len(numbers) not in (0, len(devices) * per_chip):
                return False
    return bool(devices)


def _sorted(values: Mapping[int, float]) -> list[float]:
    return [values[number] for number in sorted(values)]


def _share(values: Sequence[float], n: int, count: int) -> Sequence[float]:
    each = len(values) // count
    return values[n * each : (n + 1) * each]


def _with_metrics(device: Device, measured: Device | None) -> Device:
    """Return the device with its current readings; None if they are no longer served."""
    device = replace(
        device,
        memory_total_bytes=measured.memory_total_bytes if measured else None,
        memory_used_bytes=measured.memory_used_bytes if measured else None,
        memory_free_bytes=measured.memory_free_bytes if measured else None,
        utilization_percent=measured.utilization_percent if measured else None,
    )
    if isinstance(device, TpuDevice):
        return replace(device, duty_cycle_percent=device.utilization_percent)
    return device
