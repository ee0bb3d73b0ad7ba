from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.device import Device
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check

_HOTTER_CELSIUS: Final = 15  # above the median of the others
_LOAD_PERCENT: Final = 20  # maximum difference of loads that count as equal
_OTHERS: Final = 3  # minimum devices for a meaningful median


@check(code="AC348", name="device-hotter-than-siblings", layer="hardware", severity="warning", needs=("accelerators",))
def device_hotter_than_siblings(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A device is at least 15 °C hotter than the others of its model in this machine, at the same load.

    Why it matters   Its slot gets less air, or its cooler is badly seated: it is throttled first, and ages faster.
    What to do       Check fans, dust and cables in front of that slot; then the cooler.
    Looks at         temperature_celsius and utilization_percent, by model
    Silent when      fewer than four of a model are there, their loads differ, or no temperature is known
    Source           cluster handbooks, which compare a device with its siblings (stas00/ml-engineering)
    """
    groups: dict[str, list[Device]] = {}
    for device in facts.accelerators:
        if device.name and device.is_top_level and device.temperature_celsius is not None:
            groups.setdefault(device.name, []).append(device)
    applies(
        any(len(same) > _OTHERS for same in groups.values()),
        ("fewer than four devices of the same model report a temperature"),
    )
    from statistics import median  # imports seven modules, and few machines have four devices that report it

    for same in groups.values():
        for device in same:
            others = [one for one in same if one is not device and _same_load(one, device)]
            if len(others) < _OTHERS or not any(_is_hotter(device, one) for one in others):
                continue
            usual = median(one.temperature_celsius for one in others if one.temperature_celsius is not None)
            if device.temperature_celsius is not None and device.temperature_celsius - usual >= _HOTTER_CELSIUS:
                yield Problem(
                    title=f"{device.id} is at {device.temperature_celsius:g} °C, the others of its model at {usual:g}",
                    devices=(device.id,),
                    evidence=tuple(
                        Evidence(fact=f"temperature_celsius of {one.id}", value=f"{one.temperature_celsius:g}")
                        for one in (device, *others[:7])
                    ),
                    remedies=(
                        Remedy(
                            text="Clear the airflow to its slot: fans, dust, cables; if that is fine, have its "
                            "cooler replaced.",
                            action="admin",
                        ),
                    ),
                )


def _is_hotter(device: Device, other: Device) -> bool:
    mine, theirs = device.temperature_celsius, other.temperature_celsius
    return mine is not None and theirs is not None and mine - theirs >= _HOTTER_CELSIUS


def _same_load(one: Device, other: Device) -> bool:
    mine, theirs = one.utilization_percent, other.utilization_percent
    return mine is not None and theirs is not None and abs(mine - theirs) <= _LOAD_PERCENT
