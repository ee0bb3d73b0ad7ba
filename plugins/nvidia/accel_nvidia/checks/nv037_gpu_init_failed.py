"""A GPU that the driver could not bring up."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, need
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV037",
    name="gpu-init-failed",
    layer="hardware",
    family="gpu-hardware-fault",
    requires=("driver-not-loaded", "driver-library-mismatch"),
)
def gpu_init_failed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver is loaded and could not bring a GPU up ("RmInitAdapter failed", "No devices were found").

    Why it matters   The GPU is on the bus, and for CUDA it does not exist.
    What to do       Cold start; look at power and seat; another driver version; in a virtual machine the
                     pass-through.
    Looks at         NVRM lines of the kernel log
    Silent when      another driver holds the GPU or the module is of the wrong kind; undecided where nvidia-smi only
                     says that no devices were found
    Source           NVIDIA driver README: common problems
    """
    events = facts.events("gpu-init-failed")
    if events:
        yield Problem(
            title="The driver could not bring a GPU up",
            evidence=signs.quoted(events),
            remedies=(
                Remedy(text="Switch the machine off and on; check the board's power and seat.", action="reboot"),
                Remedy(
                    text="If it stays: another driver version, then service.",
                    command="sudo dmesg -T | grep -iE 'nvrm|xid'; sudo nvidia-bug-report.sh",
                    action="service",
                ),
            ),
        )
    elif facts.event("smi-no-devices") is not None and not facts.of("nvidia") and not signs.in_container(facts):
        need(None, "the kernel log (dmesg | grep -i nvrm): why the driver has no GPU")
