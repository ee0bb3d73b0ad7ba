"""Merges several sources about one machine field by field, the most trusted first.

Two devices are the same if their UUIDs, or else their PCI addresses, or else their index and parent are equal, and none
of these contradict. A disagreement about a fact that cannot change is a Gap.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from accel.model.dataclass import field_names, replace
from accel.model.device import Device, Gap
from accel.model.report import Driver, Report

_Record = TypeVar("_Record")
_STEADY: Final = ("uuid", "serial", "pci_address", "memory_total_bytes")


def filled(first: _Record, second: _Record) -> _Record:
    """Return `first` with its unknown fields taken from `second`, if that has them."""
    names = set(field_names(second))
    new = {}
    for name in field_names(first):
        if name in names and getattr(first, name) in (None, "unknown", ()):
            value = getattr(second, name)
            if value not in (None, "unknown") and value != getattr(first, name):
                new[name] = value
    return replace(first, **new) if new else first  # type: ignore[type-var]


def merged_devices(reports: Iterable[Report]) -> tuple[tuple[Device, ...], tuple[Gap, ...]]:
    """Return every device once, ordered by backend, index and partition; and the disagreements."""
    groups: list[list[tuple[Device, str]]] = []
    for report in sorted(reports, key=lambda r: -r.trust):
        free = list(groups)  # two devices of one report are two, though the chips of one card share its PCI address
        for device in report.devices:
            homes = [g for g in free if _same(g, device, report.source)]
            home = next((g for g in homes if g[0][0].id == device.id), homes[0] if homes else None)
            if home is None:
                groups.append([(device, report.source)])
            else:
                home.append((device, report.source))
                free = [g for g in free if g is not home]
    devices: list[Device] = []
    gaps: list[Gap] = []
    for group in groups:
        device, source = group[0]
        for other, other_source in group[1:]:
            gaps += _disagreements(device, source, other, other_source)
            device = _richer(device, other)
        devices.append(device)
    return tuple(sorted(devices, key=_order)), tuple(gaps)


def _order(device: Device) -> tuple[bool, str, int, bool, int, str]:
    from accel.model.rows import order

    return order(device.kind, device.backend, device.index, device.id, device.parent)


def _same(group: Sequence[tuple[Device, str]], device: Device, source: str) -> bool:
    known = [d for d, _ in group]
    if known[0].backend != device.backend or (known[0].is_top_level) != (device.is_top_level):
        return False
    for key in ("uuid", "pci_address"):
        theirs = {v for d in known if (v := getattr(d, key)) is not None}
        mine = getattr(device, key)
        if mine is not None and theirs:
            return mine in theirs and (key == "uuid" or device.is_top_level or known[0].id == device.id)
    return known[0].id == device.id


def _richer(first: Device, second: Device) -> Device:
    """Fill in the unknown fields of `first`; if only `second` is of the vendor's own class, use that class."""
    if type(first) is Device and type(second) is not Device:
        over = {name: v for name in field_names(first) if (v := getattr(first, name)) not in (None, "unknown", ())}
        return replace(second, **over)
    return filled(first, second)


def _disagreements(first: Device, source: str, second: Device, other: str) -> Iterable[Gap]:
    for name in _STEADY:
        a, b = getattr(first, name), getattr(second, name)
        if a is not None and b is not None and a != b and not _close(a, b):
            reason = f"{source} says {a}, {other} says {b}; the first is used"
            yield Gap(fact=name, reason=reason, device=first.id, backend=first.backend, source=other)


def _close(a: object, b: object) -> bool:
    """Return whether two memory sizes agree: tools round to MiB and leave out reserved memory, so 2 % is tolerated."""
    return isinstance(a, int) and isinstance(b, int) and abs(a - b) <= 0.02 * max(a, b)


def merged_driver(reports: Iterable[Report]) -> Driver | None:
    """Return one driver merged from all sources; earlier reports win."""
    found: Driver | None = None
    for report in reports:
        if report.driver is not None:
            found = report.driver if found is None else filled(found, report.driver)
    return found
