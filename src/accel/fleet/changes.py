"""Differences between a round and the rounds before it. Pure.

A node that does not answer is remembered with its last answer; when it returns, it is compared with that.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from accel.fleet.fingerprint import fingerprint
from accel.fleet.model import ANSWERED, NodeAnswer, NodeFinding
from accel.model.dataclass import dataclass, replace
from accel.text.durations import span_text

Kind = Literal[
    "joined",
    "silent",
    "vanished",
    "returned",
    "left",
    "ill",
    "recovered",
    "version",
    "device lost",
    "device back",
    "partial",
    "whole",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one node.

    text      the rest of a sentence; alike: the same text for the same change on other nodes
    code, severity   of a cause; what, before, now: of a version; device: of a device
    """

    node: str
    kind: Kind
    text: str
    alike: str
    code: str | None = None
    severity: str | None = None
    what: str | None = None
    before: str | None = None
    now: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is remembered about a node.

    answer      from the last round; None: it was not in it, and was not expected
    heard       its last own answer; None: there never was one
    heard_at    when; lost_at: when it stopped answering, None while it answers; in seconds since 1970
    times_lost  how often it stopped answering
    """

    answer: NodeAnswer | None
    heard: NodeAnswer | None = None
    heard_at: float | None = None
    lost_at: float | None = None
    times_lost: int = 0


def advanced(
    before: Mapping[str, Seen], rows: Iterable[NodeAnswer], moment: float, first: bool = False
) -> tuple[dict[str, Seen], tuple[Change, ...]]:
    """Return what is remembered after a round, and the changes in it.

    rows   the round's answers, each node once, in the order in which to report changes
    first  nothing was known before, so nodes are not reported as joining
    """
    now = {row.node: row for row in rows}
    seen: dict[str, Seen] = {}
    changes: list[Change] = []
    for node in (*now, *(node for node in before if node not in now)):
        seen[node], own = _of_node(node, before.get(node), now.get(node), moment, first)
        changes += own
    return seen, tuple(changes)


def _of_node(
    node: str, then: Seen | None, row: NodeAnswer | None, moment: float, first: bool
) -> tuple[Seen, list[Change]]:
    known = then or Seen(answer=None)
    if row is None:
        gone = [] if known.answer is None else [_plain(node, "left", "no longer listed")]
        lost_at = known.lost_at if known.lost_at is not None or known.heard is None else moment
        return replace(known, answer=None, lost_at=lost_at), gone
    if row.state not in ANSWERED:
        return _without_answer(node, known, row, moment)
    changes: list[Change] = []
    if known.lost_at is not None:
        times = f", lost {known.times_lost} times so far" if known.times_lost > 1 else ""
        away = f"after {span_text(moment - known.lost_at)}"
        changes.append(Change(node=node, kind="returned", text=away + times, alike="it answers again"))
    elif known.heard is None and not first:
        changes.append(_plain(node, "joined", "it answers for the first time"))
    changes += _compared(node, known.heard, row)
    return replace(known, answer=row, heard=row, heard_at=moment, lost_at=None), changes


def _without_answer(node: str, known: Seen, row: NodeAnswer, moment: float) -> tuple[Seen, list[Change]]:
    """Return the changes of a round without an answer: one when a node is lost, and one if the reason changes."""
    state = row.state.replace("_", " ")
    text = row.why if row.why and row.why.startswith(state) else f"{state}: {row.why}" if row.why else state
    alike = fingerprint("", text, node.rpartition("@")[2]).strip()
    same = known.answer is not None and known.answer.state == row.state
    if known.heard is None:
        changes = [] if same else [Change(node=node, kind="silent", text=text, alike=alike)]
        return replace(known, answer=row), changes
    vanishes = known.lost_at is None
    kept = replace(
        known, answer=row, lost_at=moment if vanishes else known.lost_at, times_lost=known.times_lost + vanishes
    )
    return kept, [] if same else [Change(node=node, kind="vanished", text=text, alike=alike)]


def _compared(node: str, then: NodeAnswer | None, now: NodeAnswer) -> Iterator[Change]:
    """Yield the differences between two answers; then: None if there is no earlier one."""
    old, new = _causes(then), _causes(now)
    for name, finding in new.items():
        if name not in old:
            yield _of_cause(node, "ill", finding)
    for name, finding in old.items():
        if name not in new:
            yield _of_cause(node, "recovered", finding)
    if (now.state == "partial") != (then is not None and then.state == "partial"):
        yield (
            _plain(node, "partial", now.why or "") if now.state == "partial" else _plain(node, "whole", "all was seen")
        )
    if then is None:
        return
    for what in sorted({*then.versions, *now.versions}):
        before, after = then.versions.get(what), now.versions.get(what)
        if before != after:
            text = f"{what} {before or 'none'} -> {after or 'none'}"
            yield Change(node=node, kind="version", text=text, alike=text, what=what, before=before, now=after)
    had, has = {one.id: one for one in then.devices}, {one.id: one for one in now.devices}
    for kind, some, others in (("device lost", had, has), ("device back", has, had)):
        for name, device in some.items():
            if name not in others:
                text = f"{name} {device.name}" if device.name else name
                alike = device.name or "a device"
                yield Change(node=node, kind=kind, text=text, alike=alike, device=name)  # type: ignore[arg-type]


def _causes(answer: NodeAnswer | None) -> dict[str, NodeFinding]:
    """Return the causes that make a node ill, by fingerprint."""
    found = answer.findings if answer is not None else ()
    return {one.fingerprint: one for one in found if one.is_cause and one.severity in ("error", "warning")}


def _of_cause(node: str, kind: Kind, finding: NodeFinding) -> Change:
    alike = finding.fingerprint.removeprefix(f"{finding.code} ")
    return Change(node=node, kind=kind, text=finding.title, alike=alike, code=finding.code, severity=finding.severity)


def _plain(node: str, kind: Kind, text: str) -> Change:
    return Change(node=node, kind=kind, text=text, alike=text)
