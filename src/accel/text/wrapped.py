"""Join lines that a mail program, a form or a terminal wrapped at a blank.

A text was wrapped at some width if no line of several words is longer, and if lines break inside a sentence, a row or a
command. Then a line continues on the next if the next line's first word did not fit. It never continues on a line that
begins like a new one: with an indentation, a prompt, a time, a bullet, a label, an exception.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from accel.text.bounds import Bounded
from accel.text.clean import log_prefix
from accel.text.pattern import pattern

_NARROWEST: Final = 50  # characters
_SURE: Final = 2
_WIDEST: Final = 132  # of a terminal; longer lines were not wrapped
_NEW: Final = pattern(
    r"\s|[$#%>❯➜λ] |>>>|[-*•+=] |[-+=*~_]{3}|[\w.-]{1,60}@[\w.-]{1,60}|\[(?![0-9a-f]{4}[:\]])|\(\w+\)(?:[ :]|$)|<"
    r"|\d{4}-\d\d|\d\d:\d\d|\d{1,3}[.)] "
    r"|File \"|Traceback|(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning)\b|(?:ERROR|WARN|INFO|FATAL|DEBUG)\b|E: "
    r"|[bcdlps-](?:[r-][w-][xsS-]){2}|[A-Z][\w /().-]{0,40}:(?: |$)|[\w-]{1,40}: ",
    exact_case=True,
)
_ADDRESS: Final = pattern(r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[01][0-9a-f]\.[0-7] [A-Z0-9]")
_REVISION: Final = pattern(r"\(rev [0-9a-f]{2}\)[ \t]{0,4}(?:\(prog-if [^)\n]{1,40}\))?$")  # which ends a line of lspci
_FRAME: Final = pattern(r"line \d{1,7}(?:,|$)", exact_case=True)
_BARS: Final = "|│║"
_MIDST: Final = (
    pattern(  # how no line begins: with an option, a word of a sentence's middle, the numbers of a PCI device
        r"--?[a-z][\w-]{0,40}(?:[= ]|$)|(?:of|than|to|for|with|in|on|at|by|from|as|be) "
        r"|\[[0-9a-f]{4}:[0-9a-f]{4}\]",
        exact_case=True,
    )
)
_VALUED: Final = pattern(r" --?[a-z][\w-]{0,30}$")
_CLOSES: Final = pattern(r"[^()\[\]]*[)\]]")
_ENDS: Final = (".", "!", "?", ":", ";", "...")
# How a line ends that is surely broken, and how one ends that may be.
_OPEN: Final = pattern(
    r"(?:(?:^| )(?:of|to|for|the|an?|in|at|is|are|was|were|than|and|or|by|with|without|on|from|not|be|has|have|which"
    r"|that|this|your|could|cannot|can't|because|version|--?[a-z][\w-]{0,30})|[(,\[])$"
)
_WORDS: Final = pattern(r"[a-z]{2,} [a-z]{2,}$", exact_case=True)
_ON: Final = pattern(r"[a-z]{2,}(?:[ ,)]|[.]?$)", exact_case=True)


def unwrapped(text: str) -> Bounded:
    """Return the text with its wrapped lines joined, each with the number of its first line."""
    lines = text.split("\n")
    width = 0
    for line in lines:
        if len(line) > width and " " in line.strip():
            width = len(line)
            if width > _WIDEST:
                return Bounded(text)
    go_on = _is_cut if width < _NARROWEST else partial(_may_go_on, width=width)
    broken = [number for number in range(len(lines) - 1) if go_on(lines[number], lines[number + 1])]
    if sum(_goes_on(lines[number], lines[number + 1]) for number in broken) < _SURE:
        return Bounded(text)
    return _joined(lines, frozenset(broken))


def _may_go_on(line: str, following: str, width: int) -> bool:
    """Return whether the next line's first word did not fit on this line, so that it may continue it."""
    if not line or not following:
        return False
    if line[0] in _BARS:  # wherever it was wrapped, because the blanks between its columns were lost
        return _is_row_cut(line, following)
    if len(line) + 1 + len(following.split(None, 1)[0]) <= width or following[0] in _BARS:
        return False
    if _ADDRESS.match(following):  # of lspci, which begins each board with one
        return False
    if _is_cut(line, following):
        return True
    return not _NEW.match(following) and not log_prefix(following) and (_is_open(line) or not line.endswith(_ENDS))


def _goes_on(line: str, following: str) -> int:
    """Return how surely a line continues on the next, up to _SURE: it ends inside a row, a sentence, brackets."""
    if line[0] in _BARS or _is_cut(line, following):
        return _SURE
    if _MIDST.match(following) or (_is_open(line) and _CLOSES.match(following)):
        return _SURE
    if following[0] == "/":
        return int(bool(_VALUED.search(line)))
    if not (_ON.match(following) or following[0].isdecimal() or line[-1] in ",(["):
        return 0
    return _SURE if _OPEN.search(line) else int(bool(_WORDS.search(line))) + bool(log_prefix(line))


def _is_row_cut(line: str, following: str) -> bool:
    """Return whether the next line has the rest of a table row: its columns, or its closing bar."""
    return line[-1] not in _BARS and (
        following == line[0] or (following[0] not in "|│║+╞├╘└" and following[-1] == line[0])
    )


def _is_cut(line: str, following: str) -> bool:
    """Return whether a line continues on the next, whatever the width of the text."""
    return bool(line and following) and (_is_board_cut(line, following) or _is_frame_cut(line, following))


def _is_board_cut(line: str, following: str) -> bool:
    """Return whether the next line is the rest of a line of lspci: it has neither an address nor an indentation."""
    if _ADDRESS.match(line) is None or _ADDRESS.match(following) or following[0] in " \t$#>":
        return False
    if _REVISION.search(line):  # below a complete line it is the rest of another one, whose beginning is lost
        return False
    return not _NEW.match(following) and not log_prefix(following)


def _is_frame_cut(line: str, following: str) -> bool:
    """Return whether a frame of a traceback, 'File "a.py", line 7', continues on the next line."""
    if following[0] == '"':
        return line.strip() == "File"
    return line.endswith('",') and _FRAME.match(following) is not None


def _is_open(line: str) -> bool:
    return any(line.rfind(opening) > line.rfind(closing) for opening, closing in ("()", "[]"))


def _joined(lines: Sequence[str], broken: frozenset[int]) -> Bounded:
    out: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines):
        if number - 1 in broken:
            out[-1] += f" {line}"
        else:
            out.append(line)
            numbers.append(number + 1)
    return Bounded("\n".join(out), numbers=numbers)
