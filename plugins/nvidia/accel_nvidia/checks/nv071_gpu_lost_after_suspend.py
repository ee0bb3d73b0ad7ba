from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import xid

_OF_PROGRAMS: Final = ("13", "31", "43", "45")


@check(
    code="NV071",
    name="gpu-lost-after-suspend",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=(
        "xid-after-sleep",
        "lost-after-sleep",
        "gpu-stuck-asleep",
        "woke-from-sleep",
        "gpu-power-state",
        "uvm-stuck",
        "nvml-access-blocked",
    ),
    needs=("nvidia.devices", "source.kernel log"),
)
def gpu_lost_after_suspend(facts: Facts, specs: Specs) -> Problems:
    """A GPU fails right after the machine, or the GPU alone, resumes from suspend.

    Why it matters   It looks like a broken board, but the cause is firmware and power states: a reboot fixes it.
    What to do       Reboot; preserve video memory over suspend; update the firmware; prevent the deepest power state.
    Looks at         Xid 79 and other codes soon after a resume; failing ACPI power methods or power state changes
    Silent when      the text shows no suspend, or it was long before the error
    Source           NVIDIA driver README: power management, runtime D3; Linux: PCI power management
    """
    found = facts.stated("xid-after-sleep", "lost-after-sleep", "gpu-stuck-asleep")
    if facts.host.wsl is not True and facts.stated("woke-from-sleep"):
        found += facts.stated("nvml-access-blocked")
    if facts.stated("uvm-stuck"):  # suspended programs then fail with their own codes, and the GPU is healthy
        found = tuple(fact for fact in found if fact.value("code") not in _OF_PROGRAMS)
    if found:
        given_away = any("vfio" in fact.text.lower() for fact in found)
        slept = facts.stated("woke-from-sleep", "gpu-power-state")
        by_itself = not facts.stated("woke-from-sleep") and any("D3cold" in fact.text for fact in found)
        yield Problem(
            title=f"A GPU did not wake up from sleep{xid.where(found)}",
            devices=xid.gpus_at(facts, found),
            evidence=(*quoted(found, most=3), *quoted(slept, most=2)),
            remedies=(
                *((_without_runtime_sleep(facts, specs),) if by_itself and not given_away else ()),
                Remedy(text="Reboot the machine.", action="reboot"),
                *(fixes(specs, "nvidia", "vfio-awake") if given_away else ()),
                *fixes(specs, "nvidia", "memory-over-sleep", "no-deepest-sleep"),
            ),
        )


def _without_runtime_sleep(facts: Facts, specs: Specs) -> Remedy:
    """Return the step for a GPU that fell asleep by itself: the machine was not suspended."""
    from accel.vendors.toolkit.kernel_packages import rebuild_ramdisk  # few texts need it

    return Remedy(
        text="It did not wake from the sleep (D3cold) that runtime power management puts it into between "
        "uses, as in a laptop's hybrid mode: switch that off, and reboot. Newer firmware may cure it, too.",
        command=chained(
            "echo 'options nvidia NVreg_DynamicPowerManagement=0x00' | sudo tee /etc/modprobe.d/nvidia-awake.conf",
            rebuild_ramdisk(facts, specs),
            "sudo reboot",
        ),
        action="reboot",
    )
