"""The table that `mx-smi` prints without arguments.

    | MX-SMI 2.2.9                       Kernel Mode Driver Version: 3.4.4            |
    | MACA Version: 3.3.0.15             BIOS Version: 1.30.0.0                       |
    | Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |
    | Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |
    | 2     MetaX C500 | 2           Off | 0000:10:00.0        | 0%          Disabled |
    | 58W / 350W       | 36C          P0 | 826/65536 MiB       | Available            |

Seen    2.1.6 (name as "MXC500", "Power" without a limit), 2.1.12 (limit may be NA), 2.2.4 (GPU-State), 2.2.6 and 2.2.8
        (Persistence-M, sGPU-M, Perf), 2.2.9 and 2.3.1 (boards apart from GPUs). Before 2.2.9 there are three columns.
        MACA is "unknown" where the toolkit is not installed. Memory is in 2**20 bytes.
"""

from typing import Final

from accel.text import amounts as a
from accel.text import cells
from accel.text.grid import Layout
from accel.text.pattern import pattern
from accel.vendors.toolkit.table_reader import table_reader
from accel_metax import VENDOR
from accel_metax.state import health_of

LAYOUT: Final = Layout(
    title=pattern(r"\bMX-SMI\s+v?\d|MetaX System Management Interface"),
    said=(
        pattern(r"\bMX-SMI\s+v?(?P<tool>\d[\w.]*)"),
        pattern(r"Driver Version:\s*v?(?P<driver>\d[\w.-]*)"),
        pattern(r"MACA Version:\s*v?(?P<toolkit>\d[\w.-]*)"),
        pattern(r"BIOS Version:\s*v?(?P<firmware>\d[\w.-]*)"),
    ),
    own=pattern(r"(?i)\|\s*Bus-?id\s*\|\s*GPU-Util\b"),
    head=pattern(r"(?i)^[^|]*\|\s*(?:GPU|Board)\s+Name\b.*Bus-?id"),
    columns={
        r"Bus-?id": cells.BUS,
        r"GPU-Util": rf"(?P<utilization>{cells.PERCENT})",
        r"GPU-State": r"(?P<state>\S.*?)",
        r"sGPU-M\w*": r"(?P<sgpu>\S+)",
        r"Persist\w*-M": r"(?P<persistence>\S+)",
        r"Memory-Usage": cells.USED_OF_TOTAL,
        r"(?:Pwr|Power)(?::\s*Usage/Cap)?": cells.POWER,
        r"Temp": rf"(?P<temperature>{cells.CELSIUS})",
        r"Perf": r"(?P<performance>\S+)",
        r"Board": r"(?P<board>\d{1,3})",
        r"GPU": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?P<pid>\d{1,10})\s+(?P<name>\S+(?:\s+\S+)*?)\s+(?P<memory>\d+|N/?A)(?:\s*MiB)?\s*$"
    ),
)

READER: Final = table_reader(
    VENDOR,
    "mx-smi table",
    LAYOUT,
    signs=("MX-SMI", "MetaX System Management", "GPU-Util"),
    own={
        "board": ("board", a.count),
        "performance_state": ("performance", a.word),
        "persistence_mode": ("persistence", a.word),
        "sgpu_mode": ("sgpu", a.word),
        "state": ("state", a.word),
        "health": ("state", health_of),
    },
)
