"""Moore Threads' GPUs in what `lspci` prints.

    04:00.0 VGA compatible controller: Moore Threads Technology Co.,Ltd MTT S80
    0000:18:00.0 Processing accelerators [1200]: Moore Threads Technology Co.,Ltd Device [1ed5:0400] (rev 01)
    18:00.0 0302: 1ed5:0400
    04:00.1 Audio device: Moore Threads Technology Co.,Ltd MTT HDMI/DP Audio          no GPU

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from typing import Final

from accel.text.pattern import pattern
from accel.vendors.toolkit.lspci_reader import lspci_reader
from accel_mthreads import VENDOR

READER: Final = lspci_reader(VENDOR, "Moore Threads", names=pattern(r"\bMTT [SX]\d{2,4}\w*"))
