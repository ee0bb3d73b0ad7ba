"""The processes that use a device: compute, graphics, and under MPS."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_binding import running

if TYPE_CHECKING:
    from accel.model.device import Process
    from accel.vendors.toolkit.process_names import ProcessNames
    from accel_nvidia.nvml_session import Session

COMPUTE: Final = "nvmlDeviceGetComputeRunningProcesses"
_KINDS: Final = (COMPUTE, "nvmlDeviceGetGraphicsRunningProcesses")
_MPS: Final = "nvmlDeviceGetMPSComputeRunningProcesses"


def processes_of(session: "Session", handle: Any, device: str, names: "ProcessNames") -> "tuple[Process, ...] | None":
    """Return each process once, in NVML's order; None if not even compute processes could be listed."""
    rows = process_rows(session, handle, device, names)
    return None if rows is None else processes(rows)


def processes(rows: Iterable[Mapping[str, Any]]) -> "tuple[Process, ...]":
    from accel.model.device import Process

    return tuple(Process(**row) for row in rows)


def process_rows(
    session: "Session", handle: Any, device: str, names: "ProcessNames"
) -> tuple[dict[str, Any], ...] | None:
    """Return the same, each process as the fields of its record."""
    nvml = session.nvml
    kinds = (*_KINDS, _MPS) if session.request.depth != "devices" else _KINDS
    found: dict[int, int | None] = {}
    for call in kinds:
        quiet = () if call == COMPUTE else (2, 3, 13)  # not every board supports graphics or MPS
        listed = session.ask(
            call,
            nvml,
            call,
            handle,
            device=device,
            fact="processes",
            function=running,
            quiet=quiet,
        )
        if listed is None:
            if call == COMPUTE:
                return None
            continue
        join(found, listed)
    return _named(found, names)


def join(found: dict[int, int | None], listed: list[tuple[int, int | None]]) -> None:
    """Add a listing: a process with compute and graphics is in both, each with all of its memory."""
    for pid, size in listed:
        before = found.get(pid)
        found[pid] = size if before is None else max(before, size or 0)


def _named(found: dict[int, int | None], names: "ProcessNames") -> tuple[dict[str, Any], ...]:
    rows = []
    for pid, size in found.items():
        name, user = names.of(pid)
        rows.append({"pid": pid, "name": name, "user": user, "memory_bytes": size})
    return tuple(rows)
