"""A resolution for people: what fits, the command, and why the rest does not.

Plain text without rich, which alone would take a third of the command's time.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.printable import printable
from accel.resolver.records import Rejected, Resolution

if TYPE_CHECKING:
    from accel.resolver.variants import PublishedVariant


_WIDTH: Final = 110
_SHOWN: Final = 10
_VARIANTS: Final = 4
_OF_THE_MACHINE: Final = ("driver-drives-device", "hardware")  # rules whose sentences are about the devices
_MOST = 5  # number of non-fitting variants to show


def resolution_text(resolution: Resolution, *, verbose: bool) -> str:
    """Return the text, ending in a newline."""
    return "\n".join(_lines(resolution, verbose)) + "\n"


def _lines(resolution: Resolution, verbose: bool) -> Iterator[str]:
    yield f"accel resolve · {resolution.machine}"
    yield ""
    for chosen in resolution.chosen or resolution.fitting:
        build = f" ({chosen.variant})" if chosen.variant else ""
        yield from _wrapped(f"✓ {chosen.package} {chosen.version}{build}: {chosen.why}", "  ")
    if not resolution.chosen:
        what = "The rest does not fit" if resolution.fitting else "Nothing fits"
        yield from _wrapped(f"✗ {what}{_because(resolution)}.", "  ")
    if resolution.command:
        yield ""
        yield f"    {resolution.command}"
    for heading, sentences in (("Note", resolution.notes), ("Assumed", resolution.assumed)):
        if sentences:
            yield ""
            yield heading
            for sentence in sentences:
                yield from _wrapped(f"  · {sentence}", "    ")
    if resolution.changes:
        yield ""
        yield "More with" if resolution.chosen else "What to change"
        for change in resolution.changes:
            yield from _wrapped(f"  · {change.text}", "    ")
            if change.command and change.command not in change.text:
                yield f"        {change.command}"
    yield from _rejected(resolution, verbose)


def _because(resolution: Resolution) -> str:
    """Return the reason, with the build it applies to, unless it is about the machine only."""
    reason = resolution.reason
    if reason is None:
        return ""
    if reason.rule in _OF_THE_MACHINE:
        return f": {reason.because} [{reason.rule}]"
    build = f" ({reason.variant})" if reason.variant else ""
    return f". Nearest is {reason.package} {reason.version}{build}: {reason.because} [{reason.rule}]"


def _rejected(resolution: Resolution, verbose: bool) -> Iterator[str]:
    told = [r for r in resolution.rejected if verbose or r.rule != "hardware"] or list(resolution.rejected)
    if not told:
        return
    yield ""
    yield "Not taken"
    groups = list(_grouped(told))
    for candidates, first in groups if verbose else groups[:_SHOWN]:
        yield from _wrapped(f"  · {candidates}: {first.because} [{first.rule}]", "    ")
    left = len(groups) - _SHOWN
    if left > 0 and not verbose:
        yield f"  · and {left} more groups: --verbose or --json shows all"


def _grouped(rejected: Iterable[Rejected]) -> Iterator[tuple[str, Rejected]]:
    """Yield the names of candidates rejected for the same reason, with one of them, in order of first appearance."""
    groups: dict[tuple[str, str, str], list[Rejected]] = {}
    for r in rejected:
        groups.setdefault((r.package, r.rule, r.because), []).append(r)
    for (package, _, _), members in groups.items():
        versions = list(dict.fromkeys(r.version for r in members))
        variants = list(dict.fromkeys(r.variant for r in members if r.variant))
        span = versions[0] if len(versions) == 1 else f"{versions[-1]} to {versions[0]}"
        more = f" and {len(variants) - _VARIANTS} more" if len(variants) > _VARIANTS else ""
        builds = f" ({', '.join(variants[:_VARIANTS])}{more})" if variants else ""
        yield f"{package} {span}{builds}", members[0]


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


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
