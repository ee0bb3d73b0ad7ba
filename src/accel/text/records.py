"""Detect dated entries of a log that a person keeps: an incident log, a shift book, a chat, a column of dates. Pure.

    Aug 12  node hung, rebooted          09:31  alert raised            gn01,2026-02-14,mw,"remap pending"
    8 月 5 日  主板更换                   老周 10:21  try the other one   | 2026-03-01 | board swapped |
    #12  gorse   15 Jan             polynya » 12 апр, 21:40            [x] Verify
The last three are headers of posts in a thread, and a ticked step of a checklist.
An entry ends where the next one begins. A later entry is newer, whatever it says. A program's log has a time with
seconds on each line; its lines are output, not entries.
"""

from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_MONTH: Final = r"(?:Jan|Feb|M[aä]r|Apr|Ma[yi]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])[a-zé]{0,6}\.?"
_STAMP: Final = pattern(
    r"[ \t]{0,8}(?:[-*•|][ \t]{0,3})?[\[(*]{0,2}(?:"
    r"(?!at )[^\s\d:：,|]{1,20}[ ]{1,2}\d{1,2}:\d\d(?![:\d])"
    r"|\d{4}[-/.]\d\d?[-/.]\d\d?(?![T ]\d\d:\d\d:\d\d)(?:[T ]\d\d[:h]\d\d)?"
    r"|\d{1,2}[:h]\d\d(?![:\d])(?:[ ]?[ap]m)?|\d{1,2}[./]\d{1,2}(?:[./](?:\d{4}|\d\d)?)?(?![\d%])"
    rf"|{_MONTH}[ ]\d{{1,2}}(?!\d)|\d{{1,2}}\.?[ ]{_MONTH}(?![a-z])|{_MONTH}-{_MONTH}"
    r"|\d{1,2}[ ]?月(?:[ ]?\d{1,2}[ ]?日)?|(?:day|week|tag|jour|день)[ ]\d{1,3}|[DT]\+\d{1,4}"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday)?(?![a-z])|周[一二三四五六日]"
    r")[\])*]{0,2}(?=[ \t,:：|–—-]|$)"
)
_DAY: Final = (
    rf"(?:\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|{_MONTH}[ ]\d{{1,2}}"
    rf"|\d{{1,2}}\.?[ ](?:de[ ])?(?:{_MONTH}|[а-я]{{3,8}}"
    r"|avr\w{0,3}|ene\w{0,3}|abr\w{0,3}|ago\w{0,3}|dic\w{0,6})"
    r"|\d{1,2}[ ]?[月월][ ]?\d{1,2}[ ]?[日일])"
)
_POST: Final = pattern(  # a name, perhaps a number before it, then a day and perhaps a time: nothing else on the line
    r"(?=[^\n]{6,70}$)[ \t]{0,4}(?:[-–—#>*]{1,3}[ ]?)?(?:\d{1,4}[ .:]{1,3})?"
    r"(?:[^\W\d][\w.'-]{0,20}[ :,»|·–—]{1,4}){1,4}"
    rf"{_DAY}(?:[ ]\d{{4}})?(?:[, –—·]{{1,3}}(?:um[ ]|at[ ])?\d{{1,2}}[:h]\d\d)?[ :]*$"
    r"|--[ ]\d{1,2}:\d\d[ ]{1,3}[^\W\d][^\n]{1,30}$"
)
_TICKED: Final = pattern(r"[ \t]{0,6}(?:[-*][ ])?\[[xX✓✔]\][ ]\S")
_COLUMN: Final = pattern(r"[^,\n]{1,40},\d{4}-\d\d-\d\d,")
_TABLE_ROW: Final = pattern(r"[^,\n]{0,40},?\d{4}-\d\d-\d\d(?:,|[ ~])|[ \t]{0,4}\|[^|\n]+\|[^|\n]+\|")
_DIGITS: Final = pattern(r"[^\d]")
_LEAST: Final = 3  # minimum number of entries in a log


@dataclass(frozen=True, slots=True)
class Records:
    """The lines, from 1, at which the entries of a log begin; empty if a text has no log.

    are_posts  whether people talk to each other: what one person did may not have helped another
    """

    starts: tuple[int, ...]
    are_posts: bool = False

    def entry(self, line: int) -> int | None:
        """Return the number of the entry that contains a line; None above the first one."""
        found = [number for number, start in enumerate(self.starts) if start <= line]
        return found[-1] if found else None

    def after(self, line: int) -> int | None:
        """Return the line at which the entry after a line's own begins; None if there is none."""
        here = self.entry(line)
        return self.starts[here + 1] if here is not None and here + 1 < len(self.starts) else None


def is_record(line: str) -> bool:
    """Return whether a line is a table row or a dated entry."""
    return is_entry(line) or bool(_TABLE_ROW.match(line))


def is_entry(line: str) -> bool:
    """Return whether a line begins a dated entry or a post, or is a ticked step."""
    return bool(_STAMP.match(line) or _COLUMN.match(line) or _POST.match(line) or _TICKED.match(line))


def records_of(lines: Sequence[tuple[int, str]]) -> Records:
    """Return a text's entries; none if the newest comes first. lines: those that a person may have written."""
    entries = [(number, _DIGITS.sub("", line[:20])) for number, line in lines if is_entry(line)]
    times = [digits for _, digits in entries]
    backwards = times == sorted(times, reverse=True) and times[0] != times[-1] if times else False
    if len(entries) < _LEAST or backwards:
        return Records(())
    return Records(tuple(number for number, _ in entries), sum(bool(_POST.match(line)) for _, line in lines) >= _LEAST)
