"""A GPU that slows itself down for heat."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MARGIN_CELSIUS: Final = 5


@check(code="NV028", name="gpu-thermal-slowdown", layer="hardware", severity="warning")
def gpu_thermal_slowdown(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU holds its clocks down for heat, or is within 5 °C of doing so.

    Why it matters   A job loses speed without any error.
    What to do       Check airflow and fans of this slot; compare with the neighbours.
    Looks at         clock_event_reasons; temperature_celsius against slowdown_celsius of the device or its spec
    Silent when      the temperature or its threshold is not known
    Source           NVML API: clock event reasons; nvmlDeviceGetTemperatureThreshold
    """
    for device in signs.gpus(facts):
        reasons = device.clock_event_reasons or ()
        thermal = [r for r in reasons if r in ("hw-thermal-slowdown", "sw-thermal-slowdown")]
        limit = device.slowdown_celsius
        if limit is None and (device.name or device.pci_id):
            chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id)
            limit = chip.slowdown_celsius if chip is not None else None
        temperature = device.temperature_celsius
        near = temperature is not None and limit is not None and limit - temperature <= _MARGIN_CELSIUS
        if not thermal and not near:
            continue
        heat = "" if temperature is None else f" at {temperature:g} °C"
        words = (
            "slows itself down for heat"
            if thermal
            else f"is within {_MARGIN_CELSIUS} °C of its slowdown ({limit:g} °C)"
        )
        yield Problem(
            title=f"{device.id}{heat} {words}",
            devices=(device.id,),
            evidence=(
                Evidence(fact="clock_event_reasons", value=", ".join(reasons) or "none"),
                Evidence(fact="temperature_celsius", value=str(temperature)),
            ),
            remedies=(
                Remedy(
                    text="Check airflow, fans and dust at this slot.",
                    command=f"nvidia-smi -q -d TEMPERATURE,PERFORMANCE -i {device.index}",
                    action="admin",
                ),
            ),
        )
