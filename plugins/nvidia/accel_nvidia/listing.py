"""The fast path for `accel devices --json`: the GPUs of a node as rows, if NVML answers everything."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from accel.model.rows import Listing, Row, device_row
from accel.vendors.toolkit.process_names import ProcessNames
from accel_nvidia.cuda_order import marks
from accel_nvidia.nvml_binding import library
from accel_nvidia.nvml_calls import Calls
from accel_nvidia.nvml_facts import driver_facts, identified, read, start
from accel_nvidia.nvml_questions import text
from accel_nvidia.nvml_session import COUNT, HANDLE, INIT, SOURCE, Session

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.backend import Depth, Progress


class _Asked:
    """A Request for the devices, with no options."""

    depth: "Final[Depth]" = "devices"
    skip: "Final[frozenset[tuple[str, str | None]]]" = frozenset()
    links_only: "Final[bool]" = False

    def __init__(self, progress: "Progress", seconds: float | None) -> None:
        self.progress, self.seconds = progress, seconds


def listing(machine: "Machine", progress: "Progress", seconds: float | None = None) -> Listing | None:
    """Return the GPUs' rows; None if anything is unusual, for which the backend's probe gives better information."""
    progress.calling(INIT, None)
    loaded = library(machine)
    if loaded is None or start(nvml := Calls(loaded)) != 0:
        return None
    session = Session(nvml, _Asked(progress, None if seconds is None else seconds / 2))  # slow ones too
    version = text(session.ask("nvmlSystemGetDriverVersion", fact="driver.version"))
    driver_facts(session, version)  # for possible gaps
    count = session.ask(COUNT, fact="devices") or 0
    names = ProcessNames(machine)
    found: dict[str, Row] = {}
    for index in range(count):
        row = _row(session, machine, index, version, names)
        if row is None or session.gaps:
            return None
        found[row["id"]] = row
    if not found or session.gaps:
        return None
    shown: Any = [SimpleNamespace(**row) for row in found.values()]
    for device_id, (visible, runtime_names) in marks(shown, machine.environment).items():
        found[device_id].update(visible=visible, runtime_names=runtime_names)
    return {"source": SOURCE, "devices": list(found.values()), "gaps": session.unsupported_rows()}


def _row(session: Session, machine: "Machine", index: int, version: str | None, names: ProcessNames) -> Row | None:
    """Return the row of a whole GPU with a PCI address and its own memory; None for any other."""
    device = f"nvidia:{index}"
    handle = session.ask(HANDLE, index, device=device, fact="handle")
    if handle is None:
        return None
    facts: dict[str, Any] = {"driver_version": version}
    facts |= identified(session, machine, handle, index)
    health = read(session, handle, index, facts, names)
    if facts.get("mig_mode") == "enabled" or None in (facts.get("pci_address"), facts.get("memory_total_bytes")):
        return None
    facts |= {"id": device, "index": index, "backend": "nvidia", "vendor": "NVIDIA", "kind": "gpu", "health": health}
    return device_row(facts)
