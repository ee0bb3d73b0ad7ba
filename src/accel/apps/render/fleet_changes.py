"""`accel fleet watch` as text lines and as JSON lines: nodes with the same change share one line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.apps.render.fleet_text import headline
from accel.apps.render.units import clock_text, utc_text
from accel.fleet.folding import folded
from accel.model.printable import printable
from accel.model.to_builtins import json_text, plain

if TYPE_CHECKING:
    from accel.apps.serve.fleet_metrics import WatchedRound
    from accel.fleet.changes import Change

SCHEMA: Final = "accel.fleet-changes/1"
_SIGNS: Final = {"error": "✗", "warning": "!"}
_GOOD: Final = frozenset(("joined", "returned", "recovered", "device back", "whole"))
_BAD: Final = frozenset(("vanished", "silent", "left", "device lost"))
_MOST: Final = 100  # lines per round


def changes_lines(watched: "WatchedRound", changes: "tuple[Change, ...]") -> Iterator[str]:
    """Yield one line per change; in the first round, the summary of the round comes before them."""
    at = clock_text(watched.moment)
    if watched.number == 1:
        yield f"{at}   {printable(headline(watched.merged))}"
    groups: dict[tuple[str, str, str | None], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.kind, change.alike, change.code), []).append(change)
    for number, ((kind, alike, code), own) in enumerate(groups.items()):
        if number == _MOST:
            yield f"{at}   and {len(groups) - _MOST} other changes: --jsonl"
            return
        same = len({change.text for change in own}) == 1
        said = f"{own[0].text if same else alike}{f'  [{code}]' if code else ''}"
        yield printable(f"{at} {_sign(own[0])} {folded(change.node for change in own)} {kind}: {said}")


def _sign(change: "Change") -> str:
    if change.kind == "ill":
        return _SIGNS.get(change.severity or "", "!")
    return "✓" if change.kind in _GOOD else "✗" if change.kind in _BAD else "·"


def changes_jsonl(watched: "WatchedRound", changes: "tuple[Change, ...]") -> str:
    """Return one line per change, then one for the round: schema accel.fleet-changes/1."""
    head: dict[str, Any] = {"schema": SCHEMA, "time": utc_text(watched.moment), "round": watched.number}
    lines = [{**head, **{key: value for key, value in plain(change).items() if key != "alike"}} for change in changes]
    totals = {"asked": watched.merged.asked, "totals": dict(watched.merged.totals), "changes": len(changes)}
    lines.append({**head, "kind": "round", "seconds": round(watched.seconds, 3), **totals})
    return "".join(f"{json_text(line)}\n" for line in lines)
