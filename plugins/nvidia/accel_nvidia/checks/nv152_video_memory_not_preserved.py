"""A screen that is dark or broken after a sleep, since the GPU's memory was not kept."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, need, quoted
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV152",
    name="video-memory-not-preserved",
    layer="driver",
    severity="warning",
    reads=("woke-from-sleep", "video-memory-not-kept", "picture-broken", *around.AROUND),
    needs=("run.program",),
    requires=("gpu-lost-after-suspend", "gpu-xid", "gpu-lost", "driver-not-loaded", "driver-library-mismatch"),
)
def video_memory_not_preserved(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """After a sleep of the machine the screen is dark or broken: the driver did not keep the GPU's memory.

    Why it matters   Programs that held something in the GPU's memory find rubbish there, and the desktop stays dark.
    What to do       Let the driver keep all of it (NVreg_PreserveVideoMemoryAllocations); enable its sleep services.
    Looks at         a screen that breaks after a sleep; the driver's parameter; the services nvidia-suspend, -resume
    Silent when      nothing tells of sleep; undecided where the parameter and the services are not shown
    Source           NVIDIA driver README: configuring power management support
    """
    woke, broken = facts.stated("woke-from-sleep"), facts.stated("picture-broken")
    if not (woke and broken) or facts.host.wsl or around.on_windows(facts):
        return
    lost = facts.stated("video-memory-not-kept")
    named = around.nvidia_seen(facts) or bool(lost)
    if not named:
        return
    need(lost or None, "whether the driver keeps the GPU's memory: grep Preserve /proc/driver/nvidia/params")
    yield Problem(
        title="After a sleep the screen is dark or broken: the driver does not keep the GPU's memory over it",
        evidence=quoted((*lost[:2], *broken[:1], *woke[:1])),
        remedies=(
            Remedy(
                text="Let the driver keep all of the GPU's memory, enable its sleep services, and reboot. It is "
                "written to a folder with room for it, by default /tmp.",
                command="echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1 NVreg_TemporaryFilePath=/var/tmp' "
                "| sudo tee /etc/modprobe.d/nvidia-sleep.conf && sudo systemctl enable nvidia-suspend nvidia-hibernate "
                "nvidia-resume && sudo update-initramfs -u",
                action="reboot",
            ),
            Remedy(
                text="See what the driver was told, and what it said at the resume.",
                command="grep -i preserve /proc/driver/nvidia/params; systemctl is-enabled nvidia-suspend nvidia-resume"
                "; sudo dmesg -T | grep -iE 'nvrm|xid|suspend' | tail -30",
                action="env",
                kind="look",
            ),
        ),
    )
