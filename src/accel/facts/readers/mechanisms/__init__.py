"""Mechanisms recognise statements that many programs and people make in similar words, and yield observations.

A module in this folder with `recognise` is picked up automatically. Mechanisms know no vendors: the tables of the spec
database say who owns an error, a library or a product.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from accel.model.device import Gap
from accel.vendors.toolkit.members import module_names

if TYPE_CHECKING:
    from accel.facts.readers.page import Page
    from accel.model.observation import Observation

Recogniser = Callable[["Page"], "Iterable[Observation]"]


@cache
def recognisers() -> tuple[tuple[str, Recogniser], ...]:
    """Return the mechanisms of this folder, ordered by file name."""
    named = ((name, getattr(import_module(f"{__name__}.{name}"), "recognise", None)) for name in module_names(__path__))
    return tuple((name, recognise) for name, recognise in named if recognise is not None)


def recognised(page: "Page", only: Collection[str] = ()) -> "Iterator[Observation | Gap]":
    """Yield what every mechanism recognises; a mechanism that raises gives a gap. only: run these, by name."""
    for name, recognise in recognisers():
        if only and name not in only:
            continue
        try:
            yield from recognise(page)
        except Exception as error:  # whatever the text contains, the other mechanisms continue
            reason = f"reading {name} broke: {type(error).__name__}: {error}; please report it to accel"
            yield Gap(fact=name, reason=reason, source=name)
