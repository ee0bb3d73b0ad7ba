"""AMD's GPUs on a live machine: the kernel's files, and for the checks also amd-smi (else rocm-smi).

The files take a few milliseconds and start no process. The tools are Python programs that take a second each, so they
run only at depth "health", each with a deadline, in its own process group.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process, memory_of
from accel.model.observation import Noted
from accel.model.report import Driver, Report, Status
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.notes import noted
from accel_amd import sysfs
from accel_amd.kfd_links import Joined, links
from accel_amd.kfd_processes import processes as kfd_processes
from accel_amd.model import AmdDevice
from accel_amd.record import BACKEND, joined_by_index

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel_amd.watching import AmdWatching

SOURCE: Final = "sysfs"
_MODULE: Final = "/sys/module/amdgpu"
_DEADLINE_SECONDS: Final = 8.0
_AMD_SMI: Final = (("static", "--json"), ("metric", "--json"))
_ROCM_SMI: Final = ("-a", "--showmeminfo", "vram", "--json")
_FOLDERS: Final = ("", "/opt/rocm/bin/")


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read the files; at a greater depth also run the tools."""
    request.progress.calling("sysfs")
    devices = _named(sysfs.gpus(machine))
    if not devices:
        return (Report(backend=BACKEND, source=SOURCE, status="absent", trust=60),)
    driver = _driver(machine)
    on_them = kfd_processes(machine, devices)
    version = driver.version if driver else None
    devices = tuple(
        replace(d, processes=on_them[d.id], driver_version=version if d.driver_name in ("amdgpu", None) else None)
        for d in devices
    )
    for device in devices:
        request.progress.found(device)
    joined = links(machine, devices) if request.depth != "devices" else Joined()
    files = Report(
        backend=BACKEND,
        source=SOURCE,
        trust=60,
        driver=driver,
        devices=devices,
        observations=tuple(_observed(machine, devices)),
        links=joined.links,
        linked=joined.linked,
        peers=joined.peers,
        gaps=(*_gaps(devices), *joined.gaps),
    )
    if request.depth == "devices" or request.links_only:
        return (files,)
    has_driver = any(d.driver_name in ("amdgpu", None) for d in devices)
    return (files, _tools(machine, request, devices)) if has_driver else (files,)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with their current readings, from the kernel's files."""
    ours = [d for d in devices if isinstance(d, AmdDevice)]
    on_them = kfd_processes(machine, ours)
    return tuple(
        replace(d, **sysfs.readings(machine, d), processes=on_them[d.id])
        if isinstance(d, AmdDevice) and d.pci_address
        else d
        for d in devices
    )


def watching() -> "AmdWatching":
    """Return the GPU watcher."""
    from accel_amd.watching import AmdWatching

    return AmdWatching(sample)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one GPU's memory; None if there is no such GPU."""
    device = next((d for d in sysfs.gpus(machine) if d.id == device_id), None)
    return memory_of(device)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes that compute on each GPU."""
    return kfd_processes(machine, sysfs.gpus(machine))


def _named(devices: Sequence[AmdDevice]) -> tuple[AmdDevice, ...]:
    """Return the GPUs with name, architecture and target from their PCI ID, if the files lack them."""
    if not devices:
        return ()
    from accel.specs import load

    specs = load()
    found = []
    for device in devices:
        chip = specs.chip(pci_id=device.pci_id, vendor="amd") if device.pci_id else None
        if chip is not None:
            device = replace(
                device,
                name=device.name or chip.name,
                architecture=chip.architecture,
                compute_capability=device.compute_capability or chip.compute_target,
            )
        found.append(device)
    return tuple(found)


def _driver(machine: "Machine") -> Driver | None:
    """Return amdgpu's version; the kernel's own module has none, and the tools then report the kernel release."""
    if not machine.exists(_MODULE):
        return None
    version = file_text(machine, f"{_MODULE}/version") or file_text(machine, "/proc/sys/kernel/osrelease")
    rocm = file_text(machine, "/opt/rocm/.info/version")
    return Driver(version=version, toolkit_version=rocm.partition("-")[0] if rocm else None)


def _observed(machine: "Machine", devices: Sequence[AmdDevice]) -> Iterator[Noted]:
    """Yield what blocks programs from the GPUs: no driver, no node, no permission."""
    for device in devices:
        if device.driver_name is not None and device.driver_name != "amdgpu":
            other = f"the driver {device.driver_name}" if device.driver_name else "no driver"
            message = f"{other} is bound to the GPU at {device.pci_address}"
            yield noted("amd-gpu-without-driver", message, SOURCE, of=device.id, driver=device.driver_name)
    if any(d.driver_name == "amdgpu" for d in devices):
        if not machine.exists("/dev/kfd"):
            yield noted("kfd-missing", "amdgpu is loaded, and there is no /dev/kfd", "/dev")
        nodes = ["/dev/kfd", *(f"/dev/dri/renderD{d.render_minor}" for d in devices if d.render_minor)]
        closed = [path for path in dict.fromkeys(nodes) if machine.exists(path) and not machine.accessible(path)]
        if closed:
            message = f"not open to this user: {', '.join(closed)}"
            yield noted("kfd-denied", message, "/dev", paths=" ".join(closed))


def _gaps(devices: Sequence[AmdDevice]) -> Iterator[Gap]:
    for device in devices:
        if device.runtime_suspended:
            reason = "the GPU sleeps, and reading its sensors would wake it"
            yield Gap(fact="readings", reason=reason, device=device.id, backend=BACKEND, source=SOURCE)
        elif device.utilization_percent is None and device.driver_name == "amdgpu":
            reason = "the driver shows no gpu_busy_percent for this GPU"
            yield Gap(fact="utilization_percent", reason=reason, device=device.id, backend=BACKEND, source=SOURCE)


def _tools(machine: "Machine", request: Request, devices: Sequence[AmdDevice]) -> Report:
    """Return what amd-smi, or else rocm-smi, reports about the GPUs in the files."""
    if any(device.runtime_suspended for device in devices):
        reason = "not queried: it would wake a sleeping GPU"
        gap = Gap(fact="amd-smi", reason=reason, backend=BACKEND, source="amd-smi")
        return Report(backend=BACKEND, source="amd-smi", status="partial", trust=50, gaps=(gap,))
    from accel_amd.readers import amd_smi_json, rocm_smi_json

    gaps: list[Gap] = []
    answers = [text for words in _AMD_SMI if (text := _answer(machine, request, "amd-smi", words, gaps))]
    source, reader = "amd-smi", amd_smi_json.READER
    if not answers:
        source, reader = "rocm-smi", rocm_smi_json.READER
        answers = [text for text in [_answer(machine, request, source, _ROCM_SMI, gaps)] if text]
    read = [d for text in answers for r in reader.read(text) for report in r.reports for d in report.devices]
    told = joined_by_index(d for d in read if isinstance(d, AmdDevice))
    if answers and not told:
        gaps.append(Gap(fact=source, reason="it answered in a form that is not known", backend=BACKEND, source=source))
    status: Status = "ok" if told and not gaps else "partial" if told else "failed"
    return Report(
        backend=BACKEND,
        source=source,
        status=status,
        trust=50,
        devices=tuple(_placed(told, devices)),
        gaps=tuple(gaps),
    )


def _answer(machine: "Machine", request: Request, tool: str, words: Sequence[str], gaps: list[Gap]) -> str | None:
    call = " ".join((tool, *words))
    if (call, None) in request.skip:
        gaps.append(Gap(fact=call, reason="not queried: it hung or crashed before", backend=BACKEND, source=tool))
        return None
    request.progress.calling(call)
    for folder in _FOLDERS:
        result = machine.run((folder + tool, *words), _DEADLINE_SECONDS)
        if not result.missing:
            break
    if result.missing:
        reason = f"{tool} is not installed"
    elif result.timed_out:
        reason = f"{tool} gave no answer in {_DEADLINE_SECONDS:.0f} s and was killed"
    elif result.exit_code:
        reason = f"{tool} exited with {result.exit_code}: {' '.join(result.stderr.split())[:120] or 'no output'}"
    else:
        return result.stdout
    gaps.append(Gap(fact=call, reason=reason, backend=BACKEND, source=tool))
    return result.stdout or None


def _placed(told: Sequence[AmdDevice], devices: Sequence[AmdDevice]) -> Iterator[AmdDevice]:
    """Yield the tool's GPUs with the IDs of the files' GPUs at the same address; other GPUs are dropped."""
    by_address = {d.pci_address: d for d in devices if d.pci_address}
    for device in told:
        home = by_address.get(device.pci_address) if device.pci_address else None
        if home is None and device.pci_address is None and len(told) == len(devices):
            home = next((d for d in devices if d.index == device.index), None)
        if home is not None:
            # The tool's UUID has another form, and would count as another GPU.
            yield replace(
                device, id=home.id, index=home.index, uuid=home.uuid, pci_address=home.pci_address,
                health="critical" if device.ecc_uncorrected else "unknown",
            )  # fmt: skip
