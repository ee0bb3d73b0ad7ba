"""`mx-smi topo -m`: how the GPUs are joined.

            GPU0    GPU1    Node Affinity  CPU Affinity
    GPU0    X       MX      0              0-31,64-95
    GPU1    MX      X       0              0-31,64-95

Seen   mx-smi 2.2.9. A matrix without MetaXLink is that of any vendor: its text must name mx-smi or MetaXLink.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.toolkit.link_matrix import ids, links, matrices, number_of
from accel_metax import VENDOR

SOURCE: Final = "mx-smi topo"
_DEVICE: Final = "GPU"
_WORDS: Final = pattern(r"(?:X|MX|PIX|PXB|PHB|NODE|SYS|ETH|NA)")
_OURS: Final = pattern(r"mx-smi|metaxlink|\bMetaX\b|\sMX\s")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device for each row, its NUMA node, and the links."""
    if not _OURS.search(text):
        return
    for matrix in matrices(text, _DEVICE, _WORDS):
        if not matrix.rows:
            continue
        has_node = matrix.header_end.startswith("node affinity")
        devices = tuple(
            VENDOR.device(number, numa_node=_node(after) if has_node else None)
            for name, after in matrix.after.items()
            if name.startswith(_DEVICE) and (number := number_of(name)) is not None
        )
        joined = links(matrix, ids(_DEVICE, None, VENDOR.name))
        report = Report(backend=VENDOR.name, source=SOURCE, trust=30, devices=devices, links=joined)
        yield Reading(source=SOURCE, reports=(report,), first_line=matrix.first_line + 1, last_line=matrix.last_line)


def _node(cells: tuple[str, ...]) -> int | None:
    return int(cells[0]) if cells and cells[0].isdecimal() and len(cells[0]) < 4 else None


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
