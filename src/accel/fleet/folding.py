"""Names of nodes as the field writes them: node[001-017,042], by ClusterShell where it is installed."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from accel.model.errors import BadInput

_MOST: Final = 200_000  # names that one text may spread to
_SHOWN: Final = 12  # names that are listed where they cannot be folded


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
    if nodesets is not None and all(_foldable(name) for name in known):
        return str(nodesets.NodeSet.fromlist(known))
    rest = len(known) - most
    return ", ".join(known[:most]) + (f" and {rest} more" if rest > 0 else "")


def _foldable(name: str) -> bool:
    return bool(name) and all(sign.isalnum() or sign in "-_." for sign in name) and not name.startswith("-")


def unfolded(text: str) -> tuple[str, ...]:
    """Return the names that a text lists, between commas or blanks; ranges in brackets are spread.

    Raises BadInput for a range that is none or spreads to too many, and without ClusterShell for any range.
    """
    if "[" not in text:
        return tuple(word for word in text.replace(",", " ").split() if word)
    nodesets = _nodesets()
    if nodesets is None:
        raise BadInput(f'{text[:60]!r}: ranges of nodes need ClusterShell:  pip install "ClusterShell>=1.9"')
    try:
        found = nodesets.NodeSet(text)
        if len(found) > _MOST:
            raise BadInput(f"{text[:60]!r} spreads to {len(found)} nodes; {_MOST} at most are taken.")
    except nodesets.NodeSetException as error:
        raise BadInput(f"{text[:60]!r}: {error}.") from None
    return tuple(str(name) for name in found)


def can_fold() -> bool:
    """Whether ClusterShell is installed."""
    return _nodesets() is not None
