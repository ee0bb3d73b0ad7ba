"""A power limit below the board's default."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LOWERED: Final = 0.97  # of the default; rounding stays above


@check(code="NV033", name="power-capped", layer="hardware", severity="info")
def power_capped(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The power limit in force is below the board's default; a warning if it holds the clocks down now.

    Why it matters   The GPU is slower under load than others of its kind. It may be meant so.
    What to do       Restore the default if nobody set it on purpose.
    Looks at         power_limit_watts, power_default_watts, clock_event_reasons
    Silent when      either limit is not known
    Source           NVML API: nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetPowerManagementDefaultLimit
    """
    for device in signs.gpus(facts):
        limit, default = device.power_limit_watts, device.power_default_watts
        if limit is None or not default or limit >= _LOWERED * default:
            continue
        capped = "sw-power-cap" in (device.clock_event_reasons or ())
        yield Problem(
            title=f"{device.id} is limited to {limit:g} W; its default is {default:g} W",
            severity="warning" if capped else "info",
            devices=(device.id,),
            evidence=(
                Evidence(fact="power_limit_watts", value=f"{limit:g}"),
                Evidence(fact="power_default_watts", value=f"{default:g}"),
            ),
            remedies=(
                Remedy(
                    text="Restore the default.",
                    command=f"sudo nvidia-smi -i {device.index} -pl {default:g}",
                    action="admin",
                ),
            ),
        )
