"""How much of a product's figures a device has: one die of a package, a slice, or a chip with disabled units."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass, replace
from accel.model.device import Device
from accel.names.partitions import part_in
from accel.specs import Specs

_SLICES: Final = 8  # of an A100's or H100's memory; a slice of any board has a whole number of eighths
_CLOSE: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The factors to apply to the data sheet's figures. None: the device is part of the chip, but how large a part is
    unknown.

    units, memory   of the compute units, and of the memory
    multiprocessors how many the device has; None if unknown
    reason          why it is not the whole chip; None if it is
    limits          why the figures may not be reached
    untold          why a share is unknown
    """

    units: float | None = 1.0
    memory: float | None = 1.0
    multiprocessors: int | None = None
    reason: str | None = None
    limits: tuple[str, ...] = ()
    untold: str | None = None


def share_of_name(specs: Specs, chips: Sequence[Chip], part: str | None) -> Share:
    """Return the share that a product name implies: the whole chip, or a part of it ("MIG 1g.10gb")."""
    whole = _common(chip.multiprocessors for chip in chips)
    if part is None:
        boards = _common(chip.devices for chip in chips)
        several = f"The figures are for the whole product, which the driver lists as {boards} devices."
        return Share(multiprocessors=whole, limits=(several,) if boards and boards > 1 else ())
    return _of_part(specs, chips, part, None, None)


def share_of_device(specs: Specs, chips: Sequence[Chip], device: Device) -> Share:
    """Return the share that a device has of the chips that it can be."""
    counted, parts = device.multiprocessors, _common(chip.devices for chip in chips)
    limits = _power(chips, device, parts or 1)
    named = part_in(device.name or "", lambda: [table for _, table in specs.tables("", "/partitions")])
    if device.is_partition or named is not None:
        found = _of_part(specs, chips, named.said if named else None, device, counted)
        return replace(found, limits=(*found.limits, *limits))
    if parts is None:
        untold = "the products that it can be are not all of as many devices"
        return Share(units=None, memory=None, multiprocessors=counted, untold=untold, limits=limits)
    nominal = _common(chip.multiprocessors for chip in chips)
    whole = nominal // parts if nominal else None
    reason = f"one of the {parts} devices that the product's figures cover" if parts > 1 else None
    share = 1 / parts
    if counted is not None and whole and counted != whole:
        joined = _joined_units(specs, chips[0])
        if counted * joined == whole:  # a runtime that counts pairs
            counted = whole
        elif counted < whole:
            share *= counted / whole
            fewer = f"the driver reports {counted} multiprocessors, the product has {whole}"
            reason = f"{reason}; {fewer}" if reason else fewer
        else:
            more = (
                f"The driver reports {counted} multiprocessors, the product's record has {whole}: it may be "
                "another product."
            )
            limits = (more, *limits)
    return Share(units=share, memory=1 / parts, multiprocessors=counted or whole, reason=reason, limits=limits)


def _of_part(
    specs: Specs, chips: Sequence[Chip], said: str | None, device: Device | None, counted: int | None
) -> Share:
    """Return the share of a slice: of the units by the driver's count or the profile, of the memory by its size."""
    what = f"a part of the chip, {said}" if said else "a part of the chip"
    nominal = _common(chip.multiprocessors for chip in chips)
    if said and said.startswith("vGPU"):
        sharing = f"{said} uses the chip's units in turns with others: the peaks are the whole chip's."
        return Share(
            memory=_memory_share(chips, device),
            multiprocessors=nominal,
            reason=what if device is not None else None,
            limits=(sharing,),
        )
    row = _profile(specs, chips, said)
    units = counted or row.get("multiprocessors")
    memory = _memory_share(chips, device) or row.get("memory_share")
    told = f" with {units} of {nominal} multiprocessors" if units and nominal else ""
    untold = None if units and nominal else "it is unknown how many multiprocessors the part has"
    return Share(
        units=units / nominal if units and nominal else None,
        memory=memory,
        multiprocessors=units,
        reason=what + told,
        untold=untold,
    )


def _memory_share(chips: Sequence[Chip], device: Device | None) -> float | None:
    whole = _common(chip.memory_bytes for chip in chips)
    if device is None or not whole or not device.memory_total_bytes:
        return None
    slices: int = max(round(device.memory_total_bytes / whole * _SLICES), 1)
    return min(slices / _SLICES, 1.0)


def _profile(specs: Specs, chips: Sequence[Chip], said: str | None) -> Mapping[str, Any]:
    """Return the row of <vendor>/partitions for a profile such as "MIG 1g.10gb" on these chips; {} if there is none."""
    profile, names = (said or "").rpartition(" ")[2], {chip.name for chip in chips}
    for vendor in dict.fromkeys(chip.vendor for chip in chips):
        for row in (specs.table(f"{vendor}/partitions") or {}).get("sizes") or ():
            if names <= {*row["chips"]} and profile in row["profiles"]:
                found: Mapping[str, Any] = row
                return found
    return {}


def _joined_units(specs: Specs, chip: Chip) -> int:
    """Return how many compute units a runtime counts as one: HIP counts pairs on RDNA."""
    rows = (specs.table(f"{chip.vendor}/architectures") or {}).get("architectures") or ()
    return next((row.get("counted_units") or 1 for row in rows if row["name"] == chip.architecture), 1)


def _power(chips: Sequence[Chip], device: Device, parts: int) -> tuple[str, ...]:
    """Return a sentence saying that a power limit below the data sheet's TDP lowers the clocks, if there is one."""
    sheet, limit = _common(chip.tdp_watts for chip in chips), device.power_limit_watts
    if not sheet or not limit or limit >= sheet / parts * (1 - _CLOSE):
        return ()
    return (
        f"A power limit of {limit:g} W is in force, below the {sheet / parts:g} W of the sheet: under full load the "
        "clocks, and with them the rates, stay below these peaks. They are not scaled by it.",
    )


def _common(values: Any) -> Any:
    """Return the only value; None if there are several or none."""
    found = set(values)
    return found.pop() if len(found) == 1 else None
