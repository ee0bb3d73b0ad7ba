"""Hygon's DCUs in what `lspci` prints.

    07:00.0 Display controller [0380]: Chengdu Haiguang IC Design Co., Ltd. ZIFANG [1d94:55b7] (rev 01)
    0000:05:00.0 Co-processor: Chengdu Haiguang IC Design Co., Ltd. KONGMING
    00:00.0 Host bridge: Chengdu Haiguang IC Design Co., Ltd. Root Complex          a processor's: no DCU

Seen    pciutils 3.x, with and without -nn, -n and -D. Without ids the class tells a DCU from a processor's own parts.
"""

from typing import Final

from accel.vendors.toolkit.lspci_reader import lspci_reader
from accel_hygon import VENDOR

_KINDS: Final = ("Display controller", "Co-processor", "Processing accelerators", "3D controller")
READER: Final = lspci_reader(VENDOR, "Chengdu Haiguang", kinds=_KINDS)
