"""A device's links: PCIe, NVLink, and the fabric of the NVLink switches.

Source  nvml.h: nvmlNvlinkVersion_t, nvmlNvLinkErrorCounter_t, NVML_FI_DEV_NVLINK_*, nvmlGpuFabricState_t,
        NVML_GPU_FABRIC_HEALTH_*
"""

from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.model import NvLink
from accel_nvidia.nvml_device import pci_address
from accel_nvidia.nvml_errors import error_text
from accel_nvidia.nvml_forms import fabric_info
from accel_nvidia.nvml_questions import PCIE_LINK, text
from accel_nvidia.nvml_vitals import batched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel_nvidia.nvml_session import Session

_MOST_LINKS: Final = 36
_VERSIONS: Final = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6}  # 3 is NVLink 2.2, 5 is 3.1
_REPLAY, _RECOVERY, _CRC, _SPEED, _STATE = 161, 162, 163, 164, 165  # field ids, the link as scope; driver 525 on
_LINKS: Final = 91  # field ID of the number of links
_SWITCHED: Final = 147  # field ID of the number of links to an NVSwitch
_VERSION: Final = 166
_COMPLETED: Final = 3
_FABRIC_STATES: Final = {0: "not-supported", 1: "not-started", 2: "in-progress", 3: "completed"}
_SUMMARIES: Final = {1: "healthy", 2: "unhealthy", 3: "limited-capacity"}
_ILLNESSES: Final = (  # place of the two bits in the health mask; 1 means yes, 2 no, 0 not supported
    (0, "degraded-bandwidth"),
    (2, "route-recovery"),
    (4, "route-unhealthy"),
    (6, "access-timeout-recovery"),
)


def link_facts(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the PCIe link, the NVLinks and the fabric as far as they could be read.

    If only links are wanted, the PCIe link is left to the bus, and errors are not counted.
    """
    found: dict[str, Any] = {}
    if not session.request.links_only:
        for question in PCIE_LINK:
            found |= question.ask(session, handle, device)
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
    switched, counts = _counts(session, handle, device)
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
    if True in states and not session.request.links_only:  # all links of a board have one version
        first = states.index(True)
        told = counts.get((_VERSION, first))
        version = (
            session.ask("nvmlDeviceGetNvLinkVersion", handle, first, device=device, fact="nvlinks", quiet=(2, 3))
            if told is None
            else int(told)
        )
    made = _VERSIONS.get(version) if version is not None else None
    to_switch = switched is not None and switched >= states.count(True) > 0
    return tuple(
        _link(session, handle, device, link, active, made, counts, to_switch) for link, active in enumerate(states)
    )


def _counts(session: "Session", handle: Any, device: str) -> tuple[int | None, dict[tuple[int, int], float]]:
    """Return how many links lead to a switch, and the fields of all links from one call.

    None and {} if the driver does not report them, or not the number of links.
    """
    told = batched(session, handle, device, [(_LINKS, 0), (_SWITCHED, 0)])
    links, switched = int(told.get((_LINKS, 0), 0)), told.get((_SWITCHED, 0))
    every = (_STATE, _SPEED) if session.request.links_only else (_STATE, _SPEED, _REPLAY, _RECOVERY, _CRC, _VERSION)
    wanted = [(field, link) for field in every for link in range(min(links, _MOST_LINKS))]
    counts = batched(session, handle, device, wanted) if wanted else {}
    return None if switched is None else int(switched), counts


def _told(counts: "Mapping[tuple[int, int], float]") -> list[bool]:
    """Return whether each link is up; [] unless the driver reported the state of every link that it counts."""
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
    to_switch: bool,
) -> NvLink:
    remote = None
    if active and (not to_switch or session.request.depth == "deep"):  # a call for each link
        remote = session.ask(
            "nvmlDeviceGetNvLinkRemotePciInfo", handle, link, device=device, fact="nvlinks", quiet=(2, 3)
        )
    speed = counts.get((_SPEED, link))
    return NvLink(
        index=link,
        active=active,
        version=version if active else None,
        remote_pci_address=pci_address(text(remote.busId) or "") if remote is not None else None,
        to_switch=True if active and to_switch else None,
        crc_errors=_count(session, handle, device, link, counts.get((_CRC, link)), (2, 3)),
        replay_errors=_count(session, handle, device, link, counts.get((_REPLAY, link)), (0,)),
        recovery_errors=_count(session, handle, device, link, counts.get((_RECOVERY, link)), (1,)),
        speed_bytes_per_second=int(speed) * 1_000_000 if active and speed else None,
    )


def _count(
    session: "Session", handle: Any, device: str, link: int, field: float | None, counters: tuple[int, ...]
) -> int | None:
    """Return the field's value, or else the sum of the older error counters."""
    if field is not None or session.request.links_only:
        return None if field is None else int(field)
    total: int | None = None
    for counter in counters:
        value = session.ask(
            "nvmlDeviceGetNvLinkErrorCounter", handle, link, counter, device=device, fact="nvlinks", quiet=(2, 3, 13)
        )
        if value is not None:
            total = (total or 0) + int(value)
    return total


def fabric(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the fabric's facts; {} if there is no such fabric."""
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
    state, status, mask, summary, cluster, clique = found
    joined = state == _COMPLETED and any(cluster)  # a standalone node has an all-zero cluster ID
    return {
        "fabric_cluster_uuid": _uuid(cluster.hex()) if joined else None,
        "fabric_clique_id": clique if joined else None,
        "fabric_state": _FABRIC_STATES.get(state),
        "fabric_status": ("Success" if status == 0 else error_text(status)) if state == _COMPLETED else None,
        "fabric_health": fabric_health(mask, summary),
    }


def _uuid(digits: str) -> str:
    """Return 32 hex digits in the form of a UUID.

    >>> _uuid("10171e252c333a41484f565d646b7279")
    '10171e25-2c33-3a41-484f-565d646b7279'
    """
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def fabric_health(mask: int | None, summary: int | None) -> str | None:
    """Return what is wrong with the fabric, or the driver's summary; None if it gives neither.

    >>> fabric_health(0b10101001, None), fabric_health(0b10101010, None), fabric_health(0, 1), fabric_health(0, 0)
    ('degraded-bandwidth', 'healthy', 'healthy', None)
    """
    ills = [name for place, name in _ILLNESSES if (mask or 0) >> place & 3 == 1]
    if ills:
        return ", ".join(ills)
    if summary:
        return _SUMMARIES.get(summary)
    return "healthy" if any((mask or 0) >> place & 3 for place, _ in _ILLNESSES) else None
