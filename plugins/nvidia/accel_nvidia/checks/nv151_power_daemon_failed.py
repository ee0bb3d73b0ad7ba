"""The daemon that shares a laptop's power between processor and GPU fails."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV151",
    name="power-daemon-failed",
    layer="driver",
    family="power-capped",
    severity="warning",
    reads=("power-daemon-said-error",),
    needs=("run.program",),
    requires=("driver-not-loaded", "driver-library-mismatch", "gpu-lost"),
)
def power_daemon_failed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """nvidia-powerd (Dynamic Boost) fails: the GPU may be held below the power that it may draw.

    Why it matters   The daemon gives the GPU what is left of the processor's share of a laptop's power. Where the
                     firmware does not offer that it ends, or leaves a low limit behind.
    What to do       Do without it where the firmware does not serve it; else update the firmware.
    Looks at         what nvidia-powerd writes
    Silent when      the driver itself does not answer
    Source           NVIDIA driver README: Dynamic Boost on Linux
    """
    said = facts.stated("power-daemon-said-error")
    if said:
        yield Problem(
            title="nvidia-powerd (Dynamic Boost) fails on this machine: the GPU may be held below the power that it "
            "may draw",
            evidence=quoted(said[:2]),
            remedies=(
                Remedy(
                    text="Where the firmware does not serve it, do without: the GPU then has its base power.",
                    command="sudo systemctl disable --now nvidia-powerd",
                    action="admin",
                ),
                Remedy(
                    text="See the limits before and after, under load and on the maker's own charger; update the "
                    "system's firmware.",
                    command="nvidia-smi -q -d POWER,PERFORMANCE; systemctl status nvidia-powerd --no-pager",
                    action="env",
                ),
            ),
        )
