"""Windows cannot start the virtual machine of WSL, so that no GPU is lent to it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_STEPS: Final = (
    Remedy(
        text="Switch the feature on, as an administrator of Windows, and restart it.",
        command="wsl.exe --install --no-distribution",
        action="admin",
    ),
    Remedy(
        text="If it stays: switch virtualisation on in the firmware's setup (VT-x, AMD-V, SVM), and let Windows start "
        "its hypervisor.",
        command="bcdedit /set hypervisorlaunchtype auto",
        action="reboot",
    ),
    Remedy(
        text="Where Windows is a virtual machine itself, its host must hand virtualisation on, while the machine is "
        "off (Hyper-V: ExposeVirtualizationExtensions; others: nested virtualisation).",
        action="admin",
    ),
)


@check(
    code="NV157",
    name="wsl-not-started",
    layer="driver",
    family="windows-specific",
    reads=("wsl-without-hypervisor",),
    needs=("run.program",),
)
def wsl_not_started(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Windows refuses to start WSL 2: the virtual machine that it needs cannot run.

    Why it matters   No distribution starts, and Docker Desktop neither; the GPU and its driver have no part in it.
    What to do       Switch on the Virtual Machine Platform, and virtualisation in the firmware's setup.
    Looks at         0x80370102, HCS_E_HYPERV_NOT_INSTALLED and their sentences
    Silent when      WSL starts, and what runs in it sees no GPU: other findings
    Source           Microsoft: troubleshooting WSL; https://aka.ms/enablevirtualization
    """
    told = facts.stated("wsl-without-hypervisor")
    if told:
        yield Problem(
            title="Windows cannot start WSL's virtual machine: virtualisation, or the feature for it, is off",
            evidence=quoted(told[:3]),
            remedies=_STEPS,
        )
