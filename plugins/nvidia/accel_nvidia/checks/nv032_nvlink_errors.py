from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around
from accel_nvidia.nvlink_causes import by_cause, evidence, names

if TYPE_CHECKING:
    from accel_nvidia.model import NvLink

_MANY: Final = 100


@check(
    code="NV032",
    name="nvlink-errors",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("nvlink-uncorrectable",),
    needs=("nvidia.devices",),
    explained_by=("gpu-xid", "nvlink-down", "nvswitch-fault"),
)
def nvlink_errors(facts: Facts, specs: Specs) -> Problems:
    """An NVLink counts recoveries, or many replays or CRC errors, or failed with an uncorrectable error.

    Why it matters   Each error costs time; a recovery stops the link for a while, and often precedes a failure.
    What to do       Check whether the counts grow; if so, reseat bridges or boards, then contact service.
    Looks at         replay, recovery and CRC counts of each NVLink; CUDA errors 220 and 226
    Silent when      there was no recovery and fewer than 100 other errors, or the counts are unknown
    Source           NVML API: nvmlDeviceGetNvLinkErrorCounter; CUDA driver API: errors 220, 226
    """
    said = facts.stated("nvlink-uncorrectable")
    if said:
        yield Problem(
            title="An uncorrectable NVLink error",
            severity="error",
            evidence=quoted(said),
            remedies=fixes(specs, "nvidia", "nvlink-failure"),
        )
    found = bool(said)
    gpus = around.gpus(facts)
    faulty = [(device, bad) for device in gpus if (bad := tuple(filter(_counts_errors, device.nvlinks or ())))]
    for group in by_cause(faulty, gpus):
        found = True
        count = sum(len(bad) for _, bad in group)
        links = sum(len(device.nvlinks or ()) for device, _ in group)
        index = group[0][0].index if len(group) == 1 else None
        at = command_line("nvidia-smi nvlink --errorcounters -i", number_word(index))
        yield Problem(
            title=f"{names(group)}: {count} of {links} NVLinks count errors",
            devices=tuple(device.id for device, _ in group),
            evidence=evidence(group, _counts),
            remedies=(
                Remedy(
                    text="Check whether the counts grow; reseat the bridge or board if they do.",
                    command=at or "nvidia-smi nvlink --errorcounters",
                    action="admin",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "nvlinks")


def _counts_errors(link: "NvLink") -> bool:
    counts = ((link.recovery_errors, 1), (link.replay_errors, _MANY), (link.crc_errors, _MANY))
    return any(count is not None and count >= most for count, most in counts)


def _counts(link: "NvLink") -> str:
    return f"recovery {link.recovery_errors}, replay {link.replay_errors}, CRC {link.crc_errors}"
