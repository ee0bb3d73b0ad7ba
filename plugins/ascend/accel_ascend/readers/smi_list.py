"""`npu-smi info -l`: the NPUs.

    Total Count                    : 1

    NPU ID                         : 0
    Product Name                   : A5 PCIe Card
    Serial Number                  : IT23HMDA0502FAA
    Chip Count                     : 1

Seen   22.0.4 ("Card Count") to 25.7; names and serials are of newer tools; 950 has no chip count. The serial number is
       the board's: several chips can share it.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import word
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import places
from accel_ascend.readers.smi_sections import sections

_SOURCE: Final = "npu-smi info -l"
_MOST_CHIPS: Final = 64


def read(text: str) -> Iterator[Reading]:
    """Yield the chips of the listed NPUs."""
    lower = text.lower()
    if "total count" not in lower and "card count" not in lower:
        return
    known = places(text)
    found: dict[int, AscendDevice] = {}
    for section in sections(text):
        if section.npu_id is None or section.is_controller or section.chip_id is not None:
            continue
        if section.values.keys() - {"product name", "serial number"}:
            continue
        count = section.chip_count or 1
        chips = [None] if count == 1 else list(range(min(count, _MOST_CHIPS)))
        for chip in chips:
            index = known.get((section.npu_id, chip))
            if index is not None:
                found[index] = AscendDevice(
                    id=f"{BACKEND}:{index}",
                    index=index,
                    backend=BACKEND,
                    vendor=VENDOR,
                    kind="npu",
                    npu_id=section.npu_id,
                    chip_id=chip,
                    product_name=word(section.values.get("product name", "")),
                    serial=word(section.values.get("serial number", "")),
                )
    if found:
        devices = tuple(found[index] for index in sorted(found))
        yield Reading(source=_SOURCE, reports=(Report(backend=BACKEND, source=_SOURCE, trust=55, devices=devices),))


READER: Final = Reader(name=_SOURCE, signs=("Total Count", "Card Count"), read=read)
