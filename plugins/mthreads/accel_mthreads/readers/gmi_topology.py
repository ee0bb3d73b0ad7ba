"""`mthreads-gmi topo -m`: how the GPUs are joined.

             GPU0     GPU1     NIC0     CPU Affinity   NUMA Affinity
    GPU0     X        MT2      PIX      0-31,64-95     0
    GPU1     MT2      X        PIX      0-31,64-95     0

Seen   quoted from S4000 and S5000 (drivers 3.3.1 and 3.3.3), below SGLang's "MTHREADS Topology:"; MT2 is two MTLinks
       together. SPB and MPB stand between network cards and GPUs of earlier ones. A matrix without MTLinks is that of
       any vendor: its text must name mthreads.
Source https://github.com/sgl-project/sglang/pull/16959, read 2026-11-23
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_matrix import matrix_readings
from accel_mthreads import VENDOR

SOURCE: Final = "mthreads-gmi topo"
_WORDS: Final = pattern(r"(?:X|MTL?\d{1,2}|SPB|MPB|PIX|PXB|PHB|NODE|SYS)")
_OURS: Final = pattern(r"mthreads|mtlink|\bMTT S\d{2,4}\b|\sMTL?\d{1,2}\s")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with a device for each row, its NUMA node, and the links."""
    return matrix_readings(text, VENDOR, SOURCE, "GPU", _WORDS) if _OURS.search(text) else iter(())


READER: Final = Reader(name=SOURCE, signs=("CPU Affinity",), read=read)
