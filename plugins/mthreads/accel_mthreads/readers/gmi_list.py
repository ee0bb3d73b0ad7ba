"""The list that `mthreads-gmi -L` prints.

    GPU 0 : MTT S4000 (UUID : bf1da7bf-5c0e-1f2d-8a3b-90c1d2e3f405)

Seen    as torch_musa's environment report and other programs read it: blanks stand around the colons, or not.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_mthreads import VENDOR

SOURCE: Final = "mthreads-gmi -L"
_LINE: Final = pattern(
    r"(?m)^[ \t]*GPU (\d{1,3})[ \t]*:[ \t]*(MTT [\w-]+"
    r"(?: +[\w-]+)*)[ \t]*\(UUID[ \t]*:[ \t]*([0-9A-Fa-f-]{8,})[ \t]*\)[ \t]*$"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all the list's lines."""
    devices = {
        int(found[1]): VENDOR.device(
            int(found[1]),
            name=found[2],
            uuid=found[3],
        )
        for found in _LINE.finditer(text)
    }
    if devices:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=55, devices=tuple(devices.values()))
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=(": MTT ",), read=read)
