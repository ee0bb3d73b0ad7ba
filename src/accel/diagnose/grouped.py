"""One finding per fault: findings that differ only in the device, and in quantities read of it, are joined. Pure.

    nvidia:0 had 3 uncorrected errors   \
    nvidia:1 had 5 uncorrected errors    }  nvidia:0–2 had 3 to 9 uncorrected errors
    nvidia:2 had 9 uncorrected errors   /
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.device_range import device_range
from accel.model.diagnosis import Evidence, Finding, Remedy
from accel.model.grade import GRADES
from accel.text.pattern import pattern

_ID: Final = "\0"  # where a text names the device of its finding
_QUANTITY: Final = pattern(
    r"(?<![\w.:,/-])(?<!Xid )(?<!error )(?<!code )\d[\d,]*(?:\.\d+)?(?= ?(?:°C|%)| [^\W\d])", exact_case=True
)


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in order, each fault once, in the place of its first device; `devices` lists all of them."""
    alike: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        alike.setdefault(_fault(finding) if finding.devices else number, []).append(finding)
    return tuple(same[0] if len(same) == 1 else _joined(same) for same in alike.values())


def without_repeats(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Leave out a finding that another repeats: it rests on the same lines, or on more, and its first fix is the same.

    findings  in order: of two that rest on the same lines, the first is kept
    """
    return tuple(
        one
        for number, one in enumerate(findings)
        if not any(_repeats(one, other, after=at < number) for at, other in enumerate(findings) if at != number)
    )


def _repeats(one: Finding, other: Finding, *, after: bool) -> bool:
    """Return whether the other finding says all that this one says. after: this one follows it."""
    lines, beside = ({e.line for e in each.evidence} - {None} for each in (one, other))
    if not lines or not lines <= beside or (lines == beside and not after) or not one.remedies or not other.remedies:
        return False
    cures = [(each.remedies[0].command or each.remedies[0].text, each.severity, each.is_cause) for each in (one, other)]
    return cures[0] == cures[1] and (not other.devices or set(one.devices) <= set(other.devices))


def _fault(finding: Finding) -> tuple[object, ...]:
    """Return what is the same for one fault on several devices."""
    shapes = (_shape(finding.title, finding), _shape(finding.detail or "", finding))
    cures = tuple((one.action, one.kind, _shape(one.text, finding)) for one in finding.remedies)
    return (finding.code, finding.severity, shapes, cures, finding.explained_by, finding.attempts, finding.cured)


def _named(text: str, finding: Finding) -> str:
    """Return a text with a placeholder for the finding's only device."""
    if len(finding.devices) != 1:
        return text
    return re.sub(rf"(?<![\w:/]){re.escape(finding.devices[0])}(?![\w/])", _ID, text)


def _shape(text: str, finding: Finding) -> str:
    return _QUANTITY.sub("0", _named(text, finding))


def _joined(same: Sequence[Finding]) -> Finding:
    first = same[0]
    devices = tuple(dict.fromkeys(device for one in same for device in one.devices))
    details = [one.detail for one in same if one.detail]
    return replace(
        first,
        title=_text([one.title for one in same], same),
        detail=_text(details, same) if details else None,
        devices=devices,
        evidence=tuple(_evidence(same)),
        remedies=tuple(_remedy(n, same) for n in range(len(first.remedies))),
        rests_on=tuple(grade for grade in GRADES if any(grade in one.rests_on for one in same)),
    )


def _text(texts: Sequence[str], same: Sequence[Finding]) -> str:
    """Merge texts of the same form: with all devices, and each quantity as a range."""
    marked = [_named(text, one) for text, one in zip(texts, same, strict=True)]
    rows = zip(*(_QUANTITY.findall(text) for text in marked), strict=True)
    spans = iter([_span(row) for row in rows])
    whole = _QUANTITY.sub(lambda _: next(spans), marked[0])
    return whole.replace(_ID, device_range(device for one in same for device in one.devices))


def _span(values: Sequence[str]) -> str:
    ordered = sorted(dict.fromkeys(values), key=lambda value: float(value.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


def _evidence(same: Sequence[Finding]) -> Iterator[Evidence]:
    """Yield each line of a text once, and each reading once, with its value on each device if they differ."""
    read: dict[object, list[tuple[Evidence, Finding]]] = {}
    for one in same:
        for fact in one.evidence:
            key = fact if fact.line is not None else (_named(fact.fact, one), fact.source)
            read.setdefault(key, []).append((fact, one))
    for facts in read.values():
        first, owner = facts[0]
        if first.line is not None or len(facts) == 1:
            yield first
            continue
        owners = [one for _, one in facts]
        name = _named(first.fact, owner).replace(_ID, device_range(d for one in owners for d in one.devices))
        yield replace(first, fact=name, value=_value([fact.value for fact, _ in facts], owners))


def _value(values: Sequence[str], owners: Sequence[Finding]) -> str:
    marked = [_named(value, one) for value, one in zip(values, owners, strict=True)]
    if len({_QUANTITY.sub("0", value) for value in marked}) == 1 and (len(set(marked)) == 1 or _ID in marked[0]):
        return _text(values, owners)
    on: dict[str, list[str]] = {}
    for value, one in zip(values, owners, strict=True):
        on.setdefault(value, []).extend(one.devices)
    return "; ".join(f"{value} on {device_range(devices)}" for value, devices in on.items())


def _remedy(number: int, same: Sequence[Finding]) -> Remedy:
    """Return the remedy at this position for all devices: its command once per device, one per line, if they differ."""
    remedies = [one.remedies[number] for one in same]
    commands = dict.fromkeys(one.command for one in remedies if one.command)
    return replace(
        remedies[0],
        text=_text([one.text for one in remedies], same),
        command="\n".join(commands) or None,
        request=_request(remedies, same),
    )


def _request(remedies: Sequence[Remedy], same: Sequence[Finding]) -> str | None:
    """Return the text to send about all devices: each line once, lines with the same label ("Board: …") together."""
    title = _text([one.title for one in same], same)
    lines: dict[str, dict[str, None]] = {}
    for remedy, finding in zip(remedies, same, strict=True):
        for line in (remedy.request or "").replace(finding.title, title).splitlines():
            lines.setdefault(line.partition(":")[0], {})[line] = None
    return "\n".join(line for labelled in lines.values() for line in labelled) or None
