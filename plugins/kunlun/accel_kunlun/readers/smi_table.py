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

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.grid import Layout, tables
from accel.text.pattern import pattern
from accel_kunlun.model import BACKEND, table_device, table_processes

SOURCE: Final = "xpu-smi table"
_NONE: Final = r"N/?A|ERR!|-+|\?|unknown"
_PERCENT: Final = rf"(?:\d+(?:\.\d+)?\s?%|{_NONE})"
_WATTS: Final = rf"(?:\d+(?:\.\d+)?\s?W|{_NONE})"
_CELSIUS: Final = rf"(?:\d+(?:\.\d+)?\s?(?:°?C|℃)?|{_NONE})"
_MEMORY: Final = rf"(?P<used>\d+(?:\s?Mi?B)?|{_NONE})\s*/\s*(?P<total>\d+(?:\s?Mi?B)?|{_NONE})(?:\s*Mi?B)?"
_L3: Final = _MEMORY.replace("<used>", "<l3_used>").replace("<total>", "<l3_total>")
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
        r"Bus-?id": rf"(?P<bus>(?:[0-9a-f]{{2,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]|{_NONE})",
        r"Disp\.A": r"\S+",
        r"Persist\w*-M": r"\S+",
        r"XPU-Util": rf"(?P<utilization>{_PERCENT})",
        r"Compute M\.": r"(?P<mode>\S.*?)",
        r"SR-IOV M\.": r"(?P<sriov>\S.*?)",
        r"Memory-Usage": _MEMORY,
        r"L3-Usage": _L3,
        r"Pwr(?::\s*Usage/Cap)?": rf"(?P<power>{_WATTS})(?:\s*/\s*(?P<limit>{_WATTS}))?",
        r"Fan": rf"(?P<fan>{_PERCENT})",
        r"Temp": rf"(?P<temperature>{_CELSIUS})",
        r"Perf": r"\S+",
        r"XPU": r"(?P<index>\d{1,3})",
        r"Name": r"(?P<name>\S.*?)",
    },
    process=pattern(
        r"^\s*(?P<index>\d{1,3})\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(?P<pid>\d{1,10})\s+(?:[CGM+]{1,3}\s+)?"
        r"(?P<name>\S.*?)\s+(?P<memory>\d+\s?MiB|N/?A)\s*$"
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


READER: Final = Reader(name=SOURCE, signs=("XPU-RT", "XPU-SMI", "XPU-Util", "XPU  Name"), read=read)
