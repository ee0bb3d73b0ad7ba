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

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.grid import Layout, tables
from accel.text.pattern import pattern
from accel_enflame.model import BACKEND, table_device, table_processes

SOURCE: Final = "efsmi table"
_NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
_PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{_NONE})"
_WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{_NONE})"
_CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{_NONE})"
_MEMORY: Final = rf"(?:(?P<used>\d+(?:\s?Mi?B)?)\s*/\s*)?(?P<total>\d+\s?Mi?B|{_NONE})"
LAYOUT: Final = Layout(
    title=pattern(r"Enflame System Management Interface|\bEFSMI\s*:?\s*V?\d"),
    said=(
        pattern(r"\bEFSMI\s*:?\s*[Vv]?(?P<tool>\d[\w.]*)"),
        pattern(r"Driver Ver(?:sion)?\s*:\s*[Vv]?(?P<driver>\d[\w.-]*)"),
    ),
    own=pattern(r"(?i)^[^|]*\|\s*DEV\s+NAME\b.*\bBUS-?ID\b"),
    head=pattern(r"(?i)^[^|]*\|\s*DEV\s+NAME\b"),
    columns={
        r"(?:Boot )?FW VER": r"(?P<firmware>\S+)",
        r"Bus-?id": rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{_NONE})",
        r"ECC": r"(?P<ecc>\S+)",
        r"(?:Pwr|Power)(?:\(Usage/Cap\)|:\s*Usage/Cap)?": rf"(?P<power>{_WATTS})(?:\s*/?\s*(?P<limit>{_WATTS}))?",
        r"Temp": rf"(?P<temperature>{_CELSIUS})",
        r"Dpm|Lpm": r"(?P<level>\S+)",
        r"Mem": _MEMORY,
        r"GCU Virt": r"(?P<virtual>\S+)",
        r"DUsed": rf"(?P<utilization>{_PERCENT})",
        r"SN": r"(?P<serial>\S+)",
        r"DEV": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(r"^\s*(?P<index>\d{1,3})\s+(?P<pid>\d{1,10})\s+(?P<name>\S.*?)\s+(?P<memory>\d+\s?MiB|N/?A)\s*$"),
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading a table; rows that cannot be read are left out."""
    for table in tables(text, LAYOUT):
        said = table.said
        driver = Driver(
            version=a.word(said.get("driver")),
            library_version=a.word(said.get("tool")),
            toolkit_version=a.word(said.get("toolkit")),
        )
        devices = tuple(
            table_device(index, row, driver.version, table_processes(table.processes, index))
            for index, row in sorted(table.rows.items())
        )
        if devices or driver.version:
            report = Report(backend=BACKEND, source=SOURCE, trust=60, driver=driver, devices=devices)
            lines = (table.first_line, table.last_line)
            yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[1])


READER: Final = Reader(name=SOURCE, signs=("EFSMI", "Enflame System Management", "GCU Virt"), read=read)
