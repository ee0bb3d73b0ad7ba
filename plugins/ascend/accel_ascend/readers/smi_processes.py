"""The process section under the table of `npu-smi info`.

    | NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
    | 5       0                 | 2290156       | VLLMEngineCore           | 56630                   |
    | No running processes found in NPU 6                                                            |

Seen   21.0 to 26.0. On 950 the first cell is just "NPU ID". A process of another container has no name. At most
       eight processes per chip are printed. Some versions add a column "Process id in container".
"""

from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import dataclass, field, replace
from accel.model.device import Gap, Process
from accel.text.amounts import count, mebibytes, word
from accel_ascend.chips import BACKEND
from accel_ascend.model import AscendDevice

_MOST_PRINTED: Final = 8


@dataclass(slots=True, kw_only=True)
class ProcessSection:
    """columns is () until its header was seen.

    by_chip: (NPU ID, chip or None) to processes. told: NPUs listed completely.
    """

    columns: tuple[str, ...] = ()
    by_chip: dict[tuple[int, int | None], list[Process]] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    begun: set[int] = field(default_factory=set)

    def idle(self, npu_id: int) -> None:
        """Record that no process runs on an NPU."""
        self.told.add(npu_id)

    def close(self) -> None:
        """Record the rule that ends an NPU's rows."""
        self.told |= self.begun
        self.begun = set()

    def row(self, cells: Sequence[str], closed: bool) -> bool:
        """Parse one row; return whether it was one. A memory figure at the end of a truncated line is dropped."""
        ids = [count(part) for part in cells[0].split()]
        values = dict(zip(self.columns, cells, strict=False))
        pid = count(values.get("process id", ""))
        if not ids or len(ids) > 2 or ids[0] is None or pid is None or (len(cells) == 2 and not closed):
            return False
        memory = next((mebibytes(v) for k, v in values.items() if k.startswith("process memory")), None)
        if not closed and len(cells) <= len(self.columns):
            memory = None
        name = values.get("process name") if closed or len(cells) > 3 else None
        process = Process(pid=pid, name=word(name), memory_bytes=memory)
        self.by_chip.setdefault((ids[0], ids[1] if len(ids) > 1 else None), []).append(process)
        self.begun.add(ids[0])
        return True


def with_processes(
    devices: Sequence[AscendDevice], section: ProcessSection
) -> tuple[tuple[AscendDevice, ...], tuple[Gap, ...]]:
    """Return the devices with the section's processes, and a gap for what it may have omitted."""
    found, gaps = [], []
    for device in devices:
        npu_id = -1 if device.npu_id is None else device.npu_id
        listed = section.by_chip.get((npu_id, device.chip_id)) or section.by_chip.get((npu_id, None))
        if listed is not None:
            found.append(replace(device, processes=tuple(listed)))
        elif npu_id in section.told:
            found.append(replace(device, processes=()))
        else:
            found.append(device)
        if listed is not None and len(listed) >= _MOST_PRINTED:
            reason = f"npu-smi prints at most {_MOST_PRINTED} processes of a chip: there may be more"
            gaps.append(Gap(fact="processes", reason=reason, device=device.id, backend=BACKEND, source="npu-smi info"))
    return tuple(found), tuple(gaps)
