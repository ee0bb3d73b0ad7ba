"""nvidia-smi's table of processes, if it appears without the main table or is from an old driver.

    | Compute processes:                                               GPU Memory |
    |    7     69344  python                                              4961MB  |
    |    0   N/A  N/A      4242      C   [Not Found]                       7810MiB |

    │   1   56752 C     N/A 32.34GiB 100   N/A   N/A      N/A  No Such Process │             nvitop

Seen    drivers 304 to 580; gpustat's "(null)", nvitop's "No Such Process".
Notes   gpu-process (gpu, pid, name, bytes), holder-gone (gpu, bytes) for a process that no longer has a name,
        no-processes-listed where the table ends right below its head, as drivers before 440 print it
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "nvidia-smi processes"
_ROW: Final = pattern(
    r"^\s{0,20}\|\s{1,8}(\d{1,2})\s{1,20}(?:(?:N/A|\d{1,9})\s{1,20}(?:N/A|\d{1,9})\s{1,20})?(\d{1,8})\s{1,20}"
    r"(?:[CGM+]{1,4}\s{1,20})?(\S.{0,60}?)\s{1,80}(\d{1,7})\s?Mi?B\s{0,20}\|?\s{0,20}$"
)
_STAT: Final = pattern(
    r"^\s*\[(\d{1,2})\][^|\n]{1,60}\|[^|\n]{1,60}\|\s*(\d{1,7})\s*/\s*(\d{1,7})\s*MB?\s*\|\s*\(null\)", re.IGNORECASE
)
_NVITOP: Final = pattern(
    r"^\s{0,20}[|│]?\s{0,8}(\d{1,2})\s{1,8}(\d{1,8})\s{1,4}[CGX+]{1,3}\s{1,12}\S{1,20}\s{1,8}(\d{1,6}(?:\.\d{1,3})?)([KMG])iB\b"
    r".{1,100}\bNo Such Process\b",
    re.IGNORECASE,
)
_SHIFT: Final = {"k": 10, "m": 20, "g": 30}
_HEAD: Final = pattern(r"^\s{0,20}\|.{0,60}\bPID\b.{0,60}\bProcess name\b", re.IGNORECASE)
_RULE: Final = pattern(r"^\s{0,20}\|={40,}\|\s{0,20}$")
_END: Final = pattern(r"^\s{0,20}\+-{40,}\+\s{0,20}$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the processes of the text."""
    found: list[Noted] = []
    headed, ruled = False, False
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 200:
            continue
        if ruled and _END.match(line):
            found.append(noted("no-processes-listed", line, SOURCE, number))
        ruled = headed and bool(_RULE.match(line))
        headed = bool(_HEAD.match(line)) or (headed and line.lstrip().startswith("|") and not ruled)
        if hit := _ROW.match(line):
            held = int(hit[4]) << 20
            values = {"gpu": hit[1], "pid": hit[2], "name": hit[3], "bytes": str(held)}
            found.append(_noted("gpu-process", line, number, values))
            if re.fullmatch(r"\[?(?:Unknown Error|Not Found)\]?|\(null\)", hit[3], re.IGNORECASE):
                found.append(_noted("holder-gone", line, number, {"gpu": hit[1], "pid": hit[2], "bytes": str(held)}))
        elif hit := _NVITOP.match(line):
            held = int(float(hit[3]) * (1 << _SHIFT[hit[4].lower()]))
            found.append(_noted("holder-gone", line, number, {"gpu": hit[1], "pid": hit[2], "bytes": str(held)}))
        elif hit := _STAT.match(line):
            values = {"gpu": hit[1], "bytes": str(int(hit[2]) << 20), "total": str(int(hit[3]) << 20)}
            found.append(_noted("holder-gone", line, number, values))
    yield from reading_of(SOURCE, found)


def _noted(fact: str, line: str, number: int, values: dict[str, str]) -> Noted:
    return noted(fact, line, SOURCE, number, of=f"nvidia:{int(values['gpu'])}", **values)


READER: Final = Reader(
    name=SOURCE, signs=("MB ", "MiB |", "MB|", "(null)", "Process name", "No Such Process"), read=read
)
