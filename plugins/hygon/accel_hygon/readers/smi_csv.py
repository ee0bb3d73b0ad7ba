"""`hy-smi --show… --csv`.

    device,DCU use (%),DCU memory use (%)
    card1,0,0

Seen    DTK 22.10, whose cards count from 1. AMD's rocm-smi has the same format: see smi_facts.py.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_hygon.readers.smi_facts import device, is_hygon, reading

SOURCE: Final = "hy-smi csv"
_ROW: Final = pattern(r"card(\d{1,3})\s*,.*")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all rows; a row with fewer columns than the header is truncated, and skipped."""
    columns: list[str] = []
    cards: dict[int, dict[str, str]] = {}
    for line in text.splitlines():
        if line.strip().startswith("device,"):
            columns = [name.strip() for name in _cells(line)]
        elif columns and (found := _ROW.fullmatch(line.strip())):
            cells = _cells(line)
            if len(cells) == len(columns):
                cards.setdefault(int(found[1]), {}).update(zip(columns, cells, strict=True))
    if any(is_hygon(facts) for facts in cards.values()):
        yield reading(SOURCE, [device(index, facts) for index, facts in sorted(cards.items())], None, 61)


def _cells(line: str) -> list[str]:
    import csv

    return next(csv.reader([line.strip()]), [])


READER: Final = Reader(name=SOURCE, signs=("device,",), read=read)
