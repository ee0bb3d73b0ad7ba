"""A GPU that is reserved by another process or closed to all."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel_nvidia import signs
from accel_nvidia.model import NvidiaDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV013", name="device-busy", layer="access", requires=("gpu-lost", "gpu-xid"))
def device_busy(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """CUDA says "busy or unavailable" and the GPU's compute mode lets in one process, or none.

    Why it matters   In the mode exclusive-process the first process keeps the GPU; in prohibited nobody gets it.
    What to do       End the holder, or set the compute mode to default.
    Looks at         error 46; compute_mode; the processes listed
    Silent when      CUDA says nothing of the kind; undecided where the mode is not known
    Source           NVML API: nvmlComputeMode_t; CUDA runtime API: cudaErrorDevicesUnavailable
    """
    events = facts.events("devices-busy")
    if not events:
        return
    devices = [d for d in facts.of("nvidia") if isinstance(d, NvidiaDevice) and d.compute_mode is not None]
    need(devices or None, "compute_mode")
    closed = [d for d in devices if d.compute_mode != "default"]
    if not closed:
        need(None, "the kernel log: what else makes the GPU unavailable")
    yield Problem(
        title="The GPU's compute mode keeps this program out",
        devices=tuple(d.id for d in closed),
        evidence=(
            *(Evidence(fact=f"{d.id} compute_mode", value=str(d.compute_mode)) for d in closed[:4]),
            *signs.quoted(events),
        ),
        remedies=(Remedy(text="Open the GPU to all processes.", command="sudo nvidia-smi -c 0", action="admin"),),
    )
