"""Node ranges in the usual notation, node[001-017,042], by ClusterShell if it is installed.

Groups ("@all") are not resolved: ClusterShell would run the commands that its configuration names.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from accel.model.errors import BadInput

_MOST: Final = 200_000  # names that one text may spread to
_SHOWN: Final = 12  # names listed if they cannot be folded
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
_ADDRESS: Final = re.compile(r"\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%\w+)?\]")  # of IPv6
_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")
_RANGE: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?(?:/(\d{1,9}))?")


@cache
def _nodesets() -> Any:
    try:
        from ClusterShell import NodeSet
    except ImportError:
        return None
    return NodeSet


def folded(names: Iterable[str], most: int = _SHOWN) -> str:
    """Return names as one text: folded by ClusterShell, else the first `most` of them and how many more."""
    known = list(names)
    nodesets = _nodesets()
    if nodesets is None:
        return _listed(known, most)
    plain = [name for name in known if _NAME.fullmatch(name)]
    others = [name for name in known if not _NAME.fullmatch(name)]
    if not plain:
        return _listed(others, most)
    text = str(nodesets.NodeSet.fromlist(plain, resolver=nodesets.RESOLVER_NOGROUP))
    return f"{text}, {_listed(others, most)}" if others else text


def _listed(names: list[str], most: int) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def unfolded(text: str) -> tuple[str, ...]:
    """Return the names in a text, separated by commas or spaces, with ranges in brackets expanded.

    Raises BadInput for an invalid or too large range, and without ClusterShell for any range.
    """
    return tuple(name for word in _words(text) for name in _names(word))


def _words(text: str) -> list[str]:
    """Split a list of nodes at its commas and blanks, except inside brackets."""
    words, inside = [""], False
    for char in text:
        inside = char == "[" or (inside and char != "]")
        if inside or not (char == "," or char.isspace()):
            words[-1] += char
        elif words[-1]:
            words.append("")
    return [word for word in words if word]


def _names(word: str) -> tuple[str, ...]:
    if "[" not in word or _ADDRESS.search(word):
        return (word,)
    if _spread(word) > _MOST:
        raise BadInput(f"{word[:60]!r} is no range, or spreads to more than {_MOST} nodes.")
    nodesets = _nodesets()
    if nodesets is None:
        raise BadInput(f'{word[:60]!r}: ranges of nodes need ClusterShell:  pip install "ClusterShell>=1.9"')
    try:
        found = nodesets.NodeSet(word, resolver=nodesets.RESOLVER_NOGROUP)
    except nodesets.NodeSetException as error:
        raise BadInput(f"{word[:60]!r}: {error}.") from None
    return tuple(str(name) for name in found)


def _spread(text: str) -> int:
    """Return an upper bound of how many names a text expands to, without expanding it."""
    count = 1
    for inside in _BRACKETS.findall(text):
        count *= max(sum(_size(part) for part in inside.split(",")), 1)
    return count


def _size(part: str) -> int:
    found = _RANGE.fullmatch(part.strip())
    if found is None:
        return 1 if part.strip().isdecimal() else _MOST + 1 if "-" in part else 1
    return abs(int(found[2] or found[1]) - int(found[1])) + 1
