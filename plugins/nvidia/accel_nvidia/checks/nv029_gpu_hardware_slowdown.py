from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel_nvidia import around
from accel_nvidia.slowed import as_said, look

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

_HEAT: Final = ("hw-thermal-slowdown", "sw-thermal-slowdown")


@check(
    code="NV029",
    name="gpu-hardware-slowdown",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("power-brake-said",),
    needs=("nvidia.devices",),
)
def gpu_hardware_slowdown(facts: Facts, specs: Specs) -> Problems:
    """A circuit outside the GPU lowers its clocks: the power brake, or a hardware slowdown without heat.

    Why it matters   The GPU runs at a fraction of its speed.
    What to do       Check the power supplies, the power cables and the rack's power limit.
    Looks at         clock_event_reasons; DCGM's clock reasons field
    Silent when      heat explains it (see gpu-thermal-slowdown); the reasons are unknown; a software power cap causes
                     it
    Source           NVML API: clock event reasons
    """
    held = [device for device in around.gpus(facts) if _is_held(device)]
    for device in held:
        reasons = device.clock_event_reasons or ()
        brake = "hw-power-brake" in reasons
        yield Problem(
            title=f"{device.id} is throttled by "
            + ("the power brake" if brake else "its hardware, but not because of heat"),
            devices=(device.id,),
            evidence=(Evidence(fact="clock_event_reasons", value=", ".join(reasons)),),
            remedies=_remedies(device.index),
        )
    found = facts.stated("power-brake-said")
    if found and not held:
        yield as_said(found, "is throttled by the power brake", _remedies(None))
    if not held and not found:
        around.must_know(facts, "clock_event_reasons")


def _is_held(device: "NvidiaDevice") -> bool:
    reasons = device.clock_event_reasons or ()
    return "hw-power-brake" in reasons or ("hw-slowdown" in reasons and not any(r in _HEAT for r in reasons))


def _remedies(index: int | None) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="Check power supplies, power cables and the rack's power limit; if they are fine, have the board "
            "replaced.",
            action="service",
            kind="ask",
        ),
        look("Check the throttle reasons and the power under load.", "PERFORMANCE,POWER", index),
    )
