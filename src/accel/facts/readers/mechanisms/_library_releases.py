"""Recognise shared libraries that are there, with the release in their file name.

only libmusa.so.1.5.4 is in /usr/local/musa/lib     a program that wants libmusa.so.4.0 is built for another release
cudnn64_7.dll is in the bin folder                  likewise
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.library_names import library_names
from accel.text.pattern import pattern

_WANTED: Final = pattern(
    r"cannot open|no such file|not found|could(?:n't| not)|failed|error|missing|needed|removed|deleted"
    r"|\bln -s|-name|wants?\b|where|[?？]"
    r"|找不到|没有找到|缺|哪|見つか|없"
)
_MOST: Final = 40


def libraries_shown(page: Page) -> Iterator[Noted]:
    """Yield the libraries with a release that the text shows, on lines that do not say that one is wanted."""
    seen: set[str] = set()
    for number, line in enumerate(page.lines, 1):
        if ".so." not in line and "64_" not in line:
            continue
        for one in library_names(line):
            clause = line[max(0, one.start - 80) : one.end + 40]
            if one.name not in seen and len(seen) < _MOST and not _WANTED.search(clause):
                seen.add(one.name)
                values = (("name", one.name), ("stem", one.stem), ("release", one.release))
                yield Noted(fact="library-release-shown", values=values, **page.on_line(number))
