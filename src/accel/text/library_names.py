"""The release in the file name of a shared library. Pure."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_NAMES: Final = pattern(
    r"(?<![\w.-])(?:(?P<stem>lib[a-z][\w+-]{1,60}?)\.so\.(?P<release>\d{1,4}(?:\.\d{1,5}){0,3})(?![\w.]*\d)"
    r"|(?P<dll>[a-z][a-z0-9]{2,30}?64)_(?P<of_dll>\d{1,4})\.dll\b)"
)


@dataclass(frozen=True, slots=True)
class LibraryName:
    """A file name with a release: stem "libmusa", release "4.0". start, end: where it is in a text."""

    name: str
    stem: str
    release: str
    start: int
    end: int


def library_names(text: str) -> Iterator[LibraryName]:
    """Yield the names of shared libraries in a text that have a release.

    >>> [(one.stem, one.release) for one in library_names("/opt/lib/libmusa.so.1.5.4, cudnn64_7.dll, libc.so")]
    [('libmusa', '1.5.4'), ('cudnn64', '7')]
    """
    for found in _NAMES.finditer(text):
        stem, release = found["stem"] or found["dll"], found["release"] or found["of_dll"]
        yield LibraryName(found[0], stem.lower(), release, found.start(), found.end())
