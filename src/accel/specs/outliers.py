"""Figures that look odd compared with others of the same record, the same die or the same product line.

None of them is certainly a mistake, so they are only listed. If a figure is right, its record says so:

    accepted: {tdp_watts: "two boards of one name; the maker's sheet gives this one"}

    units × clock × width   a rate follows from the number of units, their clock and the operations per clock
    bus × rate              memory bandwidth follows from bus width and pin speed, which depends on the type,
                            and comes in whole steps
    chips of memory         each 32 bits of a bus have one or two memory chips of a size that is made
    halves and doubles      a format of half the width runs at twice the rate, or the same; never at 1.3 times
    one die                 has one area, one process and one capability, whatever it is sold as
    clocks                  no product has half the clock of others with its die, unless it uses fewer watts
    blocks                  consecutive PCI IDs are of one die
    ladders                 in one product line, a higher number is not slower, and a laptop part is not faster
    dates                   a product appears with its architecture, not ten years later
    names                   an alias implies the same form as the name, and the memory matches the name
    kin                     if other variants with the same driver name have PCI IDs, all have
    lanes                   a laptop part has no more lanes than the cards with its die
    thrift                  a Max-Q part uses fewer watts than the part it is named after
    copies                  a cut part (D, China, laptop, Max-Q) is slower than the full part; checked for freely
                            editable sources
    parts                   the name of a partition claims no more than its chip has
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.names.tokens import contradict, words_of
from accel.specs.indexing import own_vocabulary
from accel.specs.outlier_boards import odd_boards, odd_parts
from accel.specs.outlier_lines import Chips, Odd, Record, near, odd_beside_others

_ALL_SOLD: Final = ("fp32", "fp64", "fp16_vector")
_UNITS: Final = ("multiprocessors", "compute_units", "xe_cores", "execution_units")
_PER_PIN: Final = {  # megabits per second and pin, by type: from the slowest to the fastest part that was sold
    "ddr3": (800, 2200),
    "gddr5": (3600, 9100),
    "gddr5x": (9000, 12100),
    "gddr6": (9000, 20200),
    "gddr6x": (18500, 24100),
    "gddr7": (17900, 36000),
    "lpddr4": (1600, 3740),  # Jetson TX2: 1866 MHz
    "lpddr4x": (2100, 4300),
    "lpddr5": (3200, 6400),
    "lpddr5x": (7400, 9700),
    "hbm2": (1000, 2440),  # A100 of 40 GB: 1215 MHz
    "hbm2e": (2000, 3700),
    "hbm3": (4100, 6500),
    "hbm3e": (5800, 9900),  # MI325X: 6 TB/s over 8192 bits
}
_PAIRS: Final = (  # a rate, a related one, and the possible ratios
    ("bf16", "fp16_tensor_acc32", (1.0, 0.5)),
    ("fp16_tensor_acc16", "fp16_tensor_acc32", (1.0, 2.0)),
    ("fp8", "bf16", (1.0, 2.0, 4.0)),
    ("int8", "bf16", (0.05, 1.0, 2.0, 4.0)),
    ("fp4", "fp8", (1.0, 2.0, 3.0)),
    ("fp6", "fp8", (1.0, 2.0)),
    ("int4", "int8", (1.0, 2.0)),
    ("tf32", "bf16", (0.5, 1.0, 0.25)),
    ("fp16_vector", "fp32", (1.0, 2.0, 4.0, 1 / 64)),
    ("fp64", "fp32", (1.0, 1 / 2, 1 / 3, 1 / 4, 1 / 8, 1 / 16, 1 / 24, 1 / 32, 1 / 64)),
)
_BUS_SHARE: Final = 0.0025  # a bandwidth cut to three digits, 1.02 TB/s, is not what a bus of 4096 bits does
_STEP: Final = 100  # megabits a second, by which the speed of a pin of these is sold
_IN_STEPS: Final = ("gddr6", "gddr7")
_CHIP_MEBIBYTES: Final = (128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)  # per 32 bits
_LONGEST_YEARS: Final = 8  # after its architecture


def outliers(tables: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return sentences by table; accepted figures are left out, and needless acceptances are reported."""
    chips: Chips = [
        (name, f"chips[{number}] ({record['name']})", record)
        for name, table in tables.items()
        if "/chips/" in name
        for number, record in enumerate(table["chips"])
    ]
    found: dict[str, list[str]] = {}
    taken: set[tuple[str, str, str]] = set()
    where = {(name, place): record for name, place, record in chips}
    for name, (place, field, sentence) in _all(chips, tables):
        accepted = where[name, place].get("accepted") or {}
        key = next((key for key in (field, field.partition(".")[0]) if key in accepted), None)
        if key is not None:
            taken.add((name, place, key))
        else:
            found.setdefault(name, []).append(f"{place}.{field}: {sentence}")
    for name, place, record in chips:
        for field in record.get("accepted") or ():
            if (name, place, field) not in taken:
                found.setdefault(name, []).append(f"{place}.accepted: nothing is odd about {field}: leave it out")
    sizes = {record["name"]: record for _, _, record in chips}
    for name, table in tables.items():
        if name.endswith("/partitions") and (sentences := list(odd_parts(table, sizes))):
            found.setdefault(name, []).extend(sentences)
    return found


def _all(chips: Chips, tables: Mapping[str, Any]) -> Iterator[tuple[str, Odd]]:
    for name, place, record in chips:
        table = tables[name]
        rows = tables.get(f"{table['vendor']}/architectures") or {}
        mine: Record = next((r for r in rows.get("architectures") or () if r["name"] == table["architecture"]), {})
        for odd in (
            *_of_units(record, rows, mine),
            *_of_memory(record),
            *_of_pairs(record),
            *_of_dates(record, mine),
            *_of_names(record),
        ):
            yield name, (place, *odd)
    of = {name: tables[name] for name, *_ in chips}
    vendors = {name: table["vendor"] for name, table in of.items()}
    yield from odd_beside_others(chips, vendors, {name: table["architecture"] for name, table in of.items()})
    yield from odd_boards(chips, vendors, {name: table.get("sources") or {} for name, table in of.items()})


def _of_units(record: Record, rows: Any, mine: Record) -> Iterator[tuple[str, str]]:
    """Check rate = units × clock × width; a vendor may halve a matrix rate, but none sells less or more than that."""
    source, rates = record.get("rates_from") or {}, record.get("dense_operations_per_second") or {}
    unit = next((unit for unit in _UNITS if unit in source), None)
    widths = _widths(record, rows, mine)
    if unit is not None and source.get("boost_megahertz"):
        clocks, share = source[unit] * source["boost_megahertz"] * 1e6, 0.035
        how = f"{source[unit]} {unit.replace('_', ' ')} × {source['boost_megahertz']:g} MHz"
    elif rates.get("fp32") and widths.get("fp32"):
        clocks, share = rates["fp32"] / widths["fp32"], 0.12  # matrix units may have a separate clock
        how = f"the unit clocks that fp32 tells, {clocks:.4g} a second,"
    else:
        return
    for key, width in widths.items():
        times = (1.0,) if key in _ALL_SOLD else (1.0, 0.5)
        if key in rates and not any(near(rates[key], width * clocks * time, share) for time in times):
            yield (
                f"dense_operations_per_second.{key}",
                f"{how} × {width} are {width * clocks:.4g}, not {rates[key]:.4g}",
            )


def _widths(record: Record, rows: Any, mine: Record) -> dict[str, int]:
    """Return the operations per unit and clock, by rate: from the compute capability, else from the architecture."""
    capability = record.get("compute_capability")
    listed = rows.get("compute_capabilities") or ()
    finer: Record = next((row for row in listed if row["compute_capability"] == capability), {})
    return finer.get("operations_per_multiprocessor_clock") or mine.get("operations_per_unit_clock") or {}


def _of_memory(record: Record) -> Iterator[tuple[str, str]]:
    bus, pin = record.get("memory_bus_bits"), record.get("memory_megabits_per_pin")
    bandwidth = record.get("memory_bandwidth_bytes_per_second")
    if bus and pin and bandwidth and not near(bandwidth, bus * pin * 1e6 / 8, _BUS_SHARE):
        yield (
            "memory_bandwidth_bytes_per_second",
            f"{bus} bits × {pin} Mb/s a pin are {bus * pin / 8e3:.4g} GB/s, not {bandwidth / 1e9:.4g}",
        )
    kind = str(record.get("memory_type") or "").lower().partition(" (")[0]  # (shared), (unified)
    pin = pin or (bandwidth * 8 / bus / 1e6 if bus and bandwidth else None)
    if pin and kind in _PER_PIN and not _PER_PIN[kind][0] <= pin <= _PER_PIN[kind][1]:
        low, high = _PER_PIN[kind]
        yield "memory_megabits_per_pin", f"{record['memory_type']} runs at {low} to {high} Mb/s a pin, not {pin:.0f}"
    if pin and kind in _IN_STEPS and not near(pin, round(pin / _STEP) * _STEP, 0.0006):
        yield "memory_megabits_per_pin", f"{pin:.0f} Mb/s a pin, and {record['memory_type']} is sold by the {_STEP}"

    size = record.get("memory_bytes")
    if bus and size and "ddr" in kind:  # HBM and system memory are stacked and soldered in other sizes
        behind = size / 2**20 / (bus / 32)
        if behind not in _CHIP_MEBIBYTES:
            yield (
                "memory_bytes",
                f"{size / 2**30:g} GiB over {bus} bits are {behind:.4g} MiB to 32 bits, no size of a chip",
            )


def _of_pairs(record: Record) -> Iterator[tuple[str, str]]:
    rates = record.get("dense_operations_per_second") or {}
    for key, other, times in _PAIRS:
        if key in rates and other in rates:
            ratio = rates[key] / rates[other]
            if not any(near(ratio, time, 0.06) for time in times):
                yield f"dense_operations_per_second.{key}", f"{ratio:.3g} times {other}, an odd share"


def _of_dates(record: Record, mine: Record) -> Iterator[tuple[str, str]]:
    released, first = (re.match(r"\d{4}", str(r.get("released") or "")) for r in (record, mine))
    if released and first and int(released[0]) > int(first[0]) + _LONGEST_YEARS:
        yield "released", f"{released[0]} is over {_LONGEST_YEARS} years after its architecture, {first[0]}"


def _of_names(record: Record) -> Iterator[tuple[str, str]]:
    known = own_vocabulary()
    own = words_of(record["name"], known)
    for alias in record.get("aliases") or ():
        if contradict(own, words_of(alias, known), known):
            yield "aliases", f"{alias!r} tells another form or memory than {record['name']!r}"
    told = re.search(r"\b(\d{1,3}) ?GB\b", record["name"])
    if told and record.get("memory_bytes") and not near(int(told[1]) * 2**30, record["memory_bytes"], 0.05):
        yield "memory_bytes", f"{record['memory_bytes'] / 2**30:g} GiB of a {record['name']}"
