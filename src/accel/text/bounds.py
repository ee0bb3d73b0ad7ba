"""Limit how much of a long text is read: drop repetitive lines, and lines far from any sign of a fault.

A report of a few pages is read in full. A log of many megabytes is reduced to its beginning, its end, and the lines
around signs of faults in between. Lines that differ only in their numbers are read a few dozen times. Three dots
between blank lines mark each omission.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern
from accel.text.phrase_book import PhraseBook
from accel.text.words import Words

WHOLE: Final = 160_000  # bytes of a text that is read in full: a Chinese character is a word of three bytes
LEAST: Final = 30_000  # bytes of any text that are always read
_ROOM: Final = 64_000  # bytes to read of a longer one
LONGEST_LINE: Final = 10_000  # characters of a line; of a longer one only the beginning and the end are read
_EDGE: Final = 0.3  # share of the excerpt from the beginning, and from the end, of a long text
_MIDDLE: Final = 0.4  # share of it around signs in between
_GAP: Final = ("", "...", "")  # no sentence continues across it
_ALIKE: Final = 30  # lines of one shape
_AROUND: Final = 3  # lines before and after a sign
_SIGNS: Final = (
    *("error", "fail", "fatal", "traceback", "exception", "abort", "killed", "denied", "refused", "not found"),
    *("missing", "mismatch", "unsupported", "incompatible", "too old", "unable", "cannot", "could not", "xid"),
    *("segmentation", "version", "driver", "timeout", "timed out", "out of memory", "no such", "invalid"),
    *("unknown", "warning"),
)
_DIGITS: Final = str.maketrans("123456789", "000000000")
_ZEROS: Final = pattern("0{2,}", exact_case=True)
_CODE: Final = pattern(r"\bS?Xid\b.{0,30}?\):? {0,3}(\d{1,6})")  # the number that distinguishes faults
MOST_WORK: Final = 47_500
_OF_A_LINE: Final = 4  # cost of a line without its sentences, in match attempts


@dataclass(frozen=True, slots=True)
class Bounded:
    """The part of a text that is read.

    left_out  number of non-blank lines that were dropped or truncated
    numbers   line numbers in the whole text, counted from 1; None if they are unchanged
    """

    text: str
    left_out: int = 0
    numbers: Sequence[int] | None = None

    def number(self, line: int | None) -> int | None:
        """Convert a line number of this text to the line number in the whole text."""
        return line if line is None or self.numbers is None else self.numbers[min(line, len(self.numbers)) - 1]

    def within(self, other: "Bounded") -> "Bounded":
        """Return this excerpt of another excerpt as an excerpt of the whole text."""
        if self.numbers is None:
            return Bounded(self.text, self.left_out + other.left_out, other.numbers)
        numbers = [other.number(number) or 1 for number in self.numbers]
        return Bounded(self.text, self.left_out + other.left_out, numbers)


def bounded(text: str, whole: int = WHOLE) -> Bounded:
    """Return the part of a text to read; at most `whole` bytes are read in full, except for very long lines."""
    if len(text) <= LONGEST_LINE:
        return Bounded(text)
    lines = [_line(line) for line in text.split("\n")]
    if _size(text) <= whole:
        return Bounded("\n".join(lines))
    kept = _without_repeats(lines)
    room = min(whole, _ROOM)
    if sum(map(_size, kept)) > room:
        kept = _near_signs(kept, room)
    given = text.split("\n")
    left_out = sum(1 for line, now in zip(given, kept, strict=True) if len(now) < len(line) and not line.isspace())
    out: list[str] = []
    numbers: list[int] = []
    blank = 0
    for number, line in enumerate(kept, 1):
        blank = 0 if line else blank + 1
        if blank <= len(_GAP):
            out.append(_GAP[blank - 1] if blank else line)
            numbers.append(number)
    return Bounded("\n".join(out), left_out, numbers)


def ends(text: str, limit: int) -> Bounded:
    """Return whole lines from the beginning and the end of a text: at most `limit` characters in total, plus a gap.

    Lines are never split, because half a line can be misread: "Xid 31" could become "Xid 3".
    """
    half = limit // 2
    stop = text.rfind("\n", 0, half + 1)
    first = text[: half if stop < 0 else stop]
    start = text.find("\n", len(text) - half - 1) + 1
    last = text[start or len(text) - half :]
    lines = first.count("\n") + 1
    behind = text.count("\n", 0, len(text) - len(last)) + 1  # the number of the first line of the end
    gap = [lines] * (len(_GAP))
    numbers = [*range(1, lines + 1), *gap, *range(behind, behind + last.count("\n") + 1)]
    return Bounded("\n".join((first, *_GAP, last)), max(behind - lines - 1, 0), numbers)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _beginning(line: str, most: int) -> str:
    """Return the longest beginning of a line with at most this many bytes."""
    return line if _size(line) <= most else line.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _line(line: str) -> str:
    if len(line) <= LONGEST_LINE or line.lstrip()[:1] in ("{", "["):
        return line[:WHOLE]
    half = LONGEST_LINE // 2
    return f"{line[:half]} {line[-half:]}"


def _without_repeats(lines: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    kept = []
    for line in lines:
        shape = line[:400].translate(_DIGITS)
        if "00" in shape:
            shape = _ZEROS.sub("0", shape)
        if "xid" in shape.lower() and (code := _CODE.search(line)):
            shape += code[1]
        count = seen[shape] = seen.get(shape, 0) + 1
        kept.append(line if count <= _ALIKE else "")
    return kept


def _near_signs(lines: list[str], whole: int) -> list[str]:
    """Keep the beginning, the end, and the lines around signs of faults in between."""
    edge = int(whole * _EDGE)
    lines = [_beginning(line, edge - 1) for line in lines]
    first = _filled(lines, range(len(lines)), edge)
    last = _filled(lines, range(len(lines) - 1, -1, -1), edge)
    wanted = {*first, *last}
    room = int(whole * _MIDDLE)
    for number, line in enumerate(lines):
        if room <= 0:
            break
        if not line or number in wanted:
            continue
        lower = line.lower()
        if any(sign in lower for sign in _SIGNS):
            around = range(max(0, number - _AROUND), min(len(lines), number + _AROUND + 1))
            near = [at for at in around if at not in wanted]
            room -= sum(_size(lines[at]) + 1 for at in near)
            wanted.update(near)
    return [line if number in wanted else "" for number, line in enumerate(lines)]


def _filled(lines: list[str], order: range, room: int) -> list[int]:
    """Return the numbers of lines, in this order, as long as they fit into the room."""
    taken = []
    for number in order:
        room -= _size(lines[number]) + 1
        if room < 0:
            break
        taken.append(number)
    return taken


def work_of(text: str, books: Iterable[PhraseBook]) -> int:
    """Return an upper bound of the match attempts for a text's sentences and lines; 0 if it is read in full anyway.

    A report of a few pages causes some thousands; about a hundred outputs of tools and reports needed at most 5,000. A
    text in which nearly every word begins a sentence causes hundreds of thousands, without saying more.
    """
    if len(text) <= LEAST:
        return 0
    counts = Counter(Words(text).words)
    return sum(book.tries(counts) for book in books) + _OF_A_LINE * text.count("\n")
