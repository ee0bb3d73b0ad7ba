"""The table that `efsmi` prints without arguments.

    | EFSMI: 1.6.3.12          Driver Ver: 1.6.3.12                               |
    | DEV    NAME                 | FW VER            | BUS-ID      ECC           |
    | TEMP   Lpm   Pwr(Usage/Cap) | Mem      GCU Virt | DUsed       SN            |
    | 1      Enflame S60G         | 31.5.3            | 00:2f:00.0  Disable       |
    | 34℃    LP0      N/A         | 23552MiB  SRIOV   | 0%          A018K30000000 |

Seen    1.2.0 (title without a colon, "Dpm", power without a slash), 1.6.3, 1.7.2 ("Boot FW VER",
        temperature with or without a unit). Mem is the size: what is used is not printed. The bus id's domain has two
        digits.
"""

from typing import Final

from accel.text import amounts as a
from accel.text import cells
from accel.text.grid import Layout
from accel.text.pattern import pattern
from accel.vendors.toolkit.table_reader import table_reader
from accel_enflame import VENDOR

_MEMORY: Final = rf"(?:(?P<used>\d+(?:\s?Mi?B)?)\s*/\s*)?(?P<total>\d+\s?Mi?B|{cells.NONE})"
LAYOUT: Final = Layout(
    title=pattern(r"Enflame System Management Interface|\bEFSMI(?:\s*:)?\s*V?\d"),
    said=(
        pattern(r"\bEFSMI(?:\s*:)?\s*[Vv]?(?P<tool>\d[\w.]*)"),
        pattern(r"Driver Ver(?:sion)?\s*:\s*[Vv]?(?P<driver>\d[\w.-]*)"),
    ),
    own=pattern(r"(?i)^[^|]*\|\s*DEV\s+NAME\b.*\bBUS-?ID\b"),
    head=pattern(r"(?i)^[^|]*\|\s*DEV\s+NAME\b"),
    columns={
        r"(?:Boot )?FW VER": r"(?P<firmware>\S+)",
        r"Bus-?id": cells.BUS,
        r"ECC": r"(?P<ecc>\S+)",
        r"(?:Pwr|Power)(?:\(Usage/Cap\)|:\s*Usage/Cap)?": cells.POWER.replace("/", "/?"),
        r"Temp": rf"(?P<temperature>{cells.CELSIUS})",
        r"Dpm|Lpm": r"(?P<level>\S+)",
        r"Mem": _MEMORY,
        r"GCU Virt": r"(?P<virtual>\S+)",
        r"DUsed": rf"(?P<utilization>{cells.PERCENT})",
        r"SN": r"(?P<serial>\S+)",
        r"DEV": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?P<pid>\d{1,10})\s+(?P<name>\S+(?:\s+\S+)*)\s+(?P<memory>\d+\s?MiB|N/?A)\s*$"
    ),
)

READER: Final = table_reader(
    VENDOR,
    "efsmi table",
    LAYOUT,
    signs=("EFSMI", "Enflame System Management", "GCU Virt"),
    own={
        "serial": ("serial", a.word),
        "firmware_version": ("firmware", a.word),
        "ecc_mode": ("ecc", a.word),
        "power_mode": ("level", a.word),
        "virtualization": ("virtual", a.word),
    },
)
