"""NVIDIA's manager on the host refuses to start a virtual GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_READ: Final = Remedy(
    text="Read the manager's own words.",
    command="sudo journalctl -b -u nvidia-vgpu-mgr -u nvidia-vgpud --no-pager | tail -60",
    action="admin",
    kind="look",
)
_STEPS: Final = {
    "vgpu-board-unfit": Remedy(
        text="vGPU runs on the boards in NVIDIA's list only (data centre boards and some RTX professional ones), some "
        "of which must be switched from display mode first; hand another board to the machine as a whole.",
        command="nvidia-smi -q | grep -iE 'product name|virtualization mode|vGPU capability'",
        action="admin",
    ),
    "vgpu-machine-without-name": Remedy(
        text="Give the virtual machine a UUID on QEMU's command line, the same at each start.",
        command='qm set VMID --args "-uuid 00000000-0000-0000-0000-000000000VMID"',
        action="admin",
    ),
    "vgpu-profiles-unlike": Remedy(
        text="Take a profile that still fits beside those that run: without mixed sizes all of a board are alike.",
        command="nvidia-smi vgpu -c; nvidia-smi vgpu -q | head -40",
        action="admin",
    ),
}


@check(
    code="NV155",
    name="vgpu-not-started",
    layer="driver",
    reads=tuple(_STEPS),
    needs=("run.program",),
    requires=("grid-driver-without-vgpu", "driver-library-mismatch"),
)
def vgpu_not_started(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The host's vGPU manager refused to start a virtual GPU, and says why.

    Why it matters   QEMU only says Input/output error, and that all devices of the group must be bound: the group is
                     not at fault, and no guest gets the GPU.
    What to do       Take a board that vGPU is made for; give the machine a UUID; take a profile that still fits.
    Looks at         the words of nvidia-vgpu-mgr in the host's journal
    Silent when      the manager gives no reason: the error is then left open, with its causes
    Source           NVIDIA vGPU software: user guide, chapter on troubleshooting
    """
    for name, step in _STEPS.items():
        told = facts.stated(name)
        if told:
            yield Problem(
                title="The host's vGPU manager refuses to start the virtual GPU",
                evidence=quoted(told[:3]),
                remedies=(step, _READ),
            )
            return
