"""The table that `ixsmi` prints without arguments.

    |  IX-ML: 4.3.0       Driver Version: 4.3.0       CUDA Version: 10.2          |
    | GPU  Name                     | Bus-Id               | Clock-SM  Clock-Mem  |
    | Fan  Temp  Perf  Pwr:Usage/Cap|      Memory-Usage    | GPU-Util  Compute M. |
    | 1    Iluvatar BI-V150         | 00000000:13:00.0     | 1500MHz   1600MHz    |
    | N/A  39C   P0    104W / 350W  | 64MiB / 32768MiB     | 0%        Default    |

Seen    3.0.1 to 4.4.0, with BI-V100, BI-V150, BI-V150S, MR-V100. "CUDA Version" is of the interface that CoreX serves,
        and may be N/A; tool and driver versions may differ. The chip of a board that has no sensor prints N/A / N/A.
"""

from typing import Final

from accel.text import amounts as a
from accel.text import cells
from accel.text.grid import Layout
from accel.text.pattern import pattern
from accel.vendors.toolkit.table_reader import table_reader
from accel_iluvatar import VENDOR

LAYOUT: Final = Layout(
    title=pattern(r"\bIX-ML(?:\s*:)?\s*v?\d|\bIX-?SMI(?:\s*:)?\s*v?\d"),
    said=(
        pattern(r"\bIX-(?:ML|SMI)(?:\s*:)?\s*v?(?P<tool>\d[\w.]*)"),
        pattern(r"Driver Version:\s*v?(?P<driver>\d[\w.-]*)"),
        pattern(r"CUDA Version:\s*v?(?P<toolkit>\d[\w.]*)"),
    ),
    own=pattern(r"(?i)^[^|]*\|\s*GPU\s+Name\b.*Clock-SM"),
    head=pattern(r"(?i)^[^|]*\|\s*GPU\s+Name\b.*Bus-?id"),
    columns={
        r"Bus-?id": cells.BUS,
        r"GPU-Util": rf"(?P<utilization>{cells.PERCENT})",
        r"Compute M\.": r"(?P<mode>\S.*?)",
        r"Clock-SM": rf"(?P<sm_clock>{cells.MEGAHERTZ})",
        r"Clock-Mem": rf"(?P<memory_clock>{cells.MEGAHERTZ})",
        r"Persist\w*-M": r"\S+",
        r"Memory-Usage": cells.USED_OF_TOTAL,
        r"Pwr(?::\s*Usage/Cap)?": cells.POWER,
        r"Fan": rf"(?P<fan>{cells.PERCENT})",
        r"Temp": rf"(?P<temperature>{cells.CELSIUS})",
        r"Perf": r"(?P<performance>\S+)",
        r"GPU": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?P<pid>\d{1,10})\s+(?P<name>\S+(?:\s+\S+)*?)\s+(?P<memory>\d+|N/?A)(?:\s*MiB)?\s*$"
    ),
)

READER: Final = table_reader(
    VENDOR,
    "ixsmi table",
    LAYOUT,
    signs=("IX-ML", "IXSMI", "IX-SMI", "Clock-SM"),
    own={
        "fan_percent": ("fan", a.number),
        "performance_state": ("performance", a.word),
        "compute_mode": ("mode", a.word),
        "sm_mhz": ("sm_clock", a.number),
        "memory_mhz": ("memory_clock", a.number),
    },
)
