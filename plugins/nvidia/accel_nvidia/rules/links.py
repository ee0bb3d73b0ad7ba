"""Which links indicate a fault: PCIe links that are too narrow or too slow, NVLinks that are partly down."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Noted, Product, whole_number
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_DRIVERS: Final = ("nvidia", "nouveau", "nova")
_FULL_SET: Final = (
    4,
    6,
    12,
    18,
)  # links of a P100, V100, A100, H100 and later: all of them down is a board without any
_SPEED: Final = pattern(r"\d{1,4}(?:\.\d{1,3})?")  # GT/s a lane


@rule(
    gives={
        "pcie-link-limited": "the kernel reports at boot that a GPU's PCIe link is below its maximum",
        "pcie-link-narrow": "lspci shows a GPU's PCIe link narrower than it could be, or slower under load",
        "nvlink-some-down": "some NVLinks of a GPU are down, and not all of them",
        "nvlink-none-up": "all NVLinks of a GPU are down, as on a board without a bridge",
    },
    triggers=("pcie-bandwidth", "pcie-link", "nvlink-said-down"),
)
def links(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """A narrow PCIe link always counts; a slow one only under load, since an idle GPU lowers its speed. Links of other
    devices are skipped. A board without a bridge has all NVLinks down.
    """
    notes = list(seen.of(Noted))
    gpus = {
        device.pci_address
        for report in seen.snapshot.reports
        if report.backend == "nvidia"
        for device in report.devices
        if device.pci_address
    }
    named = bool(gpus) or any(one.vendor == "nvidia" for one in seen.of(Product))
    boots = [one for one in notes if one.fact == "pcie-bandwidth"]
    for one in boots:
        values = dict(one.values)
        mine = (values.get("driver") or "").startswith(_DRIVERS) or values.get("pci") in gpus
        if mine or (named and len(boots) == 1 and values.get("driver") in (None, "pci")):
            yield fact_from("pcie-link-limited", one, **values)
    loaded = bool(seen.facts("under-load"))
    for one in (one for one in notes if one.fact == "pcie-link"):
        values = dict(one.values)
        if values.get("gpu") == "no" or (values.get("gpu") is None and not (named and not values.get("pci"))):
            continue
        width, most = (whole_number(values.get(key)) for key in ("width", "width_most"))
        narrow = "narrow" in values or (width is not None and most is not None and 0 < width < most)
        speed, fastest = (_SPEED.fullmatch(values.get(key, "")) for key in ("speed", "speed_most"))
        slow = loaded and speed is not None and fastest is not None and float(speed[0]) < float(fastest[0])
        if narrow or slow:
            now = f"{values.get('speed')} GT/s x{width}"
            top = f"{values.get('speed_most')} GT/s x{most}" if most is not None else None
            yield fact_from("pcie-link-narrow", one, port=values.get("pci"), now=now, most=top)
    yield from _nvlinks(notes)


def _nvlinks(notes: list[Noted]) -> Iterator[Fact]:
    down: dict[str, list[Noted]] = {}
    for one in notes:
        if one.fact == "nvlink-said-down":
            down.setdefault(dict(one.values).get("gpu", ""), []).append(one)
    some, none_up = list[Noted](), list[Noted]()
    for found in down.values():
        links_down = {dict(one.values).get("link") for one in found}
        cut = any("..." in one.text or "…" in one.text for one in found)
        from_the_first = links_down == {str(number) for number in range(len(links_down))} and len(links_down) > 1
        if len(links_down) in _FULL_SET or cut:
            none_up += found
        elif not from_the_first:  # a list from 0 on may be cut off
            some += found
    yield from (fact_from("nvlink-some-down", one, **dict(one.values)) for one in some)
    unhealthy = [one for one in notes if one.fact == "dcgm-unhealthy"]
    if none_up and not some:
        of_links = all(dict(one.values).get("system", "nvlink") == "nvlink" for one in unhealthy)
        none_up += unhealthy if of_links else []  # the summary rows report no other fault
        yield from (fact_from("nvlink-none-up", one, **dict(one.values)) for one in none_up)
