from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel.vendors.contract.command import command_line
from accel_nvidia import around

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice


@check(code="NV136", name="mode-change-pending", layer="hardware", severity="info", needs=("nvidia.devices",))
def mode_change_pending(facts: Facts, specs: Specs) -> Problems:
    """ECC or MIG of a GPU was switched, and takes effect at its next reset or reboot.

    Why it matters   The GPU does not yet have the requested mode and changes at some reboot: memory size, partitions
                     and device numbers then change for running setups.
    What to do       Reset the GPU when nothing runs on it; or undo the change.
    Looks at         ecc_enabled against ecc_pending, mig_mode against mig_mode_pending
    Silent when      current and pending modes are equal, or either is unknown
    Source           NVML API: nvmlDeviceGetEccMode, nvmlDeviceGetMigMode
    """
    changes: dict[tuple[str, str, str], list[NvidiaDevice]] = {}
    for device in around.gpus(facts):
        pairs = (
            ("ECC", _word(device.ecc_enabled), _word(device.ecc_pending)),
            ("MIG", device.mig_mode, device.mig_mode_pending),
        )
        for what, now, later in pairs:
            if now is not None and later is not None and now != later:
                changes.setdefault((what, now, later), []).append(device)
    for (what, now, later), devices in changes.items():
        yield Problem(
            title=f"{what} of {', '.join(d.id for d in devices)} is {now}, and {later} after the next reset",
            devices=tuple(d.id for d in devices),
            evidence=(Evidence(fact=f"{what} mode, pending", value=f"{now}, {later}"),),
            remedies=(
                Remedy(
                    text="Reset it when nothing is running on it.",
                    command=command_line("sudo nvidia-smi --gpu-reset", around.gpu_option(devices)),
                    action="reset",
                ),
            ),
        )
    if not changes:
        around.must_know(facts, "ecc_pending", "mig_mode_pending")


def _word(enabled: bool | None) -> str | None:
    return None if enabled is None else "enabled" if enabled else "disabled"
