"""The record of `accel.spec`, assembled from the tables of products and architectures."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from accel.apps.sdk.chip_record import ChipSpec, Peak
from accel.apps.sdk.share import Share, share_of_device, share_of_name
from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.model.device import Device, Gap, numbers_of
from accel.model.rates import rates
from accel.specs import Specs
from accel.specs.matching import chips_of
from accel.specs.number_formats import Computer, computers, computes, formats, of_chip

_FROM_SHEET: Final = (
    *("memory_bytes", "memory_bandwidth_bytes_per_second", "tdp_watts", "multiprocessors", "l2_cache_bytes"),
    *("link_type", "link_bandwidth_bytes_per_second", "pcie_generation", "pcie_lanes", "released"),
)
_NAME_OF_CHIP: Final = {"link_bandwidth_bytes_per_second": "link_bytes_per_second"}  # in accel.model.chip.Chip
_OF_ARCHITECTURE: Final = ("warp_size", "shared_memory_per_block_bytes", "shared_memory_per_block_optin_bytes")
_OF_MODEL: Final = (
    *("backend", "vendor", "kind", "name", "pci_id", "architecture", "compute_capability"),
    *("memory_total_bytes", "power_limit_watts", "multiprocessors"),
)
_BY_MEMORY: Final = ("memory_bytes", "memory_bandwidth_bytes_per_second", "l2_cache_bytes")
_CONFIDENCE: Final = ("high", "official", "medium", "derived", "community", "low")  # the surest first
_MOST_NAMES: Final = 6
_SOLD_WITH_LESS: Final = 0.8  # share of a product's memory below which the machine was bought with less of it


def of_device(specs: Specs, device: Device) -> ChipSpec | None:
    """Return the facts about a device's chip; None if neither its chip nor its architecture is known."""
    facts = {name: getattr(device, name) for name in _OF_MODEL}
    return _of_model(specs, Device(id="", index=0, parent="" if device.is_partition else None, **facts))


@lru_cache(maxsize=256)
def _of_model(specs: Specs, device: Device) -> ChipSpec | None:
    """Return the same for a device reduced to the fields that matter, so that equal models share a cached result."""
    chips = chips_of(specs, device)
    asked = computers(specs, device, chips)
    if not chips:
        known = specs.architecture(device.backend, device.architecture, device.compute_capability)
        if known is None:
            return None
        unknown = Share(units=None, memory=None, multiprocessors=device.multiprocessors)
        return _described(specs, device.name or known.title or known.name, device.kind, (), asked, unknown)
    share = share_of_device(specs, chips, device)
    name = chips[0].name if len(chips) == 1 else device.name or chips[0].architecture or ""
    found = _described(specs, name, chips[0].kind, chips, asked, share)
    most, has = found.memory_bytes, device.memory_total_bytes
    if most and has and has < most * _SOLD_WITH_LESS and all("unified" in (chip.memory_type or "") for chip in chips):
        sources = {**found.sources, "memory_bytes": "the device: the product is sold with up to the sheet's size"}
        found = replace(found, memory_bytes=has, sources=sources)
    return found


def of_name(specs: Specs, name: str, chips: Sequence[Chip], part: str | None) -> ChipSpec:
    """Return the facts about products, or about the part of one that the name selects."""
    shown = chips[0].name if len(chips) == 1 else name
    asked = tuple(dict.fromkeys(map(of_chip, chips)))
    return _described(specs, shown, chips[0].kind, chips, asked, share_of_name(specs, chips, part))


def of_altered(found: ChipSpec, gib: int) -> ChipSpec:
    """Return the record of a card whose name has another memory size than the vendor's: without a size, and why."""
    own = f"{found.memory_bytes / 2**30:.0f} GB" if found.memory_bytes else "another size"
    reason = f"the name says {gib} GB, but {found.name} is sold with {own}: the card was modified, or is another one"
    sources = {field: told for field, told in found.sources.items() if field != "memory_bytes"}
    return replace(
        found, memory_bytes=None, sources=sources, gaps=(*found.gaps, Gap(fact="memory_bytes", reason=reason))
    )


def _described(
    specs: Specs, name: str, kind: Any, chips: Sequence[Chip], asked: Sequence[Computer], share: Share
) -> ChipSpec:
    several = tuple(chip.name for chip in chips) if len(chips) > 1 else ()
    values: dict[str, Any] = {}
    gaps: list[Gap] = []
    sources: dict[str, str] = {}
    for field in _FROM_SHEET:
        of = _NAME_OF_CHIP.get(field, field)
        found = {getattr(chip, of) for chip in chips}
        values[field] = next(iter(found)) if len(found) == 1 else None
        if values[field] is None:
            gaps.append(Gap(fact=field, reason=_why_not(field, name, chips, found, several)))
        else:
            sources[field] = _addresses(specs, chips, of)
    for field in _OF_ARCHITECTURE:
        values[field], sources_of = _of_generation(specs, asked, field)
        if values[field] is None:
            gaps.append(Gap(fact=field, reason="not recorded for its architecture; NPUs and TPUs have no such figure"))
        else:
            sources[field] = sources_of
    peaks, why = _peaks(specs, chips, share, several)
    gaps += why
    if peaks:
        sources["peaks"] = _addresses(specs, chips, "dense_operations_per_second")
    codes = {one.code for one in asked}
    code = codes.pop() if len(codes) == 1 else None
    made = ChipSpec(
        name=name,
        vendor=asked[0].vendor,
        kind=kind,
        architecture=_one(one.architecture for one in asked),
        capability=numbers_of(code),
        target=code if code is None or not code[:1].isdecimal() else "sm_" + code.replace(".", ""),
        dtypes=tuple(one.name for one in formats(specs) if computes(specs, asked, one)),
        peaks=peaks,
        scale=share.units,
        memory_scale=share.memory,
        scale_reason=share.reason,
        limits=share.limits,
        sources=sources,
        confidence=max((chip.confidence or "low" for chip in chips), key=_CONFIDENCE.index, default=None),
        candidates=several,
        gaps=tuple(gaps),
        computers=tuple(asked),
        **values,
    )
    return _scaled(made, share)


def _scaled(made: ChipSpec, share: Share) -> ChipSpec:
    """Return the record with sizes scaled to the share; the peaks are already scaled."""
    sizes: dict[str, Any] = {}
    gaps = [*made.gaps]
    for field in _BY_MEMORY:
        nominal = getattr(made, field)
        if nominal is not None and share.memory != 1.0:
            sizes[field] = None if share.memory is None else round(nominal * share.memory)
            if share.memory is None:
                gaps.append(Gap(fact=field, reason="it is unknown how much of the chip's memory the part has"))
    sizes["multiprocessors"] = share.multiprocessors
    if share.multiprocessors is not None and made.multiprocessors != share.multiprocessors:
        sizes["sources"] = {**made.sources, "multiprocessors": share.reason or "the device's driver"}
        gaps = [gap for gap in gaps if gap.fact != "multiprocessors"]
    elif share.multiprocessors is None and made.multiprocessors is not None:
        gaps.append(Gap(fact="multiprocessors", reason=share.untold or "the driver does not count them"))
    scaled = replace(made, **sizes, gaps=tuple(gaps))
    told = {field: said for field, said in scaled.sources.items() if getattr(scaled, field) not in (None, ())}
    return replace(scaled, sources=told)


def _peaks(
    specs: Specs, chips: Sequence[Chip], share: Share, several: tuple[str, ...]
) -> tuple[tuple[Peak, ...], list[Gap]]:
    """Return the rates that all the chips share, and why others are unknown."""
    if not chips:
        return (), [Gap(fact="peaks", reason="there is no record of the product")]
    each = [_rates(specs, chip) for chip in chips]
    keys = dict.fromkeys(key for one in each for key in one)
    if not keys:
        return (), [Gap(fact="peaks", reason="its maker publishes none that is recorded")]
    if share.units is None:
        return (), [Gap(fact="peaks", reason=share.untold or "how much of the chip it has is not known")]
    found, gaps = [], []
    for key in keys:
        doubts = [doubt for chip in chips if (doubt := (chip.disputed or {}).get(key))]
        if doubts:
            gaps.append(Gap(fact=f"peaks: {key}", reason=doubts[0]))
            continue
        values = {one.get(key) for one in each}
        peak = values.pop() if len(values) == 1 else None
        if peak is None:
            words = "; ".join(_told(chip, one.get(key)) for chip, one in zip(chips[:_MOST_NAMES], each, strict=False))
            gaps.append(Gap(fact=f"peaks: {key}", reason=f"not the same of all that it can be: {words}"))
            continue
        sparse = None if peak.sparse is None else peak.sparse * share.units
        found.append(replace(peak, dense=peak.dense * share.units, sparse=sparse))
    return tuple(found), gaps


def _rates(specs: Specs, chip: Chip) -> dict[str, Peak]:
    """Return a product's rates by their name in its record."""
    rows = (specs.table(f"{chip.vendor}/architectures") or {}).get("architectures") or ()
    sparse_dtypes = next((row.get("sparse_dtypes") for row in rows if row["name"] == chip.architecture), None) or ()
    told = chip.sparse_operations_per_second or {}
    found = {}
    for rate in rates(chip):
        twice = chip.structured_sparsity and rate.unit == "matrix" and rate.dtype in sparse_dtypes
        sparse = told.get(rate.key, rate.operations_per_second * 2 if twice else None)
        found[rate.key] = Peak(
            dtype=rate.dtype,
            unit="matrix" if rate.unit == "matrix" else "arithmetic",
            accumulator=rate.accumulator,
            dense=float(rate.operations_per_second),
            sparse=None if sparse is None else float(sparse),
        )
    return found


def _told(chip: Chip, peak: Peak | None) -> str:
    return f"{chip.name} {'not known' if peak is None else f'{peak.dense / 1e12:g} T/s'}"


def _why_not(field: str, name: str, chips: Sequence[Chip], found: set[Any], several: tuple[str, ...]) -> str:
    if not chips:
        return f"there is no record of {name}"
    if field.startswith("link") and all(chip.linked is False for chip in chips):
        return "it has no links between devices"
    if found == {None}:
        return f"not recorded of {' or '.join(several[:_MOST_NAMES]) or name}"
    return f"{name} can be {', '.join(several[:_MOST_NAMES])}, which differ in it"


def _addresses(specs: Specs, chips: Sequence[Chip], field: str) -> str:
    """Return a sentence with the sources of a field of these products."""
    from accel.specs.sources import addresses

    return "; ".join(dict.fromkeys(address for chip in chips for address in addresses(specs, chip, field)))


def _of_generation(specs: Specs, asked: Sequence[Computer], field: str) -> tuple[Any, str]:
    """Return a figure of the compute capability, else of the architecture, with its source."""
    found = {_row_value(specs, one, field) for one in asked}
    return found.pop() if len(found) == 1 else (None, "")


def _row_value(specs: Specs, one: Computer, field: str) -> tuple[Any, str]:
    table: Mapping[str, Any] = specs.table(f"{specs.folder_of(one.vendor)}/architectures") or {}
    known = specs.architecture(one.vendor, one.architecture, one.code)
    finer = [row for row in table.get("compute_capabilities") or () if row["compute_capability"] == one.code]
    coarser = [row for row in table.get("architectures") or () if known is not None and row["name"] == known.name]
    for row in (*finer, *coarser):
        if row.get(field) is not None:
            keys = (table.get("sources_of") or {}).get(field) or row["sources"]
            told = (table["sources"].get(key) or {} for key in keys)
            return row[field], "; ".join(s.get("url") or s.get("place") or s.get("what") or "" for s in told)
    return None, ""


def _one(values: Iterable[Any]) -> Any:
    found = set(values)
    return found.pop() if len(found) == 1 else None
