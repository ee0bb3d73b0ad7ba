"""A row of nvidia-smi's table in which neither fan nor power could be read.

    |ERR!   36C    P0              ERR! / 300W |   1234MiB / 24564MiB |     ERR!     Default |

Seen    drivers 375 to 580. One of the two is usual: boards without fans, laptops without power readings.
Notes   gpu-row-unreadable
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "nvidia-smi"
_ROW: Final = pattern(r"^\s*\|\s{0,3}ERR!\s[^|\n]{0,60}?\bERR!?[^|\n]{0,40}\|", 2)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with such rows."""
    yield from reading_of(
        SOURCE,
        (
            noted("gpu-row-unreadable", line, SOURCE, number)
            for number, line in enumerate(text.split("\n"), 1)
            if len(line) < 400 and _ROW.search(line)
        ),
    )


READER: Final = Reader(name="nvidia-smi rows in error", signs=("ERR!",), read=read)
