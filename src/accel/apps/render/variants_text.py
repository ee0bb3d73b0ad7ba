"""The published wheel variants of a release, as lines."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.resolver.variants import PublishedVariant

_MOST = 5  # number of non-fitting variants to show


def variants_lines(found: "Sequence[PublishedVariant]", *, verbose: bool = False) -> Iterator[str]:
    """Yield the variant an installer would choose, then others that fit, undecided ones, and those that do not fit."""
    fit = [one for one in found if one.fits]
    if fit:
        yield f"An installer would choose {printable(fit[0].label)}."
        yield from (f"    {printable(why)}" for why in fit[0].why)
        if not fit[0].properties:
            yield "    It has no properties: it is the build that runs everywhere."
    else:
        yield "No variant fits for certain."
    open_ones = [one for one in found if one.fits is None]
    for title, group in (
        ("Fits too", fit[1:]),
        ("Cannot be told", open_ones),
        ("Does not fit", [one for one in found if one.fits is False]),
    ):
        shown = group if verbose else group[:_MOST]
        for one in shown:
            yield f"{title}: {printable(one.label)}"
            if one.fits is not True or verbose:
                yield from (f"    {printable(why)}" for why in one.why)
        if len(group) > len(shown):
            yield f"{title}: {len(group) - len(shown)} more; --verbose shows them"
