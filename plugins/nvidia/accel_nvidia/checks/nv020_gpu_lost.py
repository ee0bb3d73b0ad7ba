"""A GPU that the driver no longer reaches."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel_nvidia import xid

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV020",
    name="gpu-lost",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("gpu-hot-said", "xid-lost", "gpu-off-bus", "gpu-lost-said", "gpu-handle-refused"),
    needs=(
        "nvidia.devices",
        "source.kernel log",
    ),
    explained_by=("gpu-lost-after-suspend", "gpu-pcie-errors", "gpu-external-power-missing"),
)
def gpu_lost(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU that was there no longer answers: Xid 79, fallen off the bus, lost.

    Why it matters   Programs on it die; tools may hang; it does not come back by itself.
    What to do       Reboot, best with a cold start; if it returns, look at power, seat, riser and heat.
    Looks at         Xid 79; "fallen off the bus"; NVML's "GPU is lost"; a GPU that nvidia-smi cannot open
    Silent when      NVML could not start at all, for then no single GPU is meant
    Source           NVML API: NVML_ERROR_GPU_IS_LOST; NVIDIA Xid catalogue: 79
    """
    found = facts.stated("xid-lost", "gpu-off-bus", "gpu-lost-said", "gpu-handle-refused")
    if not found:
        return
    devices = {*xid.gpus_at(facts, found), *(fact.device for fact in found if fact.device)}
    yield Problem(
        title="A GPU is lost: the driver no longer reaches it" + xid.where(found),
        devices=tuple(sorted(devices)),
        evidence=quoted(found),
        remedies=_remedies(facts),
    )


def _remedies(facts: "Facts") -> tuple[Remedy, ...]:
    """Return what to do, the reboot first; where the text tells of heat or of a reboot that was made, the board."""
    reboot = Remedy(text="Drain the machine and reboot it; a lost GPU mostly needs a cold start.", action="reboot")
    board = Remedy(
        text="If it returns: check power cables, seat, riser and temperature, then send the board to service.",
        command="sudo dmesg -T | grep -iE 'nvrm|xid|aer|pcie'",
        action="service",
        kind="ask",
    )
    if facts.stated("gpu-hot-said", "thermal-violation"):
        cool = Remedy(
            text="It was hot before it was lost: before it works again, check its fan, cooler and air flow; if it is "
            "still hotter than the others, send it to service.",
            command="nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
            action="service",
            kind="ask",
        )
        return (reboot, cool)
    return (reboot, board)
