from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel_nvidia import around

_HANGS: Final = "The machine hangs when it sleeps or wakes"
_DARK: Final = "After sleep the screen is dark or corrupted"
_CAUSE: Final = "the driver does not preserve the GPU's memory"
_UNKEPT: Final = Remedy(
    text="This driver's package does not include the services that announce a sleep: stop the driver from "
    "preserving the GPU's memory, so that the machine can sleep without them, or use the driver from a "
    "repository that has them (RPM Fusion: xorg-x11-drv-nvidia-power). This takes effect at the next boot.",
    command="echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=0' | sudo tee /etc/modprobe.d/nvidia-sleep.conf "
    "&& sudo update-initramfs -u",
    action="reboot",
)
_ANNOUNCE: Final = (
    Remedy(
        text="Enable the driver's sleep services, which save the GPU's memory before the kernel sleeps; suspend "
        "with systemctl suspend, not with /sys/power/state alone.",
        command="sudo systemctl enable nvidia-suspend.service nvidia-hibernate.service nvidia-resume.service",
        action="admin",
    ),
    Remedy(
        text="Check which folder they write to, and that it has as much free space as the GPU has memory in use.",
        command="grep -iE 'preserve|temporary' /proc/driver/nvidia/params; df -h /tmp /var/tmp",
        action="admin",
        kind="look",
    ),
    Remedy(
        text="Or stop the driver from preserving it, if no program has to survive a sleep.",
        command="echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=0' | sudo tee "
        "/etc/modprobe.d/nvidia-sleep.conf && sudo update-initramfs -u",
        action="reboot",
    ),
)


@check(
    code="NV152",
    name="video-memory-not-preserved",
    layer="driver",
    severity="warning",
    reads=(
        *(
            "woke-from-sleep",
            *("video-memory-not-kept", "video-memory-kept", "nvidia-brand-named", "amd-brand-named"),
            "picture-broken",
            "sleep-refused-by-driver",
            "sleep-services-absent",
            "sleep-fails",
        ),
        *around.AROUND,
    ),
    needs=("run.program",),
    requires=("gpu-lost-after-suspend", "gpu-xid", "gpu-lost", "driver-not-loaded", "driver-library-mismatch"),
)
def video_memory_not_preserved(facts: Facts, specs: Specs) -> Problems:
    """The screen is dark or broken after suspend: the driver did not preserve the GPU's memory.

    Why it matters   Programs find garbage in GPU memory, and the desktop stays dark.
    What to do       Make the driver preserve it (NVreg_PreserveVideoMemoryAllocations); enable its suspend services.
    Looks at         a screen that breaks after suspend; a machine that hangs in it; the module parameter; the services
                     nvidia-suspend and nvidia-resume; the driver's refusal of a suspend that they did not announce
    Silent when      the text shows no suspend; undecided if the driver preserves the memory
    Source           NVIDIA driver README: configuring power management support
    """
    if facts.host.wsl or around.on_windows(facts):
        return
    refused = facts.stated("sleep-refused-by-driver")
    if refused:
        yield Problem(
            title="The NVIDIA driver rejects the machine's sleep: it must preserve the GPU's memory, but its "
            "sleep services did not notify it",
            evidence=quoted(refused[:3]),
            remedies=(_UNKEPT, _ANNOUNCE[1]) if facts.stated("sleep-services-absent") else _ANNOUNCE,
        )
        return
    hangs = facts.stated("sleep-fails")
    lost = facts.stated("video-memory-not-kept")
    # "Resume fails" is also said of training, unless the text is about the driver's sleep.
    woke = (*facts.stated("woke-from-sleep"), *(hangs if lost else ()))
    broken = (*facts.stated("picture-broken"), *hangs)
    if not (woke and broken):
        return
    brand = facts.stated("nvidia-brand-named") and not (around.amd_seen(facts) or facts.stated("amd-brand-named"))
    if not (facts.seen("nvidia") or lost or brand):
        return
    kept = bool(facts.stated("video-memory-kept")) and not lost
    need(None if kept else True, "why it wakes badly though the driver preserves the GPU's memory")
    yield Problem(
        title=f"{_HANGS if hangs else _DARK}: {_CAUSE if lost else f'usually {_CAUSE}'}",
        evidence=quoted(dict.fromkeys((*lost[:2], *broken[:1], *woke[:1]))),
        remedies=(
            Remedy(
                text="Let the driver preserve all of the GPU's memory, enable its sleep services, and reboot. It "
                "is written to a folder with enough space, by default /tmp.",
                command="echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1 NVreg_TemporaryFilePath=/var/tmp' "
                "| sudo tee /etc/modprobe.d/nvidia-sleep.conf && sudo systemctl enable nvidia-suspend nvidia-hibernate "
                "nvidia-resume && sudo update-initramfs -u",
                action="reboot",
            ),
            Remedy(
                text="Check the driver's setting, and what it logged at resume.",
                command="grep -i preserve /proc/driver/nvidia/params; systemctl is-enabled nvidia-suspend nvidia-resume"
                "; sudo dmesg -T | grep -iE 'nvrm|xid|suspend' | tail -30",
                action="env",
                kind="look",
            ),
        ),
    )
