from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

_MARGIN_CELSIUS: Final = 5
_COOL_CELSIUS: Final = 25  # a GPU this far below its limit is slowed down by the machine
_HEAT: Final = ("hw-thermal-slowdown", "sw-thermal-slowdown")


@check(
    code="NV028",
    name="gpu-thermal-slowdown",
    layer="hardware",
    severity="warning",
    reads=("thermal-violation",),
    needs=("nvidia.devices",),
)
def gpu_thermal_slowdown(facts: Facts, specs: Specs) -> Problems:
    """A GPU lowers its clocks because of heat, or is within 5 °C of doing so.

    Why it matters   A job loses speed without any error.
    What to do       Check airflow and fans of this slot; compare with the neighbouring GPUs.
    Looks at         clock_event_reasons; temperature_celsius against the lowest known limit (slowdown, maximum
                     operating, spec); below_limit_celsius; the memory temperature against its own limit; DCGM thermal
                     violations; messages of the kernel and the user
    Silent when      the temperature or its limit is unknown
    Source           NVML API: clock event reasons; nvmlDeviceGetTemperatureThreshold; DCGM: diagnostics
    """
    found = facts.stated("thermal-violation")
    hot = [device for device in around.gpus(facts) if _reasons(device) or _is_near(device, specs)]
    for device in hot:
        reasons, limit = _reasons(device), _limit(device, specs)
        heat = "" if device.temperature_celsius is None else f" at {device.temperature_celsius:g} °C"
        words = (
            "is throttled by heat"
            if reasons
            else _nearness(device, limit)
            if _chip_is_near(device, limit)
            else f"has memory at {device.memory_temperature_celsius:g} °C, and throttles at "
            f"{device.memory_slowdown_celsius:g} °C"
        )
        cool = reasons and limit is not None and (device.temperature_celsius or limit) <= limit - _COOL_CELSIUS
        if cool:
            words = f"is throttled by the platform's thermal signal, far below its own limit ({limit:g} °C)"
        elif (device.slowdown_celsius or 0) - (device.operating_celsius or 999) >= _COOL_CELSIUS:
            cool, words = True, f"is near a limit ({limit:g} °C) that the platform set far below the chip's own"
        yield Problem(
            title=f"{device.id}{heat} {words}",
            devices=(device.id,),
            evidence=(
                Evidence(fact="clock_event_reasons", value=", ".join(device.clock_event_reasons or ()) or "none"),
                *(
                    (Evidence(fact="temperature_celsius", value=str(device.temperature_celsius)),)
                    if device.temperature_celsius is not None
                    else ()
                ),
                *quoted(found, most=1),
            ),
            remedies=(fix(specs, "nvidia", "platform-slows-down"), *_remedies(device.index, specs)[:1])
            if cool
            else _remedies(device.index, specs),
        )
    if found and not hot:
        devices = tuple(dict.fromkeys(fact.device for fact in found if fact.device))
        yield Problem(
            title=f"{', '.join(devices) or 'A GPU'} was throttled by heat",
            devices=devices,
            evidence=quoted(found),
            remedies=_remedies(None, specs),
        )
    if not found and not hot:
        around.must_know(facts, "temperature_celsius", "clock_event_reasons", "memory_temperature_celsius")
        if facts.live:
            for device in around.gpus(facts):
                need(
                    True if device.parent or device.temperature_celsius is not None else None,
                    f"temperature of {device.id}",
                )


def _reasons(device: "NvidiaDevice") -> list[str]:
    return [reason for reason in device.clock_event_reasons or () if reason in _HEAT]


def _limit(device: "NvidiaDevice", specs: Specs) -> float | None:
    """Return the lowest known temperature limit."""
    known = [limit for limit in (device.slowdown_celsius, device.operating_celsius) if limit]
    if not known and (device.name or device.pci_id):
        chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id)
        known = [chip.slowdown_celsius] if chip is not None and chip.slowdown_celsius is not None else []
    return min(known, default=None)


def _chip_is_near(device: "NvidiaDevice", limit: float | None) -> bool:
    if device.below_limit_celsius is not None:
        return device.below_limit_celsius <= _MARGIN_CELSIUS
    temperature = device.temperature_celsius
    return temperature is not None and limit is not None and limit - temperature <= _MARGIN_CELSIUS


def _nearness(device: "NvidiaDevice", limit: float | None) -> str:
    """Return the temperature relative to the limit: below it but within the margin, at it, or above."""
    temperature = device.temperature_celsius
    below = device.below_limit_celsius
    if below is None and temperature is not None and limit is not None:
        below = limit - temperature
    shown = f" ({limit:g} °C)" if limit is not None else ""
    if below is None or below > 0:
        return f"is within {_MARGIN_CELSIUS} °C of its limit{shown}"
    return f"is at its limit{shown}" if below == 0 else f"is {-below:g} °C above its limit{shown}"


def _is_near(device: "NvidiaDevice", specs: Specs) -> bool:
    memory, slows = device.memory_temperature_celsius, device.memory_slowdown_celsius
    if memory is not None and slows and slows - memory <= _MARGIN_CELSIUS:
        return True
    return _chip_is_near(device, _limit(device, specs))


def _remedies(index: int | None, specs: Specs) -> tuple[Remedy, ...]:
    of_all = "nvidia-smi -q -d TEMPERATURE,PERFORMANCE"
    return (
        Remedy(
            text="Check its temperatures, its limits and the throttle reasons under load.",
            command=command_line(of_all, "-i", number_word(index)) or of_all,
            action="admin",
            kind="look",
        ),
        fix(specs, "nvidia", "more-air"),
        Remedy(text="If it is still hotter than the others, have it replaced.", action="service", kind="ask"),
    )
