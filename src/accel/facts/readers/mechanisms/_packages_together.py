"""Recognise two packages of one module that are said to be installed, without their versions.

I had installed both onnxruntime and onnxruntime-gpu
pip list shows tensorflow and tensorflow-gpu
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_NAME: Final = pattern(r"(?<![\w./-])[a-z][a-z0-9]{1,20}(?:[-_][a-z0-9]{1,20}){0,4}(?![\w-])")
_JOINED: Final = pattern(
    r"[`'\"*]{0,2} {0,2}(?:and(?: also)?|und|et|y|e|и|i|ve|as well as|plus|\+|&|,|、|和|与|及|跟|と|및|와|과)"
    r" {0,2}[`'\"*]{0,2}"
)
_THERE: Final = pattern(
    r"\binstalled\b|\binstalliert\b|\binstallés?\b|\binstalad[oa]s\b|\binstallati\b|pip (?:list|freeze)"
    r"|установлены|安装了|装了|都装|同时装|インストール済|両方入|설치되어|설치돼"
)
_NOT: Final = pattern(
    r"\b(?:instead of|(?:do|must|may|should|can) not|remove|removed|uninstall\w*|without|never"
    r"|don't|should|tried|separate|different|before|if)\b"
    r"|不要|卸载|分别|代わりに|[?？]$"
)


def packages_together(page: Page, wheels: Sequence[str]) -> Iterator[Noted]:
    """Yield the first pair of these packages, which are of one module, that a line says are installed."""
    for number, line in enumerate(page.lines, 1):
        if (pair := _pair(line, wheels)) is not None:
            yield Noted(fact="packages-said-together", values=(("names", " ".join(pair)),), **page.on_line(number))
            return


def _pair(line: str, wheels: Sequence[str]) -> tuple[str, str] | None:
    """Return two of these packages that a line joins and says to be installed."""
    found = [name for name in _NAME.finditer(line) if name[0].replace("_", "-").lower() in wheels]
    for one, other in permutations(found, 2):
        joined = one.end() < other.start() and _JOINED.fullmatch(line[one.end() : other.start()])
        if joined and one[0] != other[0] and _THERE.search(line) and not _NOT.search(line.rstrip()):
            return one[0], other[0]
    return None
