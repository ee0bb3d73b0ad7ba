"""A GPU that is held down by its power supply or another circuit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_HEAT: Final = ("hw-thermal-slowdown", "sw-thermal-slowdown")


@check(code="NV029", name="gpu-hardware-slowdown", layer="hardware", severity="warning")
def gpu_hardware_slowdown(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A circuit outside the GPU holds its clocks down: the power brake, or a hardware slowdown without heat.

    Why it matters   The GPU runs at a fraction of its speed.
    What to do       Check the power supplies, the power cables and the rack's power limit.
    Looks at         clock_event_reasons
    Silent when      heat explains it (see gpu-thermal-slowdown), or the reasons are not known
    Source           NVML API: clock event reasons
    """
    for device in signs.gpus(facts):
        reasons = device.clock_event_reasons or ()
        brake = "hw-power-brake" in reasons
        if not brake and ("hw-slowdown" not in reasons or any(r in _HEAT for r in reasons)):
            continue
        yield Problem(
            title=f"{device.id} is slowed down by "
            + ("the power brake" if brake else "its hardware, and not for heat"),
            devices=(device.id,),
            evidence=(Evidence(fact="clock_event_reasons", value=", ".join(reasons)),),
            remedies=(
                Remedy(
                    text="Check power supplies, power cables and the rack's power limit.",
                    command=f"nvidia-smi -q -d PERFORMANCE,POWER -i {device.index}",
                    action="admin",
                ),
            ),
        )
