"""The counters of an Apple GPU's driver, which `ioreg -r -d 1 -w 0 -c IOAccelerator` prints for any user.

    +-o AGXAcceleratorG14X  <class AGXAcceleratorG14X, id 0x1000003c2, registered, matched, active, busy 0 (3 ms)>
        {
          "PerformanceStatistics" = {"In use system memory (driver)"=0,"Alloc system memory"=1574862848,
                                     "recoveryCount"=0,"Device Utilization %"=21,"In use system memory"=351141888}
          "model" = "Apple M2 Max"
          "gpu-core-count" = 38
        }

The statistics are one line of output. Seen: macOS 12 to 26. A Mac has one Apple GPU, so they belong to
"apple:0"; AMD's and Intel's accelerators have other keys, and are skipped. Utilisation is that of the last
moment, for the whole GPU; memory is the machine's memory in use by the GPU.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_apple.model import BACKEND, apple_gpu

_NODE: Final = "+-o "
_STATISTICS: Final = '"PerformanceStatistics" = {'
_MODEL: Final = pattern(r'"model" = <?"(?P<name>Apple [^"\n]{1,60})"')
_BUSY: Final = pattern(r'"Device Utilization %"=(\d{1,3})[,}]')
_MEMORY: Final = pattern(r'"In use system memory"=(\d{1,15})[,}]')
_CORES: Final = pattern(r'"gpu-core-count" = (\d{1,4})\s*$')


def _read(text: str) -> Iterator[Reading]:
    name: re.Match[str] | None = None
    busy = memory = cores = name
    first: int | None = None
    ours = False
    for number, line in enumerate(text.splitlines(), 1):
        if _NODE in line:
            if ours and name:
                break
            name = busy = memory = cores = None
            ours, first = "AGXAccelerator" in line, number
        if not ours:
            continue
        if _STATISTICS in line:
            busy, memory = _BUSY.search(line), _MEMORY.search(line)
        name = _MODEL.search(line) or name
        cores = _CORES.search(line) or cores
    if not ours or name is None or first is None:
        return
    share = int(busy[1]) if busy else None
    counted = int(cores[1]) if cores else None
    device = replace(
        apple_gpu(0, name["name"], "Apple", None),
        core_count=counted,
        multiprocessors=counted,
        utilization_percent=float(share) if share is not None and share <= 100 else None,
        memory_used_bytes=int(memory[1]) if memory else None,
    )
    report = Report(backend=BACKEND, source=READER.name, trust=50, devices=(device,))
    yield Reading(source=READER.name, reports=(report,), first_line=first)


READER: Final = Reader(name="ioreg", signs=("AGXAccelerator",), read=_read)
