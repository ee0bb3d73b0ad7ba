"""The links printed by `nvidia-smi nvlink`, with their state and errors.

    GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-2f8c…)
             Link 0: 26.562 GB/s                          --status; GB/s are 10^9
             Link 1: <inactive>
             Link 0: Replay Errors: 0                     --errorcounters; also Recovery, CRC, "CRC FLIT Errors"

Seen    drivers 384 to 610. A board without NVLink says so in a sentence, or prints nothing: its links are then unknown.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, reading
from accel_nvidia.model import NvLink

SOURCE: Final = "nvidia-smi nvlink"
TRUST: Final = 56
_GPU: Final = pattern(r"^\s*GPU (\d{1,3}): (.*?) ?\(UUID: ?(GPU-[0-9A-Za-z-]+)?")
_ANY_GPU: Final = pattern(r"^\s*GPU\b[^:]{0,40}.{0,200}\(UUID\b")
_STATE: Final = pattern(r"(?i)^\s*Link (\d+)[:,] ?(?:(<?inactive>?)|(\d{1,6}(?:\.\d{1,6})?) GB/s)\s*$")
_ERRORS: Final = pattern(r"(?i)^\s*Link (\d+)[:,] ?(Replay|Recovery|CRC(?: FLIT)?) Errors?:\s*(\d+)\s*$")
_REMOTE: Final = pattern(r"^\s*Link (\d+)[:,] ?Remote Device ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)")
_FIELD: Final = {
    "replay": "replay_errors",
    "recovery": "recovery_errors",
    "crc": "crc_errors",
    "crc flit": "crc_errors",
}


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs that have a line about a link."""
    names: dict[int, tuple[str | None, str | None]] = {}
    links: dict[int, dict[int, dict[str, Any]]] = {}
    current: int | None = None
    lines: list[int] = []
    for number, line in lines_of(text):
        if found := _GPU.match(line):
            current = int(found[1])
            known = names.get(current, (None, None))
            names[current] = (known[0] or full_name(found[2]), known[1] or found[3])
            continue
        if _ANY_GPU.match(line):  # the GPU of the following links is unreadable
            current = None
        fact = _link(line) if current is not None else None
        if fact is not None and current is not None:
            links.setdefault(current, {}).setdefault(fact[0], {}).update(fact[1])
            lines.append(number)
    if links:
        devices = [
            gpu(
                index,
                name=names[index][0],
                uuid=names[index][1],
                nvlinks=tuple(NvLink(index=place, **known) for place, known in sorted(found_links.items())),
            )
            for index, found_links in sorted(links.items())
        ]
        yield reading(SOURCE, TRUST, devices=devices, lines=(lines[0], lines[-1]))


def _link(line: str) -> tuple[int, dict[str, Any]] | None:
    """Return a link's number and its facts."""
    if found := _STATE.match(line):
        if found[2]:
            return int(found[1]), {"active": False}
        return int(found[1]), {"active": True, "speed_bytes_per_second": round(float(found[3]) * 1e9)}
    if found := _ERRORS.match(line):
        return int(found[1]), {_FIELD[found[2].lower()]: int(found[3])}
    if found := _REMOTE.match(line):
        address = found[2].lower()[-12:]
        return int(found[1]), {"remote_pci_address": None if address.endswith("ff:ff.0") else address}
    return None


READER: Final = Reader(name=SOURCE, signs=("Link 0", "Link 1"), read=read)
