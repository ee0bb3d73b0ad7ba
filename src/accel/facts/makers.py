"""Which vendors' accelerators a text shows, and which tools belong to others. Pure.

Radeon RX 7900, a driver's version      amd: named, or listed by a tool
torch 2.6.0+xpu                         intel: a build that is for one vendor; CUDA's, the default, shows nothing
macOS                                   apple

Without any, nothing is known, and nothing is of another vendor.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from accel.facts.questions import Facts
from accel.facts.readers.mechanisms.subjects import FACT as SUBJECT
from accel.facts.readers.mechanisms.subjects import first_word
from accel.specs import Specs
from accel.text.pattern import pattern

_QUOTED: Final = pattern(r"'[^']{0,400}'|\"[^\"]{0,400}\"", exact_case=True)


def makers_shown(facts: Facts, specs: Specs) -> frozenset[str]:
    """Return the backends whose accelerators are listed or named, or that the system or a build is for."""
    listed = {device.backend for device in facts.accelerators}
    listed |= {report.backend for report in facts.snapshot.reports if report.driver and report.driver.version}
    named = {
        maker
        for maker, names in specs.hints.named_by.items()
        if any(not is_about_others(maker, (fact.text,), specs) for name in names for fact in facts.stated(name))
    }
    return frozenset(listed | named | _committed(facts, specs)) - {"cpu"}


def _committed(facts: Facts, specs: Specs) -> set[str]:
    """Return the vendors that a framework's build or the system is for: no other can be meant there."""
    built = {specs.hints.builds.get(one.built_for or "") for one in facts.environment.frameworks}
    return {one for one in (*built, specs.hints.systems.get(facts.host.system or "")) if one is not None}


def is_ruled_out(maker: str, facts: Facts, specs: Specs) -> bool:
    """Return whether a vendor's devices are not meant: a build or the system is for another's, or the text is about one
    that frameworks do not drive without its own builds, and none are shown.

    That another vendor's device is named is not enough: most processors have graphics of their own.
    """
    if maker in makers_shown(facts, specs):
        return False
    told = maker_with_own_builds(facts, specs)
    return bool(_committed(facts, specs)) or (told is not None and maker not in (told["vendor"], told.get("speaks")))


def maker_with_own_builds(facts: Facts, specs: Specs) -> Mapping[str, Any] | None:
    """Return the row of specs/frameworks/makers of the only such maker whose devices are listed or whose name is in the
    text; None if a device is shown that the builds of the public index are for.
    """
    table = specs.table("frameworks/makers") or {"makers": [], "public": None}
    rows = {row["vendor"]: row for row in table["makers"]}
    told = (fact for fact in facts.stated(SUBJECT) if fact.value("subject") in rows)
    named = {maker for fact in told if (maker := fact.value("subject")) in makers_named(fact.text, specs)}
    found = sorted({device.backend for device in facts.accelerators} & {*rows} or named & {*rows})
    return rows[found[0]] if len(found) == 1 and table["public"] not in makers_shown(facts, specs) else None


def system_shown(facts: Facts, specs: Specs) -> str | None:
    """Return the system: the host's, or the one that the machines of the only vendor have."""
    makers = makers_shown(facts, specs)
    alone = (system for system, maker in specs.hints.systems.items() if makers == {maker})
    return facts.host.system or next(alone, None)


def is_of_others(command: str, makers: frozenset[str], specs: Specs) -> bool:
    """Return whether a command calls a tool that only vendors outside these have; False if no vendor is known."""
    if not makers:
        return False
    named = makers_named(_QUOTED.sub("", command), specs)  # a pattern of grep, or a line of Python, is no tool
    return bool(named) and named.isdisjoint(makers)


def makers_named(text: str, specs: Specs) -> frozenset[str]:
    """Return the makers whose own words a text has: names of their devices, drivers and tools."""
    lower = text.lower()
    return frozenset(maker for maker, words in specs.hints.own.items() if first_word(lower, words) is not None)


def is_about_others(maker: str, texts: Iterable[str], specs: Specs) -> bool:
    """Return whether each of these texts names other makers' devices, and none has a word about this maker's."""
    words = specs.hints.of_maker.get(maker, ())
    told = tuple(texts)
    if not told or any(first_word(text.lower(), words) is not None for text in told):
        return False
    return all(makers_named(text, specs) for text in told)
