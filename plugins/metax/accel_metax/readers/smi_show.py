"""What `mx-smi --show-memory, --show-temperature, --show-usage, --show-hwinfo …` print: a block a GPU.

    GPU#0  MXC500  0000:08:00.0

        Memory
            vis_vram total                            :  67108864 KB
            vis_vram used                             :  846264 KB
        Chip Temperature
            hotspot(sensor0)                          :  39.00 C

Seen    2.2.4 to 2.3.1. KB is 2**10 bytes. The sensor's number behind "hotspot" differs. A rate in percent under
        another title (VPUE, VPUD, cores) is not the GPU's.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.text.sections import Block, blocks
from accel.vendors.contract.backend import Reader, Reading
from accel_metax import VENDOR

SOURCE: Final = "mx-smi --show"
_HEAD: Final = pattern(
    r"\s*GPU#(?P<index>\d{1,3})\s+(?P<name>(?:MX|MetaX)\S*(?: \S+)*?)"
    r"(?:\s+(?P<bus>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]|N/?A|ERR!|\d{9,24}))?\s*"
)


def read(text: str) -> Iterator[Reading]:
    """Yield what the blocks say of their GPUs."""
    found: dict[int, dict[str, Any]] = {}
    lines: list[int] = []
    for block in blocks(text, _HEAD):
        facts = found.setdefault(int(block.head["index"]), {})
        for name, value in _facts(block).items():
            if facts.get(name) is None:
                facts[name] = value
        lines += [block.first_line, block.last_line]
    if found:
        devices = tuple(VENDOR.device(index, **facts) for index, facts in sorted(found.items()))
        report = Report(backend=VENDOR.name, source=SOURCE, trust=58, devices=devices)
        yield Reading(source=SOURCE, reports=(report,), first_line=min(lines), last_line=max(lines))


def _facts(block: Block) -> dict[str, Any]:
    hotspots = [value for (_, key), value in block.values.items() if key.startswith("hotspot")]
    usage = a.number(block.get((None, "gpu"))) if "%" in (block.get((None, "gpu")) or "") else None
    return {
        "name": a.word(block.head["name"]),
        "pci_address": a.pci_address(block.head.get("bus")),
        "uuid": a.word(block.get((None, "uuid"))),
        "serial": a.word(block.get((None, "pcba serial number"), (None, "serial number"))),
        "memory_total_bytes": _kibibytes(block.get((None, "vram total"), (None, "vis_vram total"))) or None,
        "memory_used_bytes": _kibibytes(block.get((None, "vram used"), (None, "vis_vram used"))),
        "temperature_celsius": a.number(hotspots[0]) if hotspots else None,
        "utilization_percent": usage,
        "double_bit_ecc_errors": a.count(block.get((None, "double bit ecc"), (None, "double bit ecc count"))),
    }


def _kibibytes(text: str | None) -> int | None:
    amount = a.number(text) if (text or "").upper().endswith("KB") else None
    return None if amount is None else int(amount) << 10


READER: Final = Reader(name=SOURCE, signs=("GPU#",), read=read)
