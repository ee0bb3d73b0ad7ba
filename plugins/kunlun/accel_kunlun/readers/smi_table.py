"""The table that `xpu-smi` (or `xpu_smi`) prints without arguments.

    | XPU-SMI               Driver Version: 5.0.21.26    XPU-RT Version: 5.0.21   |
    | XPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
    | Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | XPU-Util  Compute M. |
    |                               |             L3-Usage |            SR-IOV M. |
    |   1  P800 OAM           N/A   | 00000000:55:00.0 N/A |                    0 |
    | N/A   40C  N/A     84W / 400W |      0MiB / 98304MiB |      0%      Default |
    |                               |      0MiB /    96MiB |             Disabled |

Seen    driver 5.0.21 and 5.19. Intel's tool of the same name has another title and another first column.
"""

from typing import Final

from accel.text import amounts as a
from accel.text import cells
from accel.text.grid import Layout
from accel.text.pattern import pattern
from accel.vendors.toolkit.table_reader import table_reader
from accel_kunlun import VENDOR

_L3: Final = cells.USED_OF_TOTAL.replace("<used>", "<l3_used>").replace("<total>", "<l3_total>")
LAYOUT: Final = Layout(
    title=pattern(r"\bXPU-SMI\b.*\bXPU-RT Version|\bXPU-RT Version:"),
    said=(
        pattern(r"Driver Version:\s*v?(?P<driver>\d[\w.-]*)"),
        pattern(r"XPU-RT Version:\s*v?(?P<tool>\d[\w.-]*)"),
    ),
    own=pattern(r"(?i)^[^|]*\|\s*XPU\s+Name\b.*Bus-?id"),
    head=pattern(r"(?i)^[^|]*\|\s*XPU\s+Name\b"),
    columns={
        r"Volatile Uncorr\. ECC": r"(?P<ecc>\S+)",
        r"Bus-?id": cells.BUS,
        r"Disp\.A": r"\S+",
        r"Persist\w*-M": r"\S+",
        r"XPU-Util": rf"(?P<utilization>{cells.PERCENT})",
        r"Compute M\.": r"(?P<mode>\S.*?)",
        r"SR-IOV M\.": r"(?P<sriov>\S.*?)",
        r"Memory-Usage": cells.USED_OF_TOTAL,
        r"L3-Usage": _L3,
        r"Pwr(?::\s*Usage/Cap)?": cells.POWER,
        r"Fan": rf"(?P<fan>{cells.PERCENT})",
        r"Temp": rf"(?P<temperature>{cells.CELSIUS})",
        r"Perf": r"\S+",
        r"XPU": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(?P<pid>\d{1,10})\s+(?:[CGM+]{1,3}\s+)?"
        r"(?P<name>(?![CGM+]{1,3}\s)\S+(?:\s+\S+)*)\s+(?P<memory>\d+\s?MiB|N/?A)\s*$"
    ),
)

READER: Final = table_reader(
    VENDOR,
    "xpu-smi table",
    LAYOUT,
    signs=("XPU-RT", "XPU-SMI", "XPU-Util", "XPU  Name"),
    own={
        "fan_percent": ("fan", a.number),
        "compute_mode": ("mode", a.word),
        "sriov_mode": ("sriov", a.word),
        "l3_total_bytes": ("l3_total", a.capacity),
        "l3_used_bytes": ("l3_used", a.mebibytes),
        "ecc_uncorrectable_errors": ("ecc", a.count),
        "health": ("ecc", lambda errors: "critical" if a.count(errors) else "unknown"),
    },
)
