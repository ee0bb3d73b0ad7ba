"""A device's links: PCIe, NVLink, and the fabric of the NVLink switches.

Source  nvml.h: nvmlNvlinkVersion_t, nvmlNvLinkErrorCounter_t, NVML_FI_DEV_NVLINK_*, nvmlGpuFabricState_t,
        NVML_GPU_FABRIC_HEALTH_*
"""

from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.model import NvLink
from accel_nvidia.nvml_binding import fabric_info
from accel_nvidia.nvml_device import pci_address, text
from accel_nvidia.nvml_errors import error_text
from accel_nvidia.nvml_vitals import batched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel_nvidia.nvml_session import Session

_MOST_LINKS: Final = 36
_VERSIONS: Final = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6}  # 3 is NVLink 2.2, 5 is 3.1
_REPLAY, _RECOVERY, _CRC, _SPEED, _STATE = 161, 162, 163, 164, 165  # field ids, the link as scope; driver 525 on
_LINKS: Final = 91  # field id: how many there are
_PCIE: Final = (
    ("nvmlDeviceGetCurrPcieLinkGeneration", "pcie_generation_current"),
    ("nvmlDeviceGetMaxPcieLinkGeneration", "pcie_generation_maximum"),
    ("nvmlDeviceGetCurrPcieLinkWidth", "pcie_width_current"),
    ("nvmlDeviceGetMaxPcieLinkWidth", "pcie_width_maximum"),
)
_FABRIC_STATES: Final = {0: "not-supported", 1: "not-started", 2: "in-progress", 3: "completed"}
_SUMMARIES: Final = {1: "healthy", 2: "unhealthy", 3: "limited-capacity"}
_ILLNESSES: Final = (  # place of the two bits in the health mask; 1 means yes, 2 no, 0 not supported
    (0, "degraded-bandwidth"),
    (2, "route-recovery"),
    (4, "route-unhealthy"),
    (6, "access-timeout-recovery"),
)


def link_facts(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the PCIe link, the NVLinks and the fabric as far as they were answered."""
    found: dict[str, Any] = {}
    for call, fact in _PCIE:
        found[fact] = session.ask(call, handle, device=device, fact=fact)
    found["pcie_generation_device_maximum"] = session.ask(
        "nvmlDeviceGetGpuMaxPcieLinkGeneration",
        handle,
        device=device,
        fact="pcie_generation_device_maximum",
        quiet=(3, 13),
    )
    if not session.is_lost(device):
        found["nvlinks"] = nvlinks(session, handle, device)
        found.update(fabric(session, handle, device))
    return found


def nvlinks(session: "Session", handle: Any, device: str) -> tuple[NvLink, ...] | None:
    """Return the links, () for a board that has none; None if not even the first link's state could be read."""
    counts = _counts(session, handle, device)
    states = _told(counts)
    before = len(session.gaps)
    for link in range(len(states), _MOST_LINKS if not states else 0):
        state = session.ask("nvmlDeviceGetNvLinkState", handle, link, device=device, fact="nvlinks", quiet=(2, 3))
        if state is None:
            break
        states.append(bool(state))
    if not states:
        asked = not session.leaves_out("nvmlDeviceGetNvLinkState", device)
        return () if asked and len(session.gaps) == before else None
    version = None
    if True in states:  # the links of one board are of one version
        first = states.index(True)
        version = session.ask("nvmlDeviceGetNvLinkVersion", handle, first, device=device, fact="nvlinks", quiet=(2, 3))
    made = _VERSIONS.get(version) if version is not None else None
    return tuple(_link(session, handle, device, link, active, made, counts) for link, active in enumerate(states))


def _counts(session: "Session", handle: Any, device: str) -> dict[tuple[int, int], float]:
    """Return the fields of all links in one call; {} where the driver does not tell how many there are."""
    links = int(batched(session, handle, device, [(_LINKS, 0)]).get((_LINKS, 0), 0))
    every = (_STATE, _SPEED, _REPLAY, _RECOVERY, _CRC)
    wanted = [(field, link) for field in every for link in range(min(links, _MOST_LINKS))]
    return batched(session, handle, device, wanted) if wanted else {}


def _told(counts: "Mapping[tuple[int, int], float]") -> list[bool]:
    """Return whether each link is up; [] unless the driver told it of every link that it counts."""
    links = 1 + max((link for _, link in counts), default=-1)
    states = [counts.get((_STATE, link)) for link in range(links)]
    return [] if None in states else [bool(state) for state in states]


def _link(
    session: "Session",
    handle: Any,
    device: str,
    link: int,
    active: bool,
    version: int | None,
    counts: "Mapping[tuple[int, int], float]",
) -> NvLink:
    remote = None
    if active and session.request.depth == "deep":  # a call for each link, and no check asks for it
        remote = session.ask(
            "nvmlDeviceGetNvLinkRemotePciInfo", handle, link, device=device, fact="nvlinks", quiet=(2, 3)
        )
    speed = counts.get((_SPEED, link))
    return NvLink(
        index=link,
        active=active,
        version=version if active else None,
        remote_pci_address=pci_address(text(remote.busId) or "") if remote is not None else None,
        crc_errors=_count(session, handle, device, link, counts.get((_CRC, link)), (2, 3)),
        replay_errors=_count(session, handle, device, link, counts.get((_REPLAY, link)), (0,)),
        recovery_errors=_count(session, handle, device, link, counts.get((_RECOVERY, link)), (1,)),
        speed_bytes_per_second=int(speed) * 1_000_000 if active and speed else None,
    )


def _count(
    session: "Session", handle: Any, device: str, link: int, field: float | None, counters: tuple[int, ...]
) -> int | None:
    """Return the field's value, or else the sum of the older error counters."""
    if field is not None:
        return int(field)
    total: int | None = None
    for counter in counters:
        value = session.ask(
            "nvmlDeviceGetNvLinkErrorCounter", handle, link, counter, device=device, fact="nvlinks", quiet=(2, 3, 13)
        )
        if value is not None:
            total = (total or 0) + int(value)
    return total


def fabric(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the fabric's facts; {} where there is no such fabric."""
    found = session.ask(
        "nvmlDeviceGetGpuFabricInfoV",
        session.nvml,
        handle,
        device=device,
        fact="fabric_state",
        function=fabric_info,
        quiet=(3, 13),
    )
    if found is None:
        return {}
    state, status, mask, summary = found
    return {
        "fabric_state": _FABRIC_STATES.get(state),
        "fabric_status": ("Success" if status == 0 else error_text(status)) if state == 3 else None,
        "fabric_health": fabric_health(mask, summary),
    }


def fabric_health(mask: int | None, summary: int | None) -> str | None:
    """Return what ails the fabric, or the driver's summary; None if it tells neither.

    >>> fabric_health(0b10101001, None), fabric_health(0b10101010, None), fabric_health(0, 1), fabric_health(0, 0)
    ('degraded-bandwidth', 'healthy', 'healthy', None)
    """
    ills = [name for place, name in _ILLNESSES if (mask or 0) >> place & 3 == 1]
    if ills:
        return ", ".join(ills)
    if summary:
        return _SUMMARIES.get(summary)
    return "healthy" if any((mask or 0) >> place & 3 for place, _ in _ILLNESSES) else None
