"""One probe through NVML: every device that responds, and for the others which call failed and how."""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Device, Gap
from accel.model.report import Driver, Report
from accel.vendors.toolkit.process_names import ProcessNames
from accel_nvidia import nvml_binding
from accel_nvidia.nvml_device import known
from accel_nvidia.nvml_errors import LIBRARY_NOT_FOUND, error_text
from accel_nvidia.nvml_facts import Facts, driver_facts, identified, read, start, stop
from accel_nvidia.nvml_processes import processes
from accel_nvidia.nvml_questions import text
from accel_nvidia.nvml_session import HANDLE, INIT, SOURCE, Session, nvml_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from accel.machine.protocol import Machine
    from accel.model.observation import Observation
    from accel.vendors.contract.backend import Request

_COMMON: Final = frozenset(field_names(Device))
TRUST: Final = 90


def nvml_report(
    machine: "Machine",
    request: "Request",
    hold: "Callable[[Any], None]" = stop,
    remembered: "dict[int, Facts] | None" = None,
) -> Report:
    """Return NVML's report.

    status "failed": it could not be started, or could not list its devices; why is a gap and an observation.
    hold    called at the end because NVML was started once more: it ends that start, or keeps it
    remembered  earlier identities by device number; new ones are added
    """
    if any(call.startswith(INIT) for call, _ in request.skip):
        return Report(backend="nvidia", source=SOURCE, status="failed", trust=TRUST)
    request.progress.calling(INIT, None)
    nvml = (nvml_binding.load_few if request.depth == "devices" else nvml_binding.load)(machine)
    if nvml is None and nvml_binding.is_installed(machine):
        return _not_loaded()
    if nvml is None:
        return _not_started(LIBRARY_NOT_FOUND, ())  # see kernel_report
    code = start(nvml)
    if code != 0:
        return _not_started(code, _refused(999 if code is None else code))
    try:
        return _started(Session(nvml, request), machine, remembered)
    finally:
        hold(nvml)


def _started(session: Session, machine: "Machine", remembered: "dict[int, Facts] | None") -> Report:
    version = text(session.ask("nvmlSystemGetDriverVersion", fact="driver.version"))
    driver = Driver(**driver_facts(session, version))
    count = session.counted()
    seen = _Seen(version, ProcessNames(machine), {} if remembered is None else remembered)
    devices = _devices(session, machine, count or 0, seen)
    return Report(
        backend="nvidia",
        source=SOURCE,
        status="failed" if count is None else "partial" if session.gaps else "ok",
        trust=TRUST,
        driver=driver,
        devices=tuple(devices),
        **_links_of_report(session, devices, seen.handles),
        observations=(*session.errors, *session.noted),
        gaps=(*session.gaps, *(Gap(**row) for row in session.unsupported_rows())),
    )


class _Seen:
    """State shared by the devices of one probe. handles: of the whole devices found so far, by ID."""

    def __init__(self, version: str | None, names: ProcessNames, remembered: "dict[int, Facts]") -> None:
        self.version, self.names, self.remembered = version, names, remembered
        self.handles: dict[str, Any] = {}


def _links_of_report(session: Session, devices: "Sequence[Device]", handles: "Mapping[str, Any]") -> dict[str, Any]:
    """Return the links between GPUs, as fields of the report."""
    if session.request.depth == "devices":
        return {}
    from accel_nvidia.nvlink_pairs import fabrics, nvlink_pairs, of_known_links
    from accel_nvidia.nvml_peers import peers

    return {
        "links": nvlink_pairs(devices),
        "linked": of_known_links(devices),
        "peers": peers(session, handles),
        "domains": fabrics(devices),
    }


def _not_loaded() -> Report:
    """Return the gap for a library file that the loader rejects; a recorded machine has no library to load."""
    gap = Gap(fact=INIT, reason="libnvidia-ml.so.1 is here and could not be loaded", backend="nvidia", source=SOURCE)
    return Report(backend="nvidia", source=SOURCE, status="failed", trust=TRUST, gaps=(gap,))


def _not_started(code: int | None, told: "tuple[Observation, ...]") -> Report:
    number = 999 if code is None else code
    reason = f"NVML error {number} {error_text(number)}, from {INIT}"
    gap = Gap(fact=INIT, reason=reason, backend="nvidia", source=SOURCE)
    return Report(backend="nvidia", source=SOURCE, status="failed", trust=TRUST, gaps=(gap,), observations=told)


def _refused(code: int) -> "tuple[Observation, ...]":
    """Return the gap for a library that loads but does not initialize."""
    from accel.vendors.toolkit.notes import noted

    error = nvml_error(INIT, code)
    return error, noted("nvml-start-refused", error.text, SOURCE, call=INIT, code=str(code))


def _devices(session: Session, machine: "Machine", count: int, seen: _Seen) -> list[Device]:
    """Return the devices. Those that hung before come last: they may use up the remaining time."""
    hung = [index for index in range(count) if _has_hung(session, index)]
    for index in hung:
        session.request.progress.found(_whole(session, index, {"driver_version": seen.version}))
    found = _asked(session, machine, [index for index in range(count) if index not in hung], seen)
    found |= _asked(session, machine, hung, seen)
    known = [record for index in sorted(found) for record in found[index]]
    if all(record.pci_address for record in known):
        return known
    from accel_nvidia.nvml_unplaced import placed

    done = placed(machine, known)
    for before, record in zip(known, done, strict=True):
        if record is not before:
            session.request.progress.found(record)
    return done


def _asked(session: Session, machine: "Machine", indexes: list[int], seen: _Seen) -> dict[int, list[Device]]:
    """Return each device and its partitions. All identities are read first, so that a failed reading loses none."""
    facts: dict[int, dict[str, Any]] = {}
    for index in indexes:
        device = f"nvidia:{index}"
        facts[index] = {"driver_version": seen.version}
        handle = seen.handles[device] = session.ask(HANDLE, index, device=device, fact="handle")
        if handle is not None:
            who = identified(session, machine, handle, index, seen.remembered)
            if who.get("uuid") and who.get("pci_address"):
                seen.remembered[index] = who
            facts[index] |= who
        session.request.progress.found(_whole(session, index, facts[index]))
    found: dict[int, list[Device]] = {}
    for index in indexes:
        found[index] = _with_partitions(session, seen.handles[f"nvidia:{index}"], index, facts[index], seen.names)
        for record in found[index]:
            session.request.progress.found(record)
    return found


def _has_hung(session: Session, index: int) -> bool:
    """Return whether a call of this device never returned: the next one may hang as well."""
    return any(owner is not None and owner.split("/")[0] == f"nvidia:{index}" for _, owner in session.request.skip)


def _with_partitions(
    session: Session, handle: Any, index: int, facts: dict[str, Any], names: ProcessNames
) -> list[Device]:
    """Return one device and, in MIG mode, its partitions."""
    device = f"nvidia:{index}"
    if handle is None:
        return [_whole(session, index, facts, "critical" if session.is_dead(device) else "unknown")]
    state = read(session, handle, index, facts, names)
    whole = _whole(session, index, facts, state)
    if facts.get("mig_mode") != "enabled":
        return [whole]
    from accel_nvidia.nvml_mig import partitions

    parts = partitions(session, handle, whole, names)
    if session.is_lost(device):
        return [replace(record, health="critical") for record in (whole, *parts)]
    return [whole, *parts]


def _whole(session: Session, index: int, facts: dict[str, Any], state: str = "unknown") -> Device:
    """Return the record: NVIDIA's own, unless only the fields common to all vendors are requested.

    Defining its 85 fields takes 10 ms, a fifth of the time allowed for listing the devices.
    """
    record: type[Device] = Device
    given = {"health": state, **known(facts)}
    if "processes" in given:
        given["processes"] = processes(given["processes"])
    if session.request.depth == "devices":
        given = {name: value for name, value in given.items() if name in _COMMON}
    else:
        from accel_nvidia.model import NvidiaDevice

        record = NvidiaDevice
    return record(id=f"nvidia:{index}", index=index, backend="nvidia", vendor="NVIDIA", kind="gpu", **given)
