from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need
from accel.vendors.contract.command import command_line, number_word
from accel_amd.gpu_remedies import gpus

if TYPE_CHECKING:
    from accel_amd.model import AmdDevice

_LOWERED: Final = 0.98  # of the default; below it the limit was set
# Levels that fix the clocks. Linux: Documentation/gpu/amdgpu/thermal.rst, power_dpm_force_performance_level
_SLOW: Final = ("low", "profile_min_sclk", "profile_min_mclk", "profile_standard")


@check(
    code="AM015",
    name="amd-gpu-held-low",
    layer="hardware",
    severity="warning",
    needs=("amd.devices",),
    explained_by=("amd-gpu-unhealthy",),
)
def amd_gpu_held_low(facts: Facts, specs: Specs) -> Problems:
    """A GPU's power limit is below its default, its clocks are fixed low, or its firmware throttles them.

    Why it matters   The GPU is slower than others of its model, without any error; a multi-GPU job waits for it.
    What to do       Reset limit and clocks to automatic, if the setting is not needed.
    Looks at         the power limit against the board's default; the performance level; the throttle status
    Silent when      the limit is the default and the level is auto or high. Momentary firmware throttling is
                     information: at full load it enforces the power limit
    Source           Linux: Documentation/gpu/amdgpu/thermal.rst; amd-smi metric
    """
    known = False
    for device in gpus(facts.of("amd")):
        known = known or None not in (device.power_limit_watts, device.power_default_watts)
        known = known or device.performance_level is not None or device.throttled is not None
        yield from _limit(device)
        yield from _level(device)
        if device.throttled:
            yield Problem(
                title=f"The firmware of {device.id} is currently limiting its clocks",
                severity="info",
                devices=(device.id,),
                evidence=(Evidence(fact="throttled", value="yes"),),
                remedies=(
                    Remedy(
                        text="Check whether heat, power or current limits them: at full load it is usually the power "
                        "limit.",
                        command=command_line("amd-smi metric --power --temperature --gpu", number_word(device.index)),
                        action="env",
                    ),
                ),
            )
    need(known or None, "the GPU's power limit, performance level or throttle status")


def _limit(device: "AmdDevice") -> Problems:
    limit, default = device.power_limit_watts, device.power_default_watts
    if limit is not None and default and limit < _LOWERED * default:
        yield Problem(
            title=f"{device.id} is limited to {limit:.0f} W; its default is {default:.0f} W",
            devices=(device.id,),
            evidence=(Evidence(fact="power_limit_watts", value=f"{limit:.0f} of {default:.0f}"),),
            remedies=(
                Remedy(
                    text="Restore its default limit, unless somebody lowered it on purpose.",
                    command=command_line(
                        "sudo amd-smi set --power-cap", number_word(round(default)), "--gpu", number_word(device.index)
                    ),
                    action="admin",
                ),
            ),
        )


def _level(device: "AmdDevice") -> Problems:
    level = device.performance_level
    if level in _SLOW or level == "manual":
        yield Problem(
            title=f"The firmware cannot choose the clocks of {device.id}: its performance level is {level}",
            severity=None if level in _SLOW else "info",
            devices=(device.id,),
            evidence=(Evidence(fact="performance_level", value=level or ""),),
            remedies=(
                Remedy(
                    text="Let the firmware choose the clocks again, unless somebody set them on purpose.",
                    command=command_line("sudo amd-smi set --perf-level AUTO --gpu", number_word(device.index)),
                    action="admin",
                ),
            ),
        )
