"""Which GPUs may read each other's memory, according to the driver.

Source  nvml.h: nvmlDeviceGetP2PStatus, NVML_P2P_CAPS_INDEX_READ, nvmlGpuP2PStatus_t. The driver answers by board, bus
        and registry keys; it does not consider the IOMMU or access control, and early GeForce 40 drivers answer OK.
"""

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from accel.model.wiring import PeerAccess

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel_nvidia.nvml_session import Session

CALL: Final = "nvmlDeviceGetP2PStatus"
_READ: Final = 0
_OK: Final = 0
_REFUSALS: Final = {
    1: "chipset not supported",
    2: "GPU not supported",
    3: "topology not supported",
    4: "disabled by a registry key",
    5: "not supported",
}
_MOST_PAIRS: Final = 1024  # a node of 46 GPUs
_NO_ANSWER: Final = (2, 3, 13)  # the driver lacks the call, or does not support it for this device


def peers(session: "Session", handles: "Mapping[str, Any]") -> tuple[PeerAccess, ...]:
    """Return the driver's answer for each pair of whole GPUs, once. handles: by device ID."""
    able = [device for device, handle in handles.items() if handle is not None and not session.is_lost(device)]
    found = []
    for one, other in list(combinations(able, 2))[:_MOST_PAIRS]:
        status = session.ask(CALL, handles[one], handles[other], _READ, device=one, fact="peers", quiet=_NO_ANSWER)
        if status == _OK or status in _REFUSALS:
            says = _REFUSALS.get(status, "OK")
            found.append(PeerAccess(one=one, other=other, allowed=status == _OK, says=says))
    return tuple(found)
