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

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.grid import Layout, tables
from accel.text.pattern import pattern
from accel_metax.model import BACKEND, table_device, table_processes

SOURCE: Final = "mx-smi table"
_NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
_PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{_NONE})"
_WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{_NONE})"
_CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{_NONE})"
_MEMORY: Final = rf"(?P<used>\d+(?:\s?Mi?B)?|{_NONE})\s*/\s*(?P<total>\d+(?:\s?Mi?B)?|{_NONE})(?:\s*Mi?B)?"

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
        r"Bus-?id": rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{_NONE})",
        r"GPU-Util": rf"(?P<utilization>{_PERCENT})",
        r"GPU-State": r"(?P<state>\S.*?)",
        r"sGPU-M\w*": r"(?P<sgpu>\S+)",
        r"Persist\w*-M": r"(?P<persistence>\S+)",
        r"Memory-Usage": _MEMORY,
        r"(?:Pwr|Power)(?::\s*Usage/Cap)?": rf"(?P<power>{_WATTS})(?:\s*/\s*(?P<limit>{_WATTS}))?",
        r"Temp": rf"(?P<temperature>{_CELSIUS})",
        r"Perf": r"(?P<performance>\S+)",
        r"Board": r"(?P<board>\d{1,3})",
        r"GPU": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?P<pid>\d{1,10})\s+(?P<name>\S.*?)\s+(?P<memory>\d+|N/?A)\s*(?:MiB)?\s*$"
    ),
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading a table; rows that cannot be read are left out."""
    for table in tables(text, LAYOUT):
        said = table.said
        driver = Driver(
            version=a.word(said.get("driver")),
            library_version=a.word(said.get("tool")),
            toolkit_version=a.word(said.get("toolkit")),
            firmware_version=a.word(said.get("firmware")),
        )
        devices = tuple(
            table_device(index, row, driver.version, table_processes(table.processes, index))
            for index, row in sorted(table.rows.items())
        )
        if devices or driver.version:
            report = Report(backend=BACKEND, source=SOURCE, trust=60, driver=driver, devices=devices)
            lines = (table.first_line, table.last_line)
            yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[1])


READER: Final = Reader(name=SOURCE, signs=("MX-SMI", "MetaX System Management", "GPU-Util"), read=read)
