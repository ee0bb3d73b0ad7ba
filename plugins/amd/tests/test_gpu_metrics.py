"""The firmware's record of each version, made by hand: numbers where the kernel has them, else all bits set."""

import struct
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_amd import VENDOR
from accel_amd.gpu_metrics import changes, facts, numbers, partition_busy_percent
from accel_amd.model import AmdDevice

from accel.machine.recorded import RecordedMachine
from accel.vendors.contract.watching import Wanted
from accel.vendors.toolkit.vendor_backend import VendorBackend

FOLDER = "/sys/bus/pci/devices/0000:05:00.0"
SIZES = {"1.0": 80, "1.1": 96, "1.2": 104, "1.3": 120, "1.4": 288, "1.5": 360, "1.6": 1664, "1.7": 2208, "1.8": 3872,
         "2.0": 120, "2.1": 120, "2.2": 128, "2.3": 152, "2.4": 168, "3.0": 264}  # fmt: skip


def record(version: str, **placed: tuple[str, int, int]) -> bytes:
    """Return a record of a version: each keyword is (kind as in struct, place, number)."""
    data = bytearray(b"\xff" * SIZES[version])
    major, minor = (int(part) for part in version.split("."))
    struct.pack_into("<HBB", data, 0, SIZES[version], major, minor)
    for kind, place, number in placed.values():
        struct.pack_into(f"<{kind}", data, place, number)
    return bytes(data)


NAVI = {"edge": ("H", 4, 53), "busy": ("H", 16, 97), "umc": ("H", 18, 41), "watts": ("H", 22, 12),
        "clock": ("H", 54, 100), "uclk": ("H", 58, 1085), "status": ("Q", 112, 1 << 36 | 1 << 0)}  # fmt: skip
MI300 = {"hotspot": ("H", 4, 66), "mem": ("H", 6, 51), "watts": ("H", 10, 540)}
STEAM = {"clock": ("H", 76, 1600), "status": ("Q", 120, 1 << 32), "watts": ("H", 40, 9)}
STRIX = {"gfx": ("H", 4, 4520), "watts": ("I", 112, 55500), "clock": ("H", 174, 2100), "uclk": ("H", 186, 1000)}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (record("1.3", **NAVI), {"temperature_celsius": 53, "power_watts": 12, "busy_percent": 97,
                                 "memory_busy_percent": 41, "clock_mhz": 100, "clock_memory_mhz": 1085,
                                 "clock_event_reasons": ("power-cap", "thermal-hotspot")}),
        (record("1.3", status=("Q", 112, 0)), {"clock_event_reasons": ()}),
        (record("1.3", status=("Q", 112, 1 << 60)), {"clock_event_reasons": ("bit-60",)}),
        (record("1.3", edge=("H", 4, 0), hot=("H", 6, 71), busy=("H", 16, 300)), {"temperature_celsius": 71}),
        # The bits of these mean another thing on each chip.
        (record("1.1", status=("I", 68, 64), edge=("H", 4, 40)), {"temperature_celsius": 40}),
        (record("1.2", status=("I", 68, 64), edge=("H", 4, 40)), {"temperature_celsius": 40}),
        (record("1.0", edge=("H", 16, 40), watts=("H", 34, 25)), {"temperature_celsius": 40, "power_watts": 25}),
        (record("1.4", **MI300, energy=("Q", 24, 65536 * 7), clock=("H", 240, 132), other=("H", 242, 2100)),
         {"temperature_celsius": 66, "memory_temperature_celsius": 51, "power_watts": 540, "energy_joules": 7.0,
          "clock_mhz": 2100}),
        (record("1.5", **MI300, energy=("Q", 88, 65536), uclk=("H", 352, 1300)),
         {"temperature_celsius": 66, "memory_temperature_celsius": 51, "power_watts": 540, "energy_joules": 1.0,
          "clock_memory_mhz": 1300}),
        (record("1.6", **MI300, energy=("Q", 16, 65536), uclk=("H", 304, 1300)),
         {"temperature_celsius": 66, "memory_temperature_celsius": 51, "power_watts": 540, "energy_joules": 1.0,
          "clock_memory_mhz": 1300}),
        (record("1.8", **MI300, energy=("Q", 24, 65536), uclk=("H", 336, 1300)),
         {"temperature_celsius": 66, "memory_temperature_celsius": 51, "power_watts": 540, "energy_joules": 1.0,
          "clock_memory_mhz": 1300}),
        (record("2.4", **STEAM), {"clock_mhz": 1600, "clock_event_reasons": ("thermal",)}),
        (record("2.2", **STEAM), {"clock_mhz": 1600, "clock_event_reasons": ("thermal",)}),
        (record("2.1", clock=("H", 76, 400)), {"clock_mhz": 400}),
        (record("2.0", clock=("H", 80, 400)), {"clock_mhz": 400}),
        (record("3.0", **STRIX), {"temperature_celsius": 45.2, "power_watts": 55.5, "clock_mhz": 2100,
                                  "clock_memory_mhz": 1000}),
    ],
)  # fmt: skip
def test_each_version_tells_its_numbers_where_the_kernel_puts_them(data: bytes, expected: dict[str, Any]) -> None:
    told = numbers(data)
    assert told is not None
    assert facts(told) == expected


@pytest.mark.parametrize("version", SIZES)
def test_a_record_of_which_nothing_is_known_tells_nothing(version: str) -> None:
    told = numbers(record(version))
    assert told is not None
    assert facts(told) == {}
    assert changes(told, told, 1.0) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x78",
        b"\0" * 200,
        b"\xff" * 200,
        record("1.3")[:119],
        record("1.6")[:1000],
        struct.pack("<HBB", 120, 1, 9)[:3],
        struct.pack("<HBB", 120, 9, 9) + b"\0" * 116,
        struct.pack("<HBB", 100, 1, 3) + b"\0" * 96,
        struct.pack("<HBB", 400, 1, 6) + b"\0" * 396,
        b"GPU metrics are not supported\n",
    ],
)
def test_what_is_cut_or_of_another_form_is_no_record(data: bytes) -> None:
    assert numbers(data) is None


def attribute(number: int, kind: int, code: str, *values: int) -> bytes:
    return struct.pack(f"<Q{len(values)}{code}", kind << 20 | number << 10 | len(values), *values)


def test_a_record_that_says_of_each_number_what_it_is_is_read_by_that() -> None:
    told = [attribute(0, 2, "H", 61), attribute(3, 4, "I", 402), attribute(999, 0, "B", 1, 2, 3),
            attribute(33, 2, "H", 1900, 0xFFFF), attribute(7, 6, "Q", 65536 * 3)]  # fmt: skip
    body = b"".join(told)
    data = struct.pack("<HBBi", 8 + len(body), 1, 9, len(told)) + body
    found = numbers(data)
    assert found is not None
    assert facts(found) == {"temperature_celsius": 61, "power_watts": 402, "clock_mhz": 1900, "energy_joules": 3.0}
    for cut in range(len(data)):
        short = struct.pack("<H", cut) + data[2:cut]
        assert cut < 4 or numbers(short) is not None


def test_two_records_tell_bytes_over_links_and_what_held_the_clocks_down_meanwhile() -> None:
    counted = {"cap": ("I", 40, 100), "hot": ("I", 44, 7), "read": ("Q", 128, 1000), "write": ("Q", 192, 500)}
    first, second = (
        record("1.6", **counted),
        record("1.6", **{**counted, "cap": ("I", 40, 130), "read": ("Q", 128, 5000)}),
    )
    then, now = numbers(first), numbers(second)
    assert then is not None
    assert now is not None
    assert changes(now, then, 2.0) == {
        "link_received_bytes_per_second": 2048000.0,
        "link_sent_bytes_per_second": 0.0,
        "clock_event_reasons": ("power-cap",),
    }
    assert "link_received_bytes_per_second" not in changes(then, now, 2.0)  # a counter that began again
    assert changes(now, then, 0.0) == {}


def test_a_partition_has_its_own_use() -> None:
    parts = {"count": ("H", 306, 2), "a": ("I", 312, 90), "b": ("I", 316, 70), "c": ("I", 480, 10)}
    told = numbers(record("1.6", **parts))
    assert told is not None
    assert [partition_busy_percent(told, number) for number in range(3)] == [80.0, 10.0, None]


@pytest.fixture
def watched(tmp_path: Path) -> Any:
    def machine(seconds: float, data: bytes | None, **files: str) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(
            yaml.safe_dump({"seconds": seconds, "files": {f"{FOLDER}/{name}": text for name, text in files.items()}})
        )
        home = tmp_path / "files" / FOLDER.lstrip("/")
        home.mkdir(parents=True, exist_ok=True)
        if data is not None:
            (home / "gpu_metrics").write_bytes(data)
        return RecordedMachine(tmp_path)

    return machine


BOARD = AmdDevice(id="amd:0", index=0, backend="amd", vendor="AMD", kind="gpu", pci_address="0000:05:00.0")


def test_watched_the_record_fills_what_the_files_do_not_say(watched: Any) -> None:
    backend = VendorBackend(VENDOR)
    (one,) = backend.readings(watched(0.0, record("1.3", **NAVI), gpu_busy_percent="7\n"), [BOARD], Wanted())
    assert (one.busy_percent, one.memory_busy_percent, one.clock_mhz) == (7, 41, 100)
    assert one.clock_event_reasons == ("power-cap", "thermal-hotspot")


def test_watched_what_is_counted_is_known_from_the_second_look_on(watched: Any) -> None:
    backend = VendorBackend(VENDOR)
    (one,) = backend.readings(watched(0.0, record("1.6", cap=("I", 40, 1), read=("Q", 128, 0))), [BOARD], Wanted())
    assert (one.clock_event_reasons, one.link_received_bytes_per_second) == (None, None)
    later = record("1.6", cap=("I", 40, 5), read=("Q", 128, 1000))
    (one,) = backend.readings(watched(2.0, later), [BOARD], Wanted())
    assert (one.clock_event_reasons, one.link_received_bytes_per_second) == (("power-cap",), 512000.0)


def test_a_gpu_that_sleeps_is_not_woken_and_a_call_that_hung_is_left_out(watched: Any) -> None:
    asleep = watched(0.0, record("1.3", **NAVI), **{"power/runtime_status": "suspended\n"})
    (one,) = VendorBackend(VENDOR).readings(asleep, [BOARD], Wanted())
    assert one.clock_mhz is None
    assert not any("gpu_metrics" in gap.reason for gap in one.gaps)
    awake = watched(0.0, record("1.3", **NAVI), **{"power/runtime_status": "active\n"})
    (one,) = VendorBackend(VENDOR).readings(awake, [BOARD], Wanted(skip=frozenset({("gpu_metrics", "amd:0")})))
    assert one.clock_mhz is None


def test_a_form_that_is_not_known_is_a_gap(watched: Any) -> None:
    strange = struct.pack("<HBB", 120, 7, 1) + b"\0" * 116
    (one,) = VendorBackend(VENDOR).readings(watched(0.0, strange), [BOARD], Wanted())
    reasons = [gap.reason for gap in one.gaps if gap.fact == "clock_event_reasons"]
    assert reasons == ["gpu_metrics has an unknown format: version 7.1 of 120 bytes"]
