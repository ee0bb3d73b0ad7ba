from typing import Final

from accel.resolver.system_tools import kernel_option
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained
from accel.vendors.toolkit.table_steps import fix, fixes

_BY_CABLE: Final = "external-link-named"


@check(
    code="NV120",
    name="gpu-bar-unassigned",
    layer="hardware",
    reads=(
        "bar-invalid",
        "bar-not-placed",
        "driver-probed-nothing",
        "gpu-bring-up-failed",
        "no-devices-found",
        "bar-ignored",
        *("bar-resize-failed", "gpu-said-not-starting", _BY_CABLE),
    ),
    needs=("nvidia.devices", "source.kernel log"),
)
def gpu_bar_unassigned(facts: Facts, specs: Specs) -> Problems:
    """The firmware or the kernel found no address space for the GPU's memory windows (BARs).

    Why it matters   The driver is right to reject the GPU: it cannot be reached without the window.
    What to do       Enable Above 4G Decoding in the firmware; boot with pci=realloc; enlarge a VM's 64-bit window.
    Looks at         the driver's "This PCI I/O region … is invalid" and "BAR1 is 0M"; the kernel's "BAR n: failed to
                     assign" if the driver then has no GPU; a driver that fails while it resizes a window
    Silent when      only the kernel reports it and the driver initializes the GPU: bridge windows are often retried
    Source           NVIDIA driver README: common problems; Linux: kernel-parameters, pci=realloc; OVMF: X-PciMmio64Mb
    """
    resized = facts.stated("bar-resize-failed")
    if resized:
        yield Problem(
            title="The driver gives up on the GPU because its memory window (BAR) could not be enlarged",
            detail="A larger window improves speed but is not required: the GPU works without it. Thunderbolt "
            "bridges and old firmware have no room for it.",
            evidence=quoted(resized[:3]),
            remedies=fixes(specs, "nvidia", "bar-not-resized"),
        )
        return
    invalid, unplaced = facts.stated("bar-invalid"), facts.stated("bar-not-placed")
    without = facts.stated("driver-probed-nothing", "gpu-bring-up-failed", "no-devices-found", "gpu-said-not-starting")
    without += facts.stated("bar-ignored") if unplaced else ()
    if not (invalid or (unplaced and without)):
        return

    realloc = Remedy(
        text="Let the kernel reassign the windows of all bridges (kernel option pci=realloc), and reboot the "
        "machine with the GPU connected and powered.",
        command=chained(kernel_option("pci", "realloc", facts, specs), "sudo reboot"),
        action="reboot",
    )
    yield Problem(
        title="The machine assigned no address space to the GPU's memory windows (BARs), so the driver cannot reach it",
        evidence=quoted((*invalid[:3], *unplaced[:2], *without[:1]), most=6),
        remedies=(
            *(
                (realloc, fix(specs, "nvidia", "large-windows"))
                if facts.stated(_BY_CABLE)
                else (fix(specs, "nvidia", "large-windows"), realloc)
            ),
            fix(specs, "nvidia", "guest-pci-window"),
        ),
    )
