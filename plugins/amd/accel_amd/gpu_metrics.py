"""The current firmware readings of an AMD GPU, from amdgpu's binary record.

Reads   /sys/bus/pci/devices/<address>/gpu_metrics     "x\\0\\x01\\x03…": length in two bytes, format, content, numbers
Units   1.x: °C, W, %, MHz; energy from 1.4 on in 2^-16 J. 3.0: hundredths of °C, mW, MHz
        2.x: most units differ from chip to chip; only clocks (MHz) and the throttle bits are used
Unknown all bits of a number set; a temperature of 0
Not read  bytes over PCIe: the kernel calls the same number GB/s in 1.4, 1.5, 1.8 and Mbit/s in an older 1.6
Source  as gpu_metrics_layouts; the bits: Linux drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h, SMU_THROTTLER_*; that the
        residencies are counters, and the hundredths: pm/swsmu/inc/pmfw_if/smu14_driver_if_v14_0_0.h
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from accel.model.dataclass import dataclass, field
from accel_amd.gpu_metrics_layouts import ATTRIBUTES, DIES, LAYOUTS, PARTITIONS, WITH_PARTITIONS
from accel_amd.quantities import celsius

MOST_BYTES: Final = 1 << 14  # the longest record is below 4 KiB
_HEAD_BYTES: Final = 4
_SELF_TELLING: Final = (1, 9)
_KILOBYTE: Final = 1024
_REASONS: Final = {  # bits of indep_throttle_status; the kernel does not document the last two
    0: "power-cap", 1: "power-cap-1", 2: "power-cap-2", 3: "power-cap-3", 4: "power-cap-sustained", 5: "power-cap-fast",
    6: "power-cap-slow", 7: "power-cap-slow-apu",
    16: "current-gfx", 17: "current-soc", 18: "current-memory", 19: "current-vdd", 20: "current-cvip",
    21: "current-peak-cpu", 22: "current-peak-gfx", 23: "current-peak",
    32: "thermal", 33: "thermal-core", 34: "thermal-memory", 35: "thermal-edge", 36: "thermal-hotspot",
    37: "thermal-soc", 38: "thermal-regulator-gfx", 39: "thermal-regulator-soc", 40: "thermal-regulator-memory",
    41: "thermal-regulator-memory-1", 42: "thermal-liquid", 43: "thermal-liquid-1", 44: "thermal-regulator-hot",
    45: "thermal-regulator-hot-1", 46: "thermal-processor-hot", 47: "thermal-processor-hot-gfx",
    56: "ppm", 57: "fit",
}  # fmt: skip
_RESIDENCIES: Final = {  # counters that increase while the reason throttles the clocks
    "prochot_residency": "thermal-processor-hot",
    "ppt_residency": "power-cap",
    "socket_thermal_residency": "thermal",
    "vr_thermal_residency": "thermal-regulator",
    "hbm_thermal_residency": "thermal-memory",
    "spl_residency": "power-cap-sustained",
    "fppt_residency": "power-cap-fast",
    "sppt_residency": "power-cap-slow",
    "thermal_core_residency": "thermal-core",
    "thermal_gfx_residency": "thermal",
    "thermal_soc_residency": "thermal-soc",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """One record.

    version     format and content: (1, 3)
    values      each number, or several of one kind, by name in gpu_metrics_layouts; None if unknown
    partitions  for each of the board's partitions, in order, how busy its dies are; () if not reported
    """

    version: tuple[int, int]
    values: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    partitions: tuple[tuple[int | None, ...], ...] = ()

    def one(self, name: str) -> int | None:
        """Return a number; of several, the largest known one."""
        return max((value for value in self.values.get(name, ()) if value is not None), default=None)

    def sum(self, name: str) -> int | None:
        """Return the sum of the known ones; None if none is known."""
        known = [value for value in self.values.get(name, ()) if value is not None]
        return sum(known) if known else None


def numbers(data: bytes) -> Numbers | None:
    """Parse a record; None if it is truncated, or of unknown version or length."""
    size, version = int.from_bytes(data[:2], "little"), (data[2], data[3]) if len(data) >= _HEAD_BYTES else (0, 0)
    if size < _HEAD_BYTES or len(data) < size:
        return None
    if version == _SELF_TELLING:
        return Numbers(version=version, values=dict(_told(data[:size])))
    if version not in LAYOUTS or size < WITH_PARTITIONS.get(version, 0):
        return None
    places, end = _places_of_all()[version]
    if size < end:
        return None
    values = {name: _several(data, at, wide, count) for name, (at, wide, count) in places.items()}
    found = Numbers(version=version, values=values)
    if version not in WITH_PARTITIONS:
        return found
    return Numbers(version=version, values=values, partitions=_partitions(data, size, end, found.one("num_partition")))


def facts(told: Numbers) -> dict[str, Any]:
    """Return the readings in one record, without unknown ones."""
    found: dict[str, Any] = {
        "clock_mhz": _first(told, "current_gfxclk", "average_gfxclk"),
        "clock_memory_mhz": _first(told, "current_uclk", "average_uclk"),
        "clock_event_reasons": _reasons(told),
    }
    if told.version[0] == 1:
        edge = told.one("temperature_edge")
        energy = told.one("energy_2e16")
        found["temperature_celsius"] = _warm(edge or told.one("temperature_hotspot"))
        found["memory_temperature_celsius"] = _warm(told.one("temperature_mem"))
        found["power_watts"] = _first(told, "curr_socket_power", "average_socket_power")
        found["energy_joules"] = None if energy is None else energy / 65536
        found["busy_percent"] = _share(told.one("average_gfx_activity"))
        found["memory_busy_percent"] = _share(told.one("average_umc_activity"))
    elif told.version[0] == 3:
        milliwatts, hundredths = told.one("average_socket_milliwatts"), told.one("temperature_gfx_centi")
        found["power_watts"] = None if milliwatts is None else milliwatts / 1000
        found["temperature_celsius"] = _warm(None if hundredths is None else hundredths / 100)
    return {name: value for name, value in found.items() if value is not None}


def changes(told: Numbers, before: Numbers, seconds: float) -> dict[str, Any]:
    """Return what two records, `seconds` apart, show: bytes over xGMI, and what limited the clocks in between."""
    found: dict[str, Any] = {}
    if seconds <= 0 or told.version != before.version:
        return found
    for name, counter in (
        ("link_received_bytes_per_second", "xgmi_read_kilobytes"),
        ("link_sent_bytes_per_second", "xgmi_write_kilobytes"),
    ):
        now, then = told.sum(counter), before.sum(counter)
        if now is not None and then is not None and now >= then:
            found[name] = (now - then) * _KILOBYTE / seconds
    pairs = {name: (told.one(name), before.one(name)) for name in _RESIDENCIES}
    known = {name: (now, then) for name, (now, then) in pairs.items() if now is not None and then is not None}
    if known:
        found["clock_event_reasons"] = tuple(_RESIDENCIES[name] for name, (now, then) in known.items() if now != then)
    return found


def partition_busy_percent(told: Numbers, partition: int) -> float | None:
    """Return how busy a partition is, as the mean of its dies; None if the record does not distinguish partitions."""
    if partition >= len(told.partitions):
        return None
    known = [value for value in told.partitions[partition] if value is not None and value <= 100]
    return round(sum(known) / len(known), 1) if known else None


def _partitions(data: bytes, size: int, end: int, count: int | None) -> tuple[tuple[int | None, ...], ...]:
    """Return each partition's values. A record has eight partitions of equal size, then a last number of four bytes."""
    start = -(-end // 8) * 8
    each = (size - start - 8) // PARTITIONS
    if count is None or not 1 < count <= PARTITIONS or each < 4 * DIES:
        return ()
    return tuple(_several(data, start + each * number, 4, DIES) for number in range(count))


def _told(data: bytes) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """Yield the numbers of a self-describing record: eight bytes of description, then the numbers, unaligned.

    The eight bytes: unit << 24 | type << 20 | which << 10 | how many. Types, from 0: u8 s8 u16 s16 u32 s32 u64 s64.
    """
    at = _HEAD_BYTES + 4
    for _ in range(int.from_bytes(data[_HEAD_BYTES:at], "little")):
        encoded = int.from_bytes(data[at : at + 8], "little")
        kind, which, count = encoded >> 20 & 0xF, encoded >> 10 & 0x3FF, encoded & 0x3FF
        wide = 1 << (kind >> 1)
        at += 8
        if kind > 7 or at + wide * count > len(data):
            return
        if which in ATTRIBUTES:
            yield ATTRIBUTES[which], _several(data, at, wide, count)
        at += wide * count


@cache
def _places_of_all() -> dict[tuple[int, int], tuple[dict[str, tuple[int, int, int]], int]]:
    return {version: _laid_out(version) for version in LAYOUTS}


def _laid_out(version: tuple[int, int]) -> tuple[dict[str, tuple[int, int, int]], int]:
    places, at = {}, _HEAD_BYTES
    for wide, names in LAYOUTS[version]:
        for word in names.split():
            name, _, several = word.partition("*")
            count = int(several or 1)
            at = -(-at // wide) * wide
            places[name] = (at, wide, count)
            at += wide * count
    return places, at


def _several(data: bytes, at: int, wide: int, count: int) -> tuple[int | None, ...]:
    unknown = (1 << 8 * wide) - 1
    found = (int.from_bytes(data[at + n * wide : at + (n + 1) * wide], "little") for n in range(count))
    return tuple(None if value == unknown else value for value in found)


def _reasons(told: Numbers) -> tuple[str, ...] | None:
    """Return the throttle reasons; None if the record only has bits whose meaning depends on the chip."""
    bits = told.one("indep_throttle_status")
    if bits is None:
        return None
    return tuple(_REASONS.get(bit, f"bit-{bit}") for bit in range(64) if bits >> bit & 1)


def _first(told: Numbers, *names: str) -> int | None:
    return next((value for name in names if (value := told.one(name)) is not None), None)


def _warm(degrees: float | None) -> float | None:
    return celsius(degrees) if degrees else None


def _share(value: int | None) -> float | None:
    return None if value is None or value > 100 else float(value)
