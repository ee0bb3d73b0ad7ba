"""The single reason why nothing fits: the rule that separates the machine from the closest build. Pure.

Every build is checked against every rule, companions last; a build of a release that the companions do not go with is
left out if they go with another. Of the builds that the fewest rules reject, the newest
determines the rule; of the builds that only this rule rejects, the least demanding is named, else the newest.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.resolver.constraints import RULES, Verdict, glibc_of_tag
from accel.resolver.parsed import parsed
from accel.resolver.records import Candidate, Rejected
from accel.resolver.situation import Situation
from accel.resolver.target import Target
from accel.specs.versions import numbers


def reason_of(
    asked: Sequence[Candidate], situation: Situation, companions: Callable[[Candidate], Sequence[str]]
) -> Rejected | None:
    """Return the reason; None if a candidate fits. companions: returns why some do not go with a candidate."""
    fails = {id(c): _failing(c, situation) for c in asked}
    serving = [c for c in asked if "hardware" not in fails[id(c)]]
    if not serving:
        return _unserved(asked, situation)
    serving = [c for c in serving if "platform" not in fails[id(c)]] or serving
    least = min((len(fails[id(c)]) for c in serving), default=0)
    near = [c for c in serving if len(fails[id(c)]) <= max(least, 1)]
    said = {id(c): companions(c) for c in near}
    near = [c for c in near if not any(_of_other_release(text, c, situation) for text in said[id(c)])] or near
    for c in near:
        if told := said[id(c)]:
            fails[id(c)]["companion"] = "; ".join(told)
    least = min((len(fails[id(c)]) for c in near), default=0)
    nearest = [c for c in near if len(fails[id(c)]) == least]
    if not nearest or least == 0:
        return None
    newest = max(nearest, key=lambda c: (parsed(c.version), c.preferred))
    rules = tuple(fails[id(newest)])
    same = [c for c in nearest if tuple(fails[id(c)]) == rules]
    if rules[0] in _FLOORS:
        newest = min(same, key=lambda c: (_FLOORS[rules[0]](c, situation), _backwards(c.version)))
    because = "; ".join(fails[id(newest)].values())
    return Rejected(
        package=newest.package, version=newest.version, variant=newest.variant, rule=rules[0], because=because
    )


def _of_other_release(text: str, candidate: Candidate, situation: Situation) -> bool:
    """Return whether a companion only asks for another release or build: what rejects that one is the reason."""
    base = situation.catalogue.packages[candidate.package].get("base", candidate.package)
    return any(told in text for told in (f" needs {candidate.package} ", f" needs {base} ", " builds, this one is "))


def _unserved(asked: Sequence[Candidate], situation: Situation) -> Rejected | None:
    devices = ", ".join(device.title for device in situation.devices) or "a machine without an accelerator"
    newest = max(asked, key=lambda c: parsed(c.version), default=None)
    if newest is None:
        return None
    because = f"no known build of {newest.package} supports {devices}"
    return Rejected(package=newest.package, version=newest.version, rule="hardware", because=because)


def _failing(candidate: Candidate, situation: Situation) -> dict[str, str]:
    """Return every rule that rejects a candidate, with its sentence."""
    family = situation.catalogue.family(candidate.family)
    told = ((name, rule(candidate, family, situation)) for name, rule in RULES)
    return {name: because for name, because in told if because is not None}


def _floor(candidate: Candidate, situation: Situation) -> tuple[int, ...]:
    return numbers(situation.floor(candidate, situation.catalogue.family(candidate.family)) or "0")


def _of_the_tag(candidate: Candidate, situation: Situation) -> tuple[int, ...]:
    """Return the oldest C library or macOS that a wheel supports, from its tag."""
    return tuple(
        int(number) for number in re.findall(r"\d+", glibc_of_tag(candidate.linux_tag) or candidate.linux_tag or "")
    )


_FLOORS: Final[Mapping[str, Callable[[Candidate, Situation], tuple[int, ...]]]] = {
    "driver": _floor,
    "driver-drives-device": _floor,
    "libc": _of_the_tag,
    "system": _of_the_tag,
}


def _backwards(version: str) -> tuple[int, ...]:
    return tuple(-number for number in (*numbers(version), 0, 0, 0)[:4])


def missing(asked: list[Candidate], here: list[Candidate], target: Target) -> list[Rejected]:
    """Return the releases that have no build at all for the platform."""
    have = {c.version for c in here}
    others: dict[str, dict[str, None]] = {}
    for c in asked:
        if c.version not in have:
            others.setdefault(c.version, {})[c.platform] = None
    return [
        Rejected(
            package=asked[0].package,
            version=version,
            rule="platform",
            because=f"there is no build for {target.platform}, only for {', '.join(platforms)}",
        )
        for version, platforms in others.items()
    ]


def as_rejected(v: Verdict) -> Rejected:
    """Return a verdict's candidate with the rule that rejects it."""
    c = v.candidate
    return Rejected(package=c.package, version=c.version, variant=c.variant, rule=v.rule or "", because=v.because)


def outranked(v: Verdict, best: Verdict) -> Rejected:
    """Return a candidate that fits, with why the best one is preferred."""
    first = best.candidate
    if v.fit == "unknown" and best.fit != "unknown":
        because = "it is unknown which GPU code it contains"
    elif v.fit == "portable" and best.fit == "machine":
        because = f"it has only portable code for these devices; {first.label} has machine code"
    elif first.preferred and not v.candidate.preferred and first.version == v.candidate.version:
        because = f"it fits too; {first.label} is the release's default build"
    else:
        because = f"it fits too; {first.label} is preferred"
    return as_rejected(replace(v, rule="rank", because=because))


def newest_first(every: list[Rejected], best: Verdict | None) -> tuple[Rejected, ...]:
    """Return the rejected candidates, newest first; if there is a best candidate, only those not older than it."""
    least = parsed(best.candidate.version) if best is not None else parsed("0")
    kept = [r for r in every if parsed(r.version) >= least]
    return tuple(sorted(kept, key=lambda r: parsed(r.version), reverse=True))
