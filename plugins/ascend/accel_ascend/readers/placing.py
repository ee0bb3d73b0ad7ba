"""Maps (NPU ID, chip ID) to devices, in a text with several npu-smi outputs.

A text that also has the table or the mapping of `-m` decides; otherwise a one-chip NPU gets its NPU ID, and a chip of
several gets NPU ID times chips plus chip, which is the physical ID on a complete A3 node. NPU IDs from 1024 up (310 and
310P cards: 2048, 2944, 32768) are slots, not counts: those chips are numbered in text order.
"""

from collections.abc import Mapping
from typing import Final

from accel.model.report import Report
from accel_ascend.model import AscendDevice
from accel_ascend.readers.smi_sections import sections

_SLOTS_FROM: Final = 1024
Place = tuple[int, int | None]


def places(text: str) -> Mapping[Place, int]:
    """Return the index of each (NPU ID, chip ID) in a text. chip None: the only chip of its NPU."""
    from accel_ascend.readers import smi_mapping, smi_table  # which place their own rows

    found: dict[Place, int] = {}
    for reader in (smi_table.read, smi_mapping.read):
        for reading in reader(text):
            _note(reading.reports, found)
    asked: list[tuple[Place, int | None]] = []
    for section in sections(text):
        if section.npu_id is None or section.is_controller:
            continue
        count = section.chip_count
        if count is not None and count > 1:
            asked += [((section.npu_id, chip), count) for chip in range(min(count, 64))]
        else:
            asked.append(((section.npu_id, section.chip_id), count))
    most = max((count or 1 for _, count in asked), default=1)
    taken = set(found.values())
    for place, _ in asked:
        alone = (place[0], 0 if place[1] is None else place[1])
        if place in found:
            continue
        if alone in found:
            found[place] = found[alone]
            continue
        npu_id, chip_id = alone
        several = [c for p, c in asked if p[0] == npu_id and c]
        chips = max([*several, 1 + max((p[1] or 0) for p, _ in asked if p[0] == npu_id)])
        wanted = npu_id if chips == 1 and most == 1 else npu_id * max(chips, most) + chip_id
        if npu_id >= _SLOTS_FROM or wanted in taken:
            wanted = next(n for n in range(len(taken) + 1) if n not in taken)
        taken.add(wanted)
        found[place] = found[alone] = wanted
    return found


def _note(reports: tuple[Report, ...], found: dict[Place, int]) -> None:
    for report in reports:
        for device in report.devices:
            if isinstance(device, AscendDevice) and device.npu_id is not None:
                found.setdefault((device.npu_id, device.chip_id), device.index)
                found.setdefault((device.npu_id, device.chip_id or 0), device.index)
