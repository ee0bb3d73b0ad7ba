"""Ascend chips in the output of lspci.

    c1:00.0 Processing accelerators: Huawei Technologies Co., Ltd. Device d802 (rev 20)
    0000:c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802] (rev 20)
    c1:00.0 1200: 19e5:d802 (rev 20)

Seen   pciutils 3.5 to 3.13. Class and vendor alone are not enough: Huawei's compression engines share both.
       A chip whose address is in npu-smi's table in the same text gets its number from there; a card of two chips may
       show one function.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import pci_address
from accel.text.lspci import damaged, numbered
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR, family_of_pci_id, is_npu
from accel_ascend.model import AscendDevice
from accel_ascend.readers import smi_table

_SOURCE: Final = "lspci"
_LINE: Final = pattern(r"^\s*((?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+(\S.*)$")
_IDS: Final = pattern(r"(?<![\w:])((?:19e5|20c6|203f|20e9):[0-9a-f]{4})(?![\w:])")
_OURS: Final = pattern(r"Huawei Technologies Co\., Ltd\.|\b(?:19e5|20c6|203f|20e9):")
_BARE: Final = pattern(r"Huawei Technologies Co\., Ltd\.\s+Device\s+(d[0-9a-f]{3})\b")


def read(text: str) -> Iterator[Reading]:
    """Yield the chips in the list, numbered in order if nothing else numbers them."""
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = _LINE.match(line)
        if not parts:
            continue
        pci_id = _pci_id(parts[2])
        address = pci_address(parts[1])
        if address is not None and is_npu(pci_id):
            found.setdefault(address, (pci_id, number))
    if not found:
        return
    known = {
        device.pci_address: device.index
        for reading in smi_table.read(text)
        for report in reading.reports
        for device in report.devices
        if device.pci_address
    }
    lines = [line for _, line in found.values()]
    classes = {line.split(None, 1)[1].partition(":")[0] for n, line in enumerate(text.splitlines(), 1) if n in lines}
    places = numbered(lines, damaged(text, _OURS, classes, lines, lambda said: is_npu(_pci_id(said))))
    numbers = (n for n in (places if not known else range(len(known) + 4096)) if n not in set(known.values()))
    devices = []
    for address, (pci_id, _) in found.items():
        index = known[address] if address in known else next(numbers)
        devices.append(pci_device(index, address, pci_id))
    report = Report(backend=BACKEND, source=_SOURCE, trust=35, devices=tuple(devices))
    yield Reading(source=_SOURCE, reports=(report,), first_line=min(line for _, line in found.values()))


def _pci_id(said: str) -> str:
    ids, bare = _IDS.search(said), _BARE.search(said)
    return ids[1] if ids else f"19e5:{bare[1]}" if bare else ""


def pci_device(index: int, address: str, pci_id: str) -> AscendDevice:
    """Return the chip at a PCI address."""
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        pci_address=address,
        pci_id=pci_id,
        architecture=family_of_pci_id(pci_id),
    )


READER: Final = Reader(
    name=_SOURCE, signs=("Huawei Technologies", "[19e5:d", "[20c6:d", "[203f:d", "[20e9:d"), read=read
)
