"""TPUs in the output of `lspci -nn` or `lspci -n`, distinguished from Google's other devices by their IDs.

    00:05.0 Processing accelerators [1200]: Google, Inc. Device [1ae0:0063]
    0000:00:05.0 1200: 1ae0:0063 (rev 01)

v2 and v3 share one ID; this text does not say which it is.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.lines import line_at
from accel.text.lspci import damaged, numbered
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_tpu import pci
from accel_tpu.model import TpuDevice

_LINE: Final = pattern(
    r"^[ \t]*(?P<domain>[0-9a-f]{4,8}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t]"
    r"(?P<kind>[^\n:]*):[^\n]*?\b1ae0:(?P<device>[0-9a-f]{4})\b",
    re.MULTILINE | re.IGNORECASE,
)
_OURS: Final = pattern(r"Google, Inc\.|\b1ae0:")


def _read(text: str) -> Iterator[Reading]:
    functions: dict[str, pci.Function] = {}
    lines: dict[str, int] = {}
    kinds: set[str] = set()
    ids = pci.table()
    for found in _LINE.finditer(text):
        device = found["device"].lower()
        entries = [entry for entry in ids["functions"] if entry["device"] == device]
        if entries:
            address = f"{found['domain'] or '0000:'}{found['slot']}".lower()
            lines[address] = line_at(text, found.start("slot"))
            kinds.add(found["kind"])
            functions[address] = pci.Function(
                address=address,
                pci_id=f"1ae0:{device}",
                generation=entries[0]["generation"] if len(entries) == 1 else None,
                iommu_group=None,
                numa_node=None,
            )
    chips = pci.grouped(functions.values())
    unread = damaged(text, _OURS, kinds, lines.values())
    halves = {lines[c.first.address] for c in chips if len(c.functions) < _functions(c)}
    unread = [line for line in unread if not halves & {line - 1, line + 1}]  # the other half of a chip that is listed
    places = numbered([lines[chip.first.address] for chip in chips], unread)
    devices = tuple(_device(n, chip) for n, chip in zip(places, chips, strict=True))
    if devices:
        yield Reading(
            source=READER.name, reports=(Report(backend="tpu", source=READER.name, trust=40, devices=devices),)
        )


def _functions(chip: pci.Chip) -> int:
    known = pci.table()["generations"].get(chip.first.generation or "", {})
    return int(known.get("devices_per_chip") or 1)


def _device(index: int, chip: pci.Chip) -> TpuDevice:
    known = pci.table()["generations"].get(chip.first.generation or "", {})
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=known.get("name"),
        pci_address=chip.first.address if chip.first.address.endswith(".0") else None,
        pci_id=chip.first.pci_id,
        architecture=chip.first.generation,
        devices_per_chip=known.get("devices_per_chip"),
    )


READER: Final = Reader(name="lspci (TPU)", signs=("1ae0:", "1AE0:"), read=_read)
