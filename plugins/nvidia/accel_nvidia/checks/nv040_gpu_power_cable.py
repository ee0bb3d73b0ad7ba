"""A GPU whose auxiliary power is missing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV040",
    name="gpu-external-power-missing",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("gpu-power-cable-missing",),
    needs=("nvidia.devices", "source.kernel log"),
)
def gpu_external_power_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver says that a GPU's external power cables are not attached.

    Why it matters   The board stays off; programs see one GPU less, and which number it had moves.
    What to do       Attach every power cable of the board; look at the supply.
    Looks at         NVML's error 8 on the GPU's handle, and its text where a tool prints it
    Silent when      no such answer came
    Source           NVML API: NVML_ERROR_INSUFFICIENT_POWER
    """
    found = facts.stated("gpu-power-cable-missing")
    if found:
        yield Problem(
            title="A GPU lacks its external power",
            devices=tuple(dict.fromkeys(fact.device for fact in found if fact.device)),
            evidence=quoted(found),
            remedies=(
                Remedy(text="Switch off and attach every power cable of the board.", action="service", kind="ask"),
            ),
        )
