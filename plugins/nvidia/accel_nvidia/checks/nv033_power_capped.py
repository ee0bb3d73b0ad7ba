from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

_LOWERED: Final = 0.97  # share of the default; rounding stays above it
_PLATEAU: Final = 0.6  # share of the limit: a draw below it at full load
_FULL_USE_PERCENT: Final = 90
_AT_LIMIT: Final = 0.95  # share of the limit at which the board counts as limited
_FLAT: Final = 1.1  # the highest draw against the average


@check(
    code="NV033",
    name="power-capped",
    layer="hardware",
    severity="info",
    reads=("power-plateau", "power-stuck", "power-cap-said", "power-limit-not-settable", "portable-machine"),
    needs=("nvidia.devices",),
    explained_by=("gpu-thermal-slowdown", "gpu-hardware-slowdown"),
)
def power_capped(facts: Facts, specs: Specs) -> Problems:
    """The power limit in force is below the board's default, or the platform supplies far less at full load.

    Why it matters   The GPU is slower under load than others of its model. It may be intended.
    What to do       Restore the default if nobody lowered it on purpose; otherwise change the platform's power profile.
    Looks at         the limit in force, the requested limit, the default and the maximum; the power draw over time at
                     full load; clock_event_reasons
    Silent when      the limits are unknown. Only information if the owner requested the limit
    Source           NVML API: nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetPowerManagementDefaultLimit
    """
    found = False
    for device in around.gpus(facts):
        problem = _limited(device, facts, specs) or _held(device, facts, specs) or _given(device, facts, specs)
        if problem is not None:
            found = True
            yield problem
    if not found:
        around.must_know(facts, "power_limit_watts", "power_watts")


def _limited(device: "NvidiaDevice", facts: Facts, specs: Specs) -> Problem | None:
    limit, default, asked = device.power_limit_watts, device.power_default_watts, device.power_requested_watts
    if limit is None or not default or limit >= _LOWERED * default:
        return None
    nobody = asked is not None and asked >= _LOWERED * default
    capped = "sw-power-cap" in (device.clock_event_reasons or ()) and asked is None
    words = "; nobody requested it" if nobody else ""
    restore = command_line("sudo nvidia-smi -i", number_word(device.index), "-pl", number_word(round(default)))
    portable = bool(facts.stated("power-limit-not-settable", "portable-machine"))
    remedies: tuple[Remedy, ...] = (
        Remedy(text="Restore the default.", command=restore, action="admin"),
        *fixes(specs, "nvidia", "platform-power")[:1],
    )
    if nobody or portable:
        remedies = (
            tuple(reversed(fixes(specs, "nvidia", "platform-power")))
            if portable
            else fixes(specs, "nvidia", "platform-power")
        )
    return Problem(
        title=f"{device.id} is limited to {limit:g} W; its default is {default:g} W{words}",
        severity="warning" if capped or nobody or (portable and _at_its_limit(device)) else "info",
        devices=(device.id,),
        evidence=(
            Evidence(fact="power_limit_watts", value=f"{limit:g}"),
            Evidence(fact="power_default_watts", value=f"{default:g}"),
        ),
        remedies=remedies,
    )


def _at_its_limit(device: "NvidiaDevice") -> bool:
    """Return whether the draw is at the limit. On a laptop the platform sets the limit and rejects nvidia-smi's."""
    draw, limit = device.power_watts, device.power_limit_watts
    return draw is not None and limit is not None and draw >= _AT_LIMIT * limit


def _held(device: "NvidiaDevice", facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem of a GPU at full load whose draw stays flat far below its limit, with no reason reported."""
    watched = facts.stated("power-cap-said", "power-plateau", "power-stuck")
    limits = (device.power_limit_watts, device.power_default_watts, device.power_maximum_watts)
    limit = next((watts for watts in limits if watts), None)
    if limit is None and watched and watched[0].name == "power-cap-said" and device.name:
        chip = specs.chip(name=device.name, vendor="nvidia")
        limit = chip.tdp_watts if chip is not None else None
    use = device.utilization_percent
    if not watched or limit is None or (use is not None and use < _FULL_USE_PERCENT):
        return None
    average, highest = (_watts(watched[0].value(key)) for key in ("average", "highest"))
    if highest is None or highest > _PLATEAU * limit or (average is not None and highest > _FLAT * average):
        return None
    if use is None and watched[0].name == "power-plateau":
        return None
    if any(reason.startswith(("hw-", "sw-")) for reason in device.clock_event_reasons or ()):
        return None
    return Problem(
        title=f"{device.id} draws at most {highest:g} W of {limit:g} W at full load: the platform supplies no more",
        severity="warning",
        devices=(device.id,),
        evidence=(*quoted(watched, most=2), Evidence(fact="power limit", value=f"{limit:g} W")),
        remedies=fixes(specs, "nvidia", "platform-power"),
    )


def _given(device: "NvidiaDevice", facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem of a limit below the board's maximum that nvidia-smi may not change."""
    limit, most = device.power_limit_watts, device.power_maximum_watts
    refused = facts.stated("power-limit-not-settable")
    if not refused or limit is None or most is None or limit >= _LOWERED * most:
        return None
    return Problem(
        title=f"{device.id} is limited to {limit:g} W of at most {most:g} W by the platform, not by nvidia-smi",
        devices=(device.id,),
        evidence=(*quoted(refused, most=1), Evidence(fact="power_limit_watts", value=f"{limit:g}")),
        remedies=tuple(reversed(fixes(specs, "nvidia", "platform-power"))),
    )


def _watts(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
