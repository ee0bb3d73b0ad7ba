"""Nodes' clocks, compared with a clock that saw their answers arrive: this machine's, or that of the files' disk."""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from statistics import median
from typing import Final

from accel.fleet.model import NodeAnswer
from accel.model.dataclass import replace
from accel.text.durations import span_text

_OFF_SECONDS: Final = 90.0  # an answer is on its way for less, in a round
_LEAST_PEERS: Final = 4
_MOST_SAID: Final = 12


def in_utc(moment: float) -> str:
    """Return seconds since 1970 in the time format of snapshots.

    >>> in_utc(1767323045.6)
    '2026-01-02T03:04:05Z'
    """
    return datetime.fromtimestamp(int(moment), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def seen_now(answers: Iterable[NodeAnswer]) -> Iterator[NodeAnswer]:
    """Yield answers with their time of arrival."""
    for answer in answers:
        yield answer if answer.seen_at is not None else replace(answer, seen_at=in_utc(time.time()))


def moment_of(text: str | None) -> float | None:
    """Return the seconds since 1970 of an ISO 8601 time; None for anything else. A time without a zone is UTC."""
    try:
        found = datetime.fromisoformat((text or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()


def newness(answer: NodeAnswer) -> tuple[float, str]:
    """Return a sort key for a node's answers, newest last: the answer's own time, unless that is in the future.

    Answers with the same time are ordered by source, so the result does not depend on the order of files.
    """
    taken, seen = moment_of(answer.taken_at), moment_of(answer.seen_at)
    if seen is not None and (taken is None or taken - seen > _OFF_SECONDS):
        taken = seen
    return taken or 0.0, answer.source or ""


def clock_notes(rows: Iterable[NodeAnswer]) -> list[str]:
    """Return sentences on which clocks are wrong, and by how much.

    An answer cannot arrive before it is made: if it does, the node's clock is ahead. A late one may just be old, unless
    its peers' answers arrived at once.
    """
    off: list[tuple[str, float]] = []
    for row in rows:
        taken, seen = moment_of(row.taken_at), moment_of(row.seen_at)
        if taken is not None and seen is not None:
            off.append((row.node, taken - seen))
    if not off:
        return []
    at_once = len(off) >= _LEAST_PEERS and median(abs(by) for _, by in off) <= _OFF_SECONDS
    wrong = [(node, by) for node, by in off if by > _OFF_SECONDS or (at_once and by < -_OFF_SECONDS)]
    if 2 * len(wrong) > len(off) >= _LEAST_PEERS:
        return [f"{len(wrong)} of {len(off)} nodes' times are ahead of this clock: check this clock first."]
    said = []
    for node, by in sorted(wrong, key=lambda one: -abs(one[1]))[:_MOST_SAID]:
        way = "ahead" if by > 0 else "behind, or its answer is older than its peers'"
        said.append(f"{node}: its clock is {span_text(abs(by))} {way}.")
    if len(wrong) > _MOST_SAID:
        said.append(f"and {len(wrong) - _MOST_SAID} other nodes' clocks are off.")
    return said
