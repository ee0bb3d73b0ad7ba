"""TPUs in the output of `lspci -nn` or `lspci -n`, told from Google's other devices by their ids.

    00:05.0 Processing accelerators [1200]: Google, Inc. Device [1ae0:0063]
    0000:00:05.0 1200: 1ae0:0063 (rev 01)

One id serves v2 and v3; which of them it is, this text does not say.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.pattern import pattern
from accel_tpu import pci
from accel_tpu.model import TpuDevice

_LINE: Final = pattern(
    r"^[ \t]*(?P<domain>[0-9a-f]{4,8}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t]"
    r"[^\n]*?\b1ae0:(?P<device>[0-9a-f]{4})\b",
    re.MULTILINE | re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    functions = []
    ids = pci.table()
    for found in _LINE.finditer(text):
        device = found["device"].lower()
        entries = [entry for entry in ids["functions"] if entry["device"] == device]
        if entries:
            functions.append(
                pci.Function(
                    address=f"{found['domain'] or '0000:'}{found['slot']}".lower(),
                    pci_id=f"1ae0:{device}",
                    generation=entries[0]["generation"] if len(entries) == 1 else None,
                    iommu_group=None,
                    numa_node=None,
                )
            )
    unique = {function.address: function for function in functions}
    devices = tuple(_device(n, chip) for n, chip in enumerate(pci.grouped(unique.values())))
    if devices:
        yield Reading(
            source=READER.name, reports=(Report(backend="tpu", source=READER.name, trust=40, devices=devices),)
        )


def _device(index: int, chip: pci.Chip) -> TpuDevice:
    known = pci.table()["generations"].get(chip.first.generation or "", {})
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=known.get("name"),
        pci_address=chip.first.address,
        pci_id=chip.first.pci_id,
        architecture=chip.first.generation,
        devices_per_chip=known.get("devices_per_chip"),
    )


READER: Final = Reader(name="lspci (TPU)", signs=("1ae0:", "1AE0:"), read=_read)
