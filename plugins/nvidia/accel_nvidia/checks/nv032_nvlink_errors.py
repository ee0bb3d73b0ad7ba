"""NVLinks that count errors."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.contract.command import command_line, number_word
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MANY: Final = 100


@check(
    code="NV032",
    name="nvlink-errors",
    layer="hardware",
    severity="warning",
    needs=("nvidia.devices",),
    explained_by=("gpu-xid", "nvlink-down", "nvswitch-fault"),
)
def nvlink_errors(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An NVLink counts recoveries, or many replays or checksum errors, since the driver was loaded.

    Why it matters   Each costs time; a recovery stops the link for a while, and often comes before it fails.
    What to do       Look whether the counts grow; reseat bridges or boards; service if they do.
    Looks at         replay, recovery and CRC counts of each NVLink
    Silent when      there was no recovery and fewer than 100 of the others, or the counts are not known
    Source           NVML API: nvmlDeviceGetNvLinkErrorCounter
    """
    found = False
    for device in around.gpus(facts):
        bad = [
            link
            for link in device.nvlinks or ()
            if (link.recovery_errors or 0) > 0 or max(link.replay_errors or 0, link.crc_errors or 0) >= _MANY
        ]
        if not bad:
            continue
        found = True
        yield Problem(
            title=f"{device.id}: {len(bad)} of {len(device.nvlinks or ())} NVLinks count errors",
            devices=(device.id,),
            evidence=tuple(
                Evidence(
                    fact=f"link {link.index}",
                    value=f"recovery {link.recovery_errors}, replay {link.replay_errors}, CRC {link.crc_errors}",
                )
                for link in bad[:4]
            ),
            remedies=(
                Remedy(
                    text="See whether the counts grow; reseat the bridge or board if they do.",
                    command=command_line("nvidia-smi nvlink --errorcounters -i", number_word(device.index)),
                    action="admin",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "nvlinks")
