"""Devices from what prose mentions: one record per card, with low trust, if no tool lists the vendor's devices."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final, cast

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.observation import Observation, Product
from accel.model.report import Report
from accel.names.tokens import contradict, core, without_series, words_of
from accel.specs.indexing import own_vocabulary

if TYPE_CHECKING:
    from accel.model.device import Kind
    from accel.specs import Specs
    from accel.vendors.contract.backend import Backend

SOURCE: Final = "text"
TRUST: Final = 10


@dataclass(slots=True)
class _Card:
    """A product, how many of it are mentioned in one place, and the indices that the text gives to single ones."""

    name: str
    count: int
    numbers: set[int]


def said_reports(
    observations: Iterable[Observation],
    reports: Collection[Report],
    backend_named: "Callable[[str], Backend | None]",
    specs: "Specs",
) -> Iterator[Report]:
    """Yield a report for each backend whose devices are mentioned but not listed by another report."""
    listed = {report.backend for report in reports if any(device.is_top_level for device in report.devices)}
    known = {
        (device.name or "").lower() for report in reports for device in report.devices
    }  # by whichever system's tool
    named = (one for one in observations if isinstance(one, Product) and one.grade == "said" and one.name)
    said = [one for one in named if (one.name or "").lower() not in known]
    makers = {device.vendor for report in reports for device in report.devices}
    for vendor in sorted({one.vendor for one in said} - listed):
        backend = backend_named(vendor)
        if backend is None or backend.vendor in makers:  # a system's own tool lists cards of any maker
            continue
        cards = _cards([one for one in said if one.vendor == backend.name])
        names = [card.name for card in cards for _ in range(max(card.count, len(card.numbers)))]
        if not names:
            continue
        record = getattr(backend, "device_type", Device)
        devices = tuple(
            record(
                id=f"{backend.name}:{index}",
                index=index,
                backend=backend.name,
                vendor=backend.vendor,
                kind=_kind(name, backend.name, specs),
                name=name,
            )
            for index, name in enumerate(names)
        )
        yield Report(backend=backend.name, source=SOURCE, trust=TRUST, grade="said", devices=devices)


def _cards(products: list[Product]) -> list[_Card]:
    """Return what a text says is present: of names only mentioned in passing, none if the products differ."""
    stated = [one for one in products if one.stated]
    if not stated and len({_core(one.name or "") for one in products}) > 1:
        return []
    found: list[_Card] = []
    for one in stated or products:
        name = one.name or ""
        card = next((card for card in found if _same(card.name, name)), None)
        if card is None:
            card = _Card(name, 0, set())
            found.append(card)
        elif len(name) > len(card.name):
            card.name = name
        card.count = max(card.count, one.count)
        if one.index is not None:
            card.numbers.add(one.index)
    return found


def _same(one: str, other: str) -> bool:
    """Return whether two names may be one product: "A100" and "A100 SXM4 80GB" may, "3090" and "3090 Ti" may not."""
    known = own_vocabulary()
    first, second = words_of(one, known), words_of(other, known)
    return _core(one) == _core(other) and not contradict(first, second, known)


def _core(name: str) -> tuple[str, ...]:
    known = own_vocabulary()
    return without_series(core(words_of(name, known), known), known)


def _kind(name: str, backend: str, specs: "Specs") -> "Kind":
    chips = specs.find(name, backend)
    return cast("Kind", chips[0].kind) if chips else "accelerator"
