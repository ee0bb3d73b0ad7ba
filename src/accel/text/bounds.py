"""How much of a long text is read: lines that repeat others, and what lies far from any sign of a fault, are left out.

A report of a few pages is read whole. Of a log of many megabytes the first and the last part are, and between them the
lines about those that hold a sign; a line that differs from others only by its numbers is read a few dozen times. What
is left out becomes blank or three dots, so line numbers stay.
"""

import re
from typing import Final

WHOLE: Final = 400_000  # characters of a text that is read as it is
LONGEST_LINE: Final = 20_000  # characters of a line; of a longer one the beginning and the end are read
_EDGE: Final = 120_000  # characters at the beginning and at the end of a long text
_MIDDLE: Final = 160_000  # characters between them, about signs
_ALIKE: Final = 30  # lines of one shape
_AROUND: Final = 3  # lines before and behind a sign
_SIGNS: Final = (
    *(
        "error",
        "fail",
        "fatal",
        "traceback",
        "exception",
        "abort",
        "killed",
        "denied",
        "refused",
        "not found",
        "missing",
    ),
    *("mismatch", "unsupported", "incompatible", "too old", "unable", "cannot", "could not", "xid", "segmentation"),
    *("version", "driver", "timeout", "timed out", "out of memory", "no such", "invalid", "unknown", "warning"),
)
_DIGITS: Final = str.maketrans("123456789", "000000000")
_ZEROS: Final = re.compile("0{2,}")


def bounded(text: str) -> tuple[str, int]:
    """Return what is read of a text, with the same lines, and how many lines that are not blank were left out."""
    if len(text) <= WHOLE:
        return text, 0
    lines = [_line(line) for line in text.split("\n")]
    kept = _without_repeats(lines)
    if sum(map(len, kept)) > WHOLE:
        kept = _near_signs(kept)
    left_out = sum(1 for line, now in zip(lines, kept, strict=True) if line and not now and not line.isspace())
    for number in range(1, len(kept) - 1, 2):  # no long run of blank lines: some expressions try each as a beginning
        kept[number] = kept[number] or "..."
    return "\n".join(kept), left_out


def _line(line: str) -> str:
    if len(line) <= LONGEST_LINE or line.lstrip()[:1] in ("{", "["):
        return line[:WHOLE]
    half = LONGEST_LINE // 2
    return f"{line[:half]} {line[-half:]}"


def _without_repeats(lines: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    kept = []
    for line in lines:
        shape = _ZEROS.sub("0", line[:400].translate(_DIGITS))
        count = seen[shape] = seen.get(shape, 0) + 1
        kept.append(line if count <= _ALIKE else "")
    return kept


def _near_signs(lines: list[str]) -> list[str]:
    """Keep the edges, and what stands about a sign between them."""
    first = _filled(lines, range(len(lines)))
    last = _filled(lines, range(len(lines) - 1, -1, -1))
    wanted = {*first, *last}
    room = _MIDDLE
    for number, line in enumerate(lines):
        if room <= 0:
            break
        if not line or number in wanted:
            continue
        lower = line.lower()
        if any(sign in lower for sign in _SIGNS):
            around = range(max(0, number - _AROUND), min(len(lines), number + _AROUND + 1))
            near = [at for at in around if at not in wanted]
            room -= sum(len(lines[at]) for at in near)
            wanted.update(near)
    return [line if number in wanted else "" for number, line in enumerate(lines)]


def _filled(lines: list[str], order: range) -> list[int]:
    """Return the numbers of the first lines, in an order, that make up an edge."""
    taken, room = [], _EDGE
    for number in order:
        room -= len(lines[number])
        if room < 0:
            break
        taken.append(number)
    return taken
