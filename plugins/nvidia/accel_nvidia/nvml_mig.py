"""The partitions (MIG instances) of a device."""

import re
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_device import known, memory
from accel_nvidia.nvml_errors import NOT_FOUND
from accel_nvidia.nvml_processes import processes_of
from accel_nvidia.nvml_questions import text

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.vendors.toolkit.process_names import ProcessNames
    from accel_nvidia.model import NvidiaDevice
    from accel_nvidia.nvml_session import Session

_BEFORE_MIG: Final = frozenset({"kepler", "maxwell", "pascal", "volta", "turing"})
_NO_ATTRIBUTES: Final = (3, 13)  # a driver without the call
_MODES: Final = {0: "disabled", 1: "enabled"}


def mig_facts(session: "Session", handle: Any, device: str, architecture: str | None) -> dict[str, Any]:
    """Return the MIG mode, now and after the next reset; {} for a board without MIG."""
    if architecture in _BEFORE_MIG:
        return {}
    modes = session.ask("nvmlDeviceGetMigMode", handle, device=device, fact="mig_mode", quiet=(3, 13))
    return {} if modes is None else {"mig_mode": _MODES.get(modes[0]), "mig_mode_pending": _MODES.get(modes[1])}


def partitions(session: "Session", handle: Any, whole: "Device", names: "ProcessNames") -> "list[NvidiaDevice]":
    """Return the device's partitions. Their indices may have gaps: NVML numbers places, not instances."""
    most = session.ask("nvmlDeviceGetMaxMigDeviceCount", handle, device=whole.id, fact="partitions")
    found = []
    for index in range(most or 0):
        part = session.ask(
            "nvmlDeviceGetMigDeviceHandleByIndex",
            handle,
            index,
            device=whole.id,
            fact="partitions",
            quiet=(NOT_FOUND,),
        )
        if part is not None:
            found.append(_partition(session, part, index, whole, names, most or 0))
    untold = most is None or any(gap.device == whole.id and gap.fact == "partitions" for gap in session.gaps)
    if not found and not untold:
        session.note("mig-none-listed", f"{whole.id} is in MIG mode but lists no MIG device", whole.id)
    return found


def _partition(
    session: "Session", handle: Any, index: int, whole: "Device", names: "ProcessNames", slices: int
) -> "NvidiaDevice":
    """Return one partition. slices: how many slices of compute units the board has."""
    from accel_nvidia.model import NvidiaDevice

    device = f"{whole.id}/mig{index}"
    name = text(session.ask("nvmlDeviceGetName", handle, device=device, fact="name"))
    facts: dict[str, Any] = {
        "name": name,
        "uuid": text(session.ask("nvmlDeviceGetUUID", handle, device=device, fact="uuid")),
        "gpu_instance_id": session.ask("nvmlDeviceGetGpuInstanceId", handle, device=device, fact="gpu_instance_id"),
        "compute_instance_id": session.ask(
            "nvmlDeviceGetComputeInstanceId", handle, device=device, fact="compute_instance_id"
        ),
        "mig_profile": mig_profile(name or ""),
    }
    if not session.request.links_only:
        facts |= memory(session, handle, device)
        facts["processes"] = processes_of(session, handle, device, names)
        facts |= _shares(session, handle, device, slices, facts, whole.memory_total_bytes)
    return NvidiaDevice(
        id=device,
        index=index,
        backend="nvidia",
        vendor="NVIDIA",
        kind="gpu",
        parent=whole.id,
        pci_address=whole.pci_address,
        pci_id=whole.pci_id,
        numa_node=whole.numa_node,
        architecture=whole.architecture,
        compute_capability=whole.compute_capability,
        driver_version=whole.driver_version,
        unified_memory=whole.unified_memory,
        health=whole.health,
        **known(facts),
    )


def _shares(
    session: "Session", handle: Any, device: str, slices: int, facts: "dict[str, Any]", whole_bytes: int | None
) -> dict[str, Any]:
    """Return a partition's share of the board, from the driver's slice and unit counts or from its profile."""
    told = session.ask(
        "nvmlDeviceGetAttributes_v2", handle, device=device, fact="multiprocessors", quiet=_NO_ATTRIBUTES
    )
    own = told.computeInstanceSliceCount if told is not None else compute_slices(facts["mig_profile"])
    memory_bytes = facts.get("memory_total_bytes")
    return {
        "multiprocessors": told.multiprocessorCount if told is not None else None,
        "compute_slices": own or None,
        "compute_share": round(own / slices, 4) if own and 0 < own <= slices else None,
        "memory_share": round(memory_bytes / whole_bytes, 4) if memory_bytes and whole_bytes else None,
    }


def compute_slices(profile: str | None) -> int | None:
    """Return how many of the board's compute slices a profile has.

    >>> compute_slices("3g.40gb"), compute_slices("1c.2g.10gb"), compute_slices("1g.10gb+me"), compute_slices(None)
    (3, 1, 1, None)
    """
    found = re.match(r"(?:(\d+)c\.)?(\d+)g\.", profile or "")
    return int(found[1] or found[2]) if found else None


def mig_profile(name: str) -> str | None:
    """Return the profile at the end of a partition's name.

    >>> mig_profile("NVIDIA A100-SXM4-40GB MIG 1c.2g.10gb"), mig_profile("NVIDIA H100 80GB HBM3")
    ('1c.2g.10gb', None)
    """
    found = re.search(r"\bMIG ((?:\d+c\.)?\d+g\.\d+gb(?:[+.-]\w+)*)", name)
    return found[1] if found else None
