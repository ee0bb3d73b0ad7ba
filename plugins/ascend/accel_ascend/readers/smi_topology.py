"""`npu-smi info -t topo`: how the chips are connected.

               NPU0       NPU1       NPU2       CPU Affinity
    NPU0       X          HCCS       SYS        0-63,128-191
    NPU1       HCCS       X          SYS        0-63,128-191

Seen   documentation of the 950 (UB) and of earlier tools (HCCS, HCCS_SW, SIO, XLink); other lists in the text say which
       index an NPU has.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_matrix import ids, links, matrices, number_of
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import places

SOURCE: Final = "npu-smi info -t topo"
_DEVICE: Final = "NPU"
_WORDS: Final = pattern(r"(?:X|SYS|NODE|PHB|PIX|PXB|HCCS(?:_SW)?|SIO|UB|XLink(?:_SW)?|NA)")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the chips of the matrix, and their links."""
    found = [matrix for matrix in matrices(text, _DEVICE, _WORDS) if matrix.rows]
    if not found:
        return
    known = {npu_id: index for (npu_id, chip), index in places(text).items() if chip in (None, 0)}
    for matrix in found:
        numbers = [number for name in matrix.rows if (number := number_of(name)) is not None]
        devices = tuple(
            AscendDevice(
                id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="npu", npu_id=number
            )
            for number in numbers
            for index in (known.get(number, number),)
        )
        joined = links(matrix, ids(_DEVICE, known, BACKEND))
        report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=devices, links=joined)
        yield Reading(source=SOURCE, reports=(report,), first_line=matrix.first_line + 1, last_line=matrix.last_line)


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
