"""Parse Python tracebacks: the exception, its message, and the files in its frames.

    Traceback (most recent call last):
      File "/env/lib/python3.10/site-packages/torch_npu/__init__.py", line 19, in <module>
    ImportError: libhccl.so: cannot open shared object file: No such file or directory

A last line on its own counts too, even after a log level ("ERROR 05-19 [engine.py:448] AttributeError: …").
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Frame, Raised
from accel.text.pattern import pattern

_START: Final = pattern(r"\s{0,80}Traceback \(most recent call last\)", re.IGNORECASE)
_FRAME: Final = pattern(r"\s{0,80}File \"([^\"\n]{1,400})\", line \d+(?:, in (\S{1,200}))?", re.IGNORECASE)
_CLASS: Final = (
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,6}[A-Za-z]\w{0,60}?"
    r"(?:Error|Exception|Interrupt|NotFound|Exit|Failed|Timeout)(?:_\w{1,60})?)"
)
_LAST: Final = pattern(  # also after a log level and location
    r"(?:^|[\s\]:)\"'(=])" + _CLASS + r"[:：(] ?(?P<text>.{0,2000})$", re.IGNORECASE
)
_LAST_BARE: Final = pattern(r"\s{0,80}" + _CLASS + r"\s{0,20}$", re.IGNORECASE)
_IN_FRAMES: Final = pattern(  # a class with any name, if a traceback is above
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,6}[A-Za-z]\w{1,80})(?:[:：] ?(?P<text>.{0,2000}))?$"
)
_SITE: Final = pattern(r"(?:site|dist)-packages[\\/]([A-Za-z_][\w]{0,100})(?:[\\/.](\S{0,300}))?", re.IGNORECASE)
_SOURCE: Final = pattern(r"(?:^|[\s>|])(?:raise|except)\s{1,3}\(?$")  # a line of the program that is quoted, not said
_CHAINED: Final = ("during handling of", "the above exception")
_LONGEST_LINE: Final = 4000
_MOST: Final = 60  # maximum exceptions per text
_MESSAGE_LINES: Final = 6


def exceptions_in(page: Page) -> tuple[Raised, ...]:
    """Return the exceptions in the order of the text."""
    return page.once("exceptions", _exceptions)


def exception_at(page: Page, line: int) -> Raised | None:
    """Return the exception whose traceback or message contains a line."""
    found = (one for one in exceptions_in(page) if one.line and one.line <= line <= (one.last_line or one.line))
    return next(found, None)


def _exceptions(page: Page) -> Iterator[Raised]:
    """Yield each exception once: its last line, with the frames above it."""
    frames: list[Frame] = []
    began = 0
    seen: set[tuple[str, str, bool]] = set()
    skip_to = 0
    for number, line in enumerate(page.lines, 1):
        if number <= skip_to or not line.strip() or len(line) > _LONGEST_LINE:
            continue
        if _START.match(line) or (_START.search(line) and "File" not in line):
            frames, began = [], number
            continue
        if found := _FRAME.search(line):
            frames.append(_frame(found[1], found[2]))
            began = began or number
            continue
        ending = _ending(line, bool(frames))
        if ending is None:
            if frames and not line[:1].isspace() and number - began > 400:
                frames, began = [], 0
            continue
        kind, said = ending
        last = _last_line(page.lines, number)
        said = " ".join([said, *(text.strip() for text in page.lines[number:last])]).strip()[:1000]
        if (kind, said, bool(frames)) not in seen:
            seen.add((kind, said, bool(frames)))
            quoted = " ".join(" ".join(page.lines[number - 1 : last]).split())[:1000]
            yield Raised(
                text=quoted, line=began or number, last_line=last, exception=kind, message=said, frames=tuple(frames)
            )
            if len(seen) >= _MOST:
                return
        frames, began, skip_to = [], 0, last


def recognise(page: Page) -> Iterator[Raised]:
    yield from exceptions_in(page)


def module_of(path: str) -> str | None:
    """Return the importable name of an installed file: "torch_npu" for "…/site-packages/torch_npu/__init__.py"."""
    found = _SITE.search(path)
    return found[1] if found else None


def _frame(file: str, function: str | None) -> Frame:
    return Frame(file=file, function=function, module=module_of(file))


def _ending(line: str, in_frames: bool) -> tuple[str, str] | None:
    """Return the exception's type and message if a line is the last of a traceback."""
    found = _LAST.search(line) or _LAST_BARE.match(line)
    if found is not None and _SOURCE.search(line[: found.start("type")]):
        return None
    if found is None and in_frames and not line[:1].isspace():
        found = _IN_FRAMES.match(line.rstrip())
    if found is None:
        return None
    return found["type"], (found.groupdict().get("text") or "").strip()


def _last_line(lines: Sequence[str], number: int) -> int:
    """Return the last line of a message: the one before the next blank line, frame or traceback."""
    last = number
    for line in lines[number : number + _MESSAGE_LINES]:
        if (
            not line.strip()
            or _START.search(line)
            or _FRAME.search(line)
            or _ending(line, False)
            or line.lower().startswith(_CHAINED)
            or line.lstrip()[:1] in "$+|[#>"
        ):
            break
        last += 1
    return last
