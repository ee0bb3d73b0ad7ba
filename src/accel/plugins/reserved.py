"""Decides who owns a check code, its letters or a name: accel itself, or else the first distribution that uses it.

Otherwise a third-party check NV001 would replace the one that everybody means by it, and the faults of a reader with a
known name would be blamed on somebody else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from accel.plugins.discovery import CORE, NAMED, OWN, Installed
from accel.plugins.validation import mistake_of

if TYPE_CHECKING:
    from accel.plugins.catalogue import Catalogue

_One = TypeVar("_One")
_Owner = tuple[str, str]  # a distribution and a plugin
_DIGITS: Final = "0123456789"
_MOST_TOLD: Final = 3


class Reserved:
    """told: what accel's own plugins register, including unused ones; None if that is not recorded."""

    def __init__(self, told: "Catalogue | None") -> None:
        self._taken: dict[tuple[str, str], _Owner] = {}  # by kind and name
        if told is None:
            self._take_core()
        for plugin in told.plugins if told is not None else ():
            owner = (OWN, plugin)
            self._take(owner, "check", told.checks(plugin))  # type: ignore[union-attr]
            self._take(owner, "reader", told.readers(plugin))  # type: ignore[union-attr]
            self._take(owner, "rule", told.rules(plugin))  # type: ignore[union-attr]

    def take(self, plugin: str, kind: str, group: Iterable[Any]) -> None:
        """Reserve what one of accel's own plugins registers."""
        self._take((OWN, plugin), kind, group)

    def unreserved(
        self, plugin: Installed, kind: str, group: Sequence[_One], refuse: Callable[[str], None]
    ) -> Iterator[_One]:
        """Yield those of a third-party plugin's objects that use nobody else's names, and reserve them; reject the
        others, each with one sentence.
        """
        owner = (plugin.distribution if plugin.distribution != NAMED else plugin.name, plugin.name)
        refused: list[str] = []
        for one in group:
            if mistake := mistake_of(kind, one):
                refused.append(f"its {kind} {str(getattr(one, 'name', None))[:60]!r} is left out: {mistake}")
                continue
            why = next((why for key, why in _keys(kind, one) if self._is_others(key, owner)), None)
            if why is None:
                self._take(owner, kind, (one,))
                yield one
                continue
            whose = next(self._taken[key] for key, _ in _keys(kind, one) if self._is_others(key, owner))
            told = f"{one.code} {one.name}" if kind == "check" else repr(one.name)  # type: ignore[attr-defined]
            refused.append(f"its {kind} {told} is ignored: {why} {_named(whose)}'s")
        if refused:
            more = f"; so are {len(refused) - _MOST_TOLD} more" if len(refused) > _MOST_TOLD else ""
            refuse("; ".join(refused[:_MOST_TOLD]) + more)

    def _take_core(self) -> None:
        from accel.checks import core_checks
        from accel.facts.readers import core_readers
        from accel.facts.rules import core_rules

        core = (OWN, CORE)
        self._take(core, "check", core_checks())
        self._take(core, "reader", core_readers())
        self._take(core, "rule", core_rules())

    def _take(self, owner: _Owner, kind: str, group: Iterable[Any]) -> None:
        for one in group:
            for key, _ in _keys(kind, one):
                self._taken.setdefault(key, owner)

    def _is_others(self, key: tuple[str, str], owner: _Owner) -> bool:
        """Return whether a name belongs to another distribution; a plugin that replaces accel's own owns its names."""
        other = self._taken.get(key)
        if other is None:
            return False
        if other == owner:
            return key[0] == "code"
        if other[0] == owner[0]:
            return key[0] != "letters"
        return other[1] != owner[1]


def _keys(kind: str, one: Any) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what an object reserves for its plugin, each with its wording in a sentence."""
    if kind == "check":
        letters = str(one.code).rstrip(_DIGITS)
        yield ("code", str(one.code)), "the code is"
        yield ("letters", letters), f"codes with {letters} are"
    yield (kind, str(one.name)), f"the name {one.name} is" if kind == "check" else "the name is"


def _named(owner: _Owner) -> str:
    distribution, plugin = owner
    return distribution if distribution == OWN and plugin == CORE else f"{distribution} ({plugin})"
