"""Results of the CUDA sample p2pBandwidthLatencyTest: copies between GPUs, with and without peer access.

    Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
       D\\D     0      1
         0 673.20  13.15
         1  12.99 673.20
    Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
       D\\D     0      1
         0 673.49   2.60
         1   2.12 672.33
    P2P=Enabled Latency (P2P Writes) Matrix (us)
       GPU     0      1
         0   1.60 49204.81

Seen    CUDA samples 9 to 13. If peer access makes copies slower, or latencies are milliseconds, traffic between the
        GPUs takes a different path than their direct one.
Notes   peer-copies-slower (pair: "0 1"; with_peer, without_peer: GB/s or microseconds;
        of_what: "bandwidth" or "latency")
Left out  pairs with a missing figure; the diagonal, which is a GPU's own memory
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "p2pBandwidthLatencyTest"
_TITLE: Final = pattern(
    r"^\s*(?:(?P<way>Unidirectional|Bidirectional)\s{0,9})?P2P\s?=\s?(?P<on>Enabled|Disabled)\s+(?P<of>Bandwidth|Latency)\b",
    re.IGNORECASE,
)
_HEADER: Final = pattern(r"^\s*(?:D\\D|GPU)((?:\s+\d{1,2}){2,32})\s*$", re.IGNORECASE)
_ROW: Final = pattern(r"^\s*(\d{1,2})((?:\s+\d{1,9}(?:\.\d{1,4})?){1,32})\s*$")
_SLOWER: Final = 0.5  # share of the bandwidth through the host: less with peer access is not noise
_LEAST_WITHOUT: Final = 1.0  # GB/s: below it the path through the host is broken
_LATER: Final = 10.0  # times the latency through the host
_LEAST_LATENCY: Final = 100.0  # microseconds; peer access takes 1 to 3
_MOST: Final = 4

Matrix = dict[tuple[int, int], float]


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPU pairs for which peer access makes things worse."""
    lines = text.split("\n")
    matrices: dict[tuple[str, str, str], tuple[int, Matrix]] = {}
    for number, line in enumerate(lines):
        if title := _TITLE.match(line):
            key = ((title["way"] or "").lower(), title["of"].lower(), title["on"].lower())
            matrices.setdefault(key, (number, _matrix(lines, number + 1)))
    found = []
    for (way, of, on), (number, enabled) in matrices.items():
        disabled = matrices.get((way, of, "disabled"))
        if on == "enabled" and disabled is not None:
            found += list(_worse(of, lines[number], number + 1, enabled, disabled[1]))
    yield from reading_of(SOURCE, found[:_MOST])


def _worse(of: str, line: str, number: int, enabled: Matrix, disabled: Matrix) -> Iterator[Noted]:
    for (row, column), value in sorted(enabled.items()):
        other = disabled.get((row, column))
        if other is None or row == column:
            continue
        slower = of == "bandwidth" and other >= _LEAST_WITHOUT and value < _SLOWER * other
        later = of == "latency" and value >= _LEAST_LATENCY and value > _LATER * other
        if slower or later:
            shown = f"{line.strip()} GPU {row} to GPU {column}: {value:g}, without peer access {other:g}"
            values = {"with_peer": f"{value:g}", "without_peer": f"{other:g}"}
            yield noted("peer-copies-slower", shown, SOURCE, number, pair=f"{row} {column}", of_what=of, **values)


def _matrix(lines: list[str], first: int) -> Matrix:
    """Return the figures of the matrix whose header is one of the next lines."""
    header = _HEADER.match(lines[first]) if first < len(lines) else None
    if header is None:
        return {}
    columns = [int(column) for column in header[1].split()]
    found: Matrix = {}
    for line in lines[first + 1 : first + 1 + len(columns)]:
        row = _ROW.match(line)
        if row is None:
            break
        for column, value in zip(columns, row[2].split(), strict=False):
            found[int(row[1]), column] = float(value)
    return found


READER: Final = Reader(name=SOURCE, signs=("P2P=Enabled", "P2P = Enabled"), read=read)
