"""Neuron devices in the output of `lspci -nn` or `lspci -n`.

    00:1e.0 System peripheral [0880]: Amazon.com, Inc. NeuronDevice (Trainium) [1d0f:7164] (rev 01)
    0000:00:1f.0 0880: 1d0f:7264

Amazon's vendor ID alone is not enough: network cards (ec20) and disks (8061) have it too. lspci omits the domain if
every one is 0000.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_neuron.model import BACKEND, neuron, table, with_family

_LINE: Final = pattern(
    r"^[ \t]*(?P<domain>[0-9a-f]{4,8}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t]"
    r"[^\n]*?\b1d0f:(?P<device>[0-9a-f]{4})\b",
    re.MULTILINE | re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    known = {device for family in table()["families"] for device in family["pci_devices"]}
    ids = {
        f"{(found['domain'] or '0000:')[-5:]}{found['slot']}".lower(): found["device"].lower()
        for found in _LINE.finditer(text)
        if found["device"].lower() in known
    }
    devices = tuple(
        with_family(replace(neuron(index), pci_address=address, pci_id=f"1d0f:{ids[address]}"))
        for index, address in enumerate(sorted(ids))
    )
    if devices:
        yield Reading(
            source=READER.name, reports=(Report(backend=BACKEND, source=READER.name, trust=40, devices=devices),)
        )


READER: Final = Reader(name="lspci (Neuron)", signs=("1d0f:7", "1D0F:7"), read=_read)
