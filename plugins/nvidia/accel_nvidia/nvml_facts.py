"""NVML's facts on the driver and one device, by the names of their records' fields. No record is created here."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_number
from accel_nvidia.health import health
from accel_nvidia.nvml_device import identity, known, readings
from accel_nvidia.nvml_errors import error_code
from accel_nvidia.nvml_mig import mig_facts
from accel_nvidia.nvml_questions import text
from accel_nvidia.nvml_session import IDENTITY_CALLS
from accel_nvidia.nvml_vitals import vitals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel.machine.protocol import Machine
    from accel.model.device import Health
    from accel.vendors.toolkit.process_names import ProcessNames
    from accel_nvidia.nvml_session import Session

# Whose GPUs compute in the system's memory: `kind: integrated` of specs/nvidia/architectures.yaml, and GB10. Here too,
# since a list of devices loads no specs; a test holds them together.
INTEGRATED: Final = frozenset({"3.2", "5.3", "6.2", "7.2", "8.7", "10.1", "11.0", "12.1"})


Facts = dict[str, Any]


def start(nvml: Any) -> int | None:
    """Start NVML; return 0 or its error code, None for an error without a code."""
    try:
        nvml.nvmlInit()
    except Exception as error:  # pynvml raises several kinds
        return error_code(error)
    return 0


def stop(nvml: Any) -> None:
    """Undo `start`: NVML counts its starts, and other code in this process may have its own."""
    with suppress(Exception):  # pynvml raises several kinds; other code may have shut NVML down
        nvml.nvmlShutdown()


def driver_facts(session: "Session", version: str | None) -> dict[str, Any]:
    """Return the fields of the driver's record."""
    cuda = session.ask(
        "nvmlSystemGetCudaDriverVersion_v2",
        fact="driver.toolkit_version",
        instead=("nvmlSystemGetCudaDriverVersion", ()),
    )
    library = text(session.ask("nvmlSystemGetNVMLVersion", fact="driver.library_version"))
    return {
        "version": version,
        "library_version": library_release(library),
        "toolkit_version": f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None,
    }


def library_release(version: str | None) -> str | None:
    """Return the driver release of the library: NVML prefixes it with CUDA's major number.

    >>> library_release("12.570.124.06"), library_release("535.104.05"), library_release(None)
    ('570.124.06', '535.104.05', None)
    """
    found = re.fullmatch(r"\d{1,2}\.(\d{3}\.\d+(?:\.\d+)?)", version or "")
    return found[1] if found else version


def identified(
    session: "Session", machine: "Machine", handle: Any, index: int, remembered: "Mapping[int, Facts] | None" = None
) -> dict[str, Any]:
    """Return one device's identity and location. remembered: earlier identities, valid if the UUID is unchanged."""
    device = f"nvidia:{index}"
    if session.is_stuck(device) and session.hung_calls(device) & IDENTITY_CALLS:
        return {}
    before = (remembered or {}).get(index)
    if before is not None and text(session.ask("nvmlDeviceGetUUID", handle, device=device)) == before["uuid"]:
        return dict(before)
    facts = identity(session, handle, device)
    address = facts.get("pci_address")
    if address is not None:
        facts["numa_node"] = file_number(machine, f"/sys/bus/pci/devices/{address}/numa_node")
    return facts


def read(session: "Session", handle: Any, index: int, facts: dict[str, Any], names: "ProcessNames") -> "Health":
    """Add to `facts`, which has the device's identity, whatever else can be read; return its health."""
    device = f"nvidia:{index}"
    if session.is_lost(device):
        _not_asked(session, device, "the GPU is lost")
        return "critical"
    if session.is_stuck(device):
        _not_asked(session, device, "several of its calls did not return")
        return "unknown"
    if session.request.links_only:
        return _links_of_device(session, handle, device, facts)
    facts |= known(readings(session, handle, device, names))
    if facts.get("memory_total_bytes") is not None and facts.get("compute_capability") not in INTEGRATED:
        facts["unified_memory"] = False  # NVML counts a separate pool
    found, answered = vitals(session, handle, device)
    facts |= known(found)
    facts |= known(mig_facts(session, handle, device, facts.get("architecture")))
    if session.request.depth != "devices" and not session.is_lost(device):
        from accel_nvidia.nvml_health import health_facts
        from accel_nvidia.nvml_links import link_facts

        facts |= known(health_facts(session, handle, device, facts))
        if facts.get("virtualization") == "host-vgpu" and not session.is_lost(device):
            from accel_nvidia.nvml_vgpus import vgpus

            facts |= known({"vgpus": vgpus(session, handle, device)})
        facts |= known(link_facts(session, handle, device))
    if session.is_lost(device) or session.needs_reset(device) or session.is_dead(device):
        return "critical"
    return health(facts, answered)


def _links_of_device(session: "Session", handle: Any, device: str, facts: dict[str, Any]) -> "Health":
    """Add to `facts` the device's links and its MIG state."""
    from accel_nvidia.nvml_links import link_facts

    facts |= known(mig_facts(session, handle, device, facts.get("architecture")))
    facts |= known(link_facts(session, handle, device))
    return "critical" if session.is_lost(device) or session.needs_reset(device) else "unknown"


def _not_asked(session: "Session", device: str, why: str) -> None:
    session.lack("readings", f"not asked: {why}", device)
