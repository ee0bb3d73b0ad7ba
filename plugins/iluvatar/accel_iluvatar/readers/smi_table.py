"""The table that `ixsmi` prints without arguments.

    |  IX-ML: 4.3.0       Driver Version: 4.3.0       CUDA Version: 10.2          |
    | GPU  Name                     | Bus-Id               | Clock-SM  Clock-Mem  |
    | Fan  Temp  Perf  Pwr:Usage/Cap|      Memory-Usage    | GPU-Util  Compute M. |
    | 1    Iluvatar BI-V150         | 00000000:13:00.0     | 1500MHz   1600MHz    |
    | N/A  39C   P0    104W / 350W  | 64MiB / 32768MiB     | 0%        Default    |

Seen    3.0.1 to 4.4.0, with BI-V100, BI-V150, BI-V150S, MR-V100. "CUDA Version" is of the interface that CoreX serves,
        and may be N/A; tool and driver versions may differ. The chip of a board that has no sensor prints N/A / N/A.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.grid import Layout, tables
from accel.text.pattern import pattern
from accel_iluvatar.model import BACKEND, table_device, table_processes

SOURCE: Final = "ixsmi table"
_NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
_PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{_NONE})"
_WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{_NONE})"
_CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{_NONE})"
_MEMORY: Final = rf"(?P<used>\d+(?:\s?Mi?B)?|{_NONE})\s*/\s*(?P<total>\d+(?:\s?Mi?B)?|{_NONE})(?:\s*Mi?B)?"
_MEGAHERTZ: Final = rf"(?:\d+\s?MHz|{_NONE})"
LAYOUT: Final = Layout(
    title=pattern(r"\bIX-ML\s*:?\s*v?\d|\bIX-?SMI\s*:?\s*v?\d"),
    said=(
        pattern(r"\bIX-(?:ML|SMI)\s*:?\s*v?(?P<tool>\d[\w.]*)"),
        pattern(r"Driver Version:\s*v?(?P<driver>\d[\w.-]*)"),
        pattern(r"CUDA Version:\s*v?(?P<toolkit>\d[\w.]*)"),
    ),
    own=pattern(r"(?i)^[^|]*\|\s*GPU\s+Name\b.*Clock-SM"),
    head=pattern(r"(?i)^[^|]*\|\s*GPU\s+Name\b.*Bus-?id"),
    columns={
        r"Bus-?id": rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{_NONE})",
        r"GPU-Util": rf"(?P<utilization>{_PERCENT})",
        r"Compute M\.": r"(?P<mode>\S.*?)",
        r"Clock-SM": rf"(?P<sm_clock>{_MEGAHERTZ})",
        r"Clock-Mem": rf"(?P<memory_clock>{_MEGAHERTZ})",
        r"Persist\w*-M": r"\S+",
        r"Memory-Usage": _MEMORY,
        r"Pwr(?::\s*Usage/Cap)?": rf"(?P<power>{_WATTS})(?:\s*/\s*(?P<limit>{_WATTS}))?",
        r"Fan": rf"(?P<fan>{_PERCENT})",
        r"Temp": rf"(?P<temperature>{_CELSIUS})",
        r"Perf": r"(?P<performance>\S+)",
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
        )
        devices = tuple(
            table_device(index, row, driver.version, table_processes(table.processes, index))
            for index, row in sorted(table.rows.items())
        )
        if devices or driver.version:
            report = Report(backend=BACKEND, source=SOURCE, trust=60, driver=driver, devices=devices)
            lines = (table.first_line, table.last_line)
            yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[1])


READER: Final = Reader(name=SOURCE, signs=("IX-ML", "IXSMI", "IX-SMI", "Clock-SM"), read=read)
