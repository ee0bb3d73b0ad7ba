"""`ixsmi topo -m`: how the GPUs are joined, in the form of nvidia-smi.

            GPU0    GPU1    CPU Affinity    NUMA Affinity
    GPU0     X      PIX     32-63           1
    GPU1    PIX      X      32-63           1

Seen   not by this project: a report of four BI-V100 with ixsmi 3.2.3 shows a matrix of PIX, PXB, PHB and SYS. What
       it calls IXLink is not known, and a row with another word is left out. The text must name ixsmi, Iluvatar, CoreX.
Source comments of xLLM's ilu_layerwise_layout, read 2026-11-23
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_matrix import matrix_readings
from accel_iluvatar import VENDOR

SOURCE: Final = "ixsmi topo"
_WORDS: Final = pattern(r"(?:X|PIX|PXB|PHB|NODE|SYS)")
_OURS: Final = pattern(r"ixsmi|iluvatar|corex")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device for each row, its NUMA node, and the links."""
    return matrix_readings(text, VENDOR, SOURCE, "GPU", _WORDS) if _OURS.search(text) else iter(())


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
