"""TPUs as listed by JAX: jax.devices(), jax.local_devices(), jax.print_environment_info(), str() of a device.

    [TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0), TpuDevice(id=1, …), …]
    TPU_0(process=0,(0,0,0,0))
    jax.devices (8 total, 8 local): [TpuDevice(id=0, …) TpuDevice(id=1, …) ... TpuDevice(id=6, …) TpuDevice(id=7, …)]
    device info: TPU v4-4, 4 local devices

Seen: 0.2.x ("host_id" in place of "process_index") to 0.9; slices add slice_index. A device is a core on v2, v3 and 7x,
else a chip. If the same text has tpu-info's table of chips, that one describes the devices.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_tpu.generation import generation_of, product_name
from accel_tpu.model import TpuDevice

_REPR: Final = pattern(r"\bTpuDevice\(\s*id=(?P<id>\d{1,6})\s*[,)](?P<rest>(?:[^()\[\]<>]|\([^()]{0,40}\)){0,200})")
_STR: Final = pattern(r"\bTPU_(?P<id>\d{1,6})\((?:process|host)=(?P<process>\d+),\s*\((?P<place>[\d,\s]+)\)\)")
_TOTAL: Final = pattern(r"jax\.devices \((?P<total>\d{1,5}) total, \d+ local\):\s*\[\s*TpuDevice\(")
_INFO: Final = pattern(
    r"^[ \t]*device info: (?:(?P<kind>TPU ?v?\d[\w ]*)-\d{1,6}|TPU[^,\n]{0,60}), (?P<local>\d{1,4}) local", re.MULTILINE
)
_CHIPS_TABLE: Final = pattern(r"[|│┃][^|│┃\n]{0,80}\bType\b[^|│┃\n]{0,80}[|│┃].{0,400}?\bPID\b")
_MOST_DEVICES: Final = 16384


def _read(text: str) -> Iterator[Reading]:
    if _CHIPS_TABLE.search(text):
        return
    devices: dict[int, TpuDevice] = {}
    for found in _REPR.finditer(text):
        devices.setdefault(int(found["id"]), _from_repr(int(found["id"]), found["rest"] or ""))
    for found in _STR.finditer(text):
        place = _numbers(found["place"])
        core = place[3] if len(place) == 4 else None
        devices.setdefault(
            int(found["id"]),
            _device(int(found["id"]), process=int(found["process"]), coords=place[:3] or None, core=core),
        )
    devices.update((index, _device(index)) for index in _left_out(text, set(devices)))
    info = _INFO.search(text)
    if info and not devices:
        generation = generation_of(info["kind"]) if info["kind"] else None
        devices = {n: _device(n, generation=generation) for n in range(min(int(info["local"]), _MOST_DEVICES))}
    if not devices:
        return
    report = Report(backend="tpu", source=READER.name, trust=50, devices=tuple(devices[n] for n in sorted(devices)))
    yield Reading(source=READER.name, reports=(report,))


def _from_repr(index: int, rest: str) -> TpuDevice:
    coords = re.search(r"coords=\(([\d,\s]+)\)", rest)
    return _device(
        index,
        process=_number(r"(?:process_index|host_id)=(\d+)", rest),
        coords=(_numbers(coords[1]) or None) if coords else None,
        core=_number(r"core_on_chip=(\d+)", rest),
    )


def _left_out(text: str, seen: set[int]) -> set[int]:
    """Return the IDs that NumPy omitted from a long list ("..."), if the total determines them."""
    total = _TOTAL.search(text)
    if not total or not seen:
        return set()
    count = int(total["total"])
    return set(range(count)) - seen if max(seen) == count - 1 and count <= _MOST_DEVICES else set()


def _number(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text)
    return int(found[1]) if found else None


def _numbers(text: str) -> tuple[int, ...]:
    """Return the comma-separated numbers; () if one of them is invalid."""
    parts = [part.strip() for part in text.removesuffix(",").split(",")]
    return tuple(int(part) for part in parts) if all(part.isdecimal() and len(part) < 10 for part in parts) else ()


def _device(
    index: int,
    *,
    process: int | None = None,
    coords: tuple[int, ...] | None = None,
    core: int | None = None,
    generation: str | None = None,
) -> TpuDevice:
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=product_name(generation),
        architecture=generation,
        process_index=process,
        coords=coords,
        core_on_chip=core,
    )


READER: Final = Reader(name="JAX's TPU devices", signs=("TpuDevice(", "TPU_", "device info: TPU"), read=_read)
