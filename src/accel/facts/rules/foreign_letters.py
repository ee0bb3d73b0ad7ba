"""A path with non-ASCII characters that a compiler or a C library could not read."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Complaint, Fact, Missing, Raised
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_PATH: Final = pattern(r"(?:[A-Za-z]:[\\/]|/home/|/Users/)[^\"'\n<>|:*?]{0,200}?[^\x00-\x7f]")
_UNREAD: Final = pattern(
    r"cannot open|can't open|could not open|unable to open|failed to open|no such file|cannot find|not found"
    r"|unicodedecodeerror|unicodeencodeerror|illegal byte sequence|failed to load|cannot access",
)


@rule(
    gives={"path-with-foreign-letters": "a file with non-ASCII letters in its path could not be read"},
    triggers=("complaint", "raised", "missing.file", "missing.header"),
)
def foreign_letters(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a line that reports a file as missing or unreadable under such a path."""
    for one in (*seen.of(Missing), *seen.of(Raised), *seen.of(Complaint)):
        if _PATH.search(one.text) and _UNREAD.search(one.text):
            yield fact_from("path-with-foreign-letters", one)
            return
