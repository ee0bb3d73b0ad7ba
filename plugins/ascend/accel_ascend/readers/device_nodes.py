"""A listing of the device nodes, with or without `-l`.

    crw-rw---- 1 HwHiAiUser HwHiAiUser 236, 0 Mar  7 10:21 /dev/davinci0
    /dev/davinci0  /dev/davinci1  /dev/davinci_manager  /dev/devmm_svm  /dev/hisi_hdc

Seen   /dev/davinciN is one chip, N its physical ID; vdavinciN (from 100) is a part of a chip, not a chip. A mention of
       a node in a sentence or an option (--device=/dev/davinci0) is not a listing. A text with npu-smi's table takes
       the chips from there: its numbers may differ.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import places

_SOURCE: Final = "device nodes"
_LONG: Final = pattern(r"^\s*c[rwx-]{9}[.+]?\s.*\s/dev/davinci(\d{1,3})\s*$")
_SHORT: Final = pattern(r"^\s*/dev/[\w/]+(?:\s+/dev/[\w/]+)*\s*$")
_NODE: Final = pattern(r"/dev/davinci(\d{1,3})(?!\w)")


def read(text: str) -> Iterator[Reading]:
    """Yield the chips of the listing."""
    found: dict[int, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if long := _LONG.match(line):
            found.setdefault(int(long[1]), number)
        elif _SHORT.match(line):
            for node in _NODE.findall(line):
                found.setdefault(int(node), number)
    if not found or places(text):
        return
    devices = tuple(node_device(n) for n in sorted(found))
    report = Report(backend=BACKEND, source=_SOURCE, trust=35, devices=devices)
    yield Reading(source=_SOURCE, reports=(report,), first_line=min(found.values()))


def node_device(number: int) -> AscendDevice:
    """Return the chip of /dev/davinci<number>: the node only shows that it exists."""
    return AscendDevice(
        id=f"{BACKEND}:{number}", index=number, backend=BACKEND, vendor=VENDOR, kind="npu", physical_id=number
    )


READER: Final = Reader(name=_SOURCE, signs=("/dev/davinci",), read=read)
