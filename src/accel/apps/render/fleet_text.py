"""`accel fleet merge` as text: a headline, causes with folded nodes, drift, outliers, nodes without an answer."""

import re
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper
from typing import Final

from accel.apps.render.units import plural
from accel.fleet.fingerprint import fingerprint
from accel.fleet.folding import folded
from accel.fleet.model import Cause, Merged, NodeAnswer, Outlier, PlaceHint
from accel.model.printable import printable

_SIGNS: Final = {"error": "✗", "warning": "!", "info": "·"}
WORDS: Final = {
    "ok": "well",
    "ill": "ill",
    "partial": "partly looked at",
    "no_answer": "without an answer",
    "dead": "dead",
    "unreachable": "unreachable",
    "tool_failed": "where accel failed",
}
_MOST: Final = 12
_NAME: Final = re.compile(r"(?!-)[A-Za-z0-9_.-]{1,253}")  # a node name that is safe in a command
_UNITS: Final = {"celsius": "°C", "watts": "W", "mhz": "MHz", "percent": "%", "bytes": "bytes", "gigabytes": "GB/s"}


def fleet_lines(merged: Merged, width: int, everything: bool = False) -> Iterator[str]:
    """Yield the lines of the answer; `everything` lists what is otherwise truncated."""
    most = 10**9 if everything else _MOST
    yield from _wrapped(headline(merged), width)
    for cause in merged.causes[:most]:
        yield ""
        devices = f", {plural(cause.devices, 'device')}" if cause.devices else ""
        yield from _wrapped(f"{_SIGNS.get(cause.severity, '·')} {cause.title}  [{cause.code} {cause.name}]", width)
        yield from _wrapped(f"  on {plural(len(cause.nodes), 'node')}{devices}: {folded(cause.nodes)}", width, "     ")
        if cause.suspect:
            share = len(cause.nodes) / max(merged.answered, 1)
            yield from _wrapped(
                f"  suspect the rule before the nodes: it finds this on {share:.0%} of them", width, "     "
            )
        for hint in merged.places:
            if hint.cause == cause.fingerprint:
                yield from _wrapped(f"  {hint_words(hint)}", width, "     ")
        yield from _fix(cause, width)
        if _NAME.fullmatch(cause.example):
            yield from _wrapped(f"  all of it  ssh {cause.example} accel doctor", width, "     ")
    yield from _rest(len(merged.causes), most, "cause")
    yield from _drift(merged, width, most)
    yield from _outliers(merged, width, most)
    yield from _silent(merged, width)
    yield from _changed(merged, width, most)
    for note in (*merged.notes, *merged.problems)[: most if everything else 20]:
        yield from _wrapped(f"Note: {printable(note)}", width, "  ")


def hint_words(hint: PlaceHint) -> str:
    """Return "rack 1 has 3 of its 6 nodes ill, elsewhere 0 of 10: look there first"."""
    here = f"{hint.kind} {hint.place} has {hint.bad} of its {hint.nodes} nodes ill"
    return f"{here}, elsewhere {hint.bad_elsewhere} of {hint.nodes_elsewhere}: look there first"


def _changed(merged: Merged, width: int, most: int) -> Iterator[str]:
    """Yield the changes since the previous round: nodes with the same change together, faults before versions."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for change in merged.changed:
        alike.setdefault((change.now, change.before), []).append(change.node)
    if not alike:
        return
    yield ""
    yield f"Changed since the round before, on {plural(len(merged.changed), 'node')}:"
    known = {finding.fingerprint for row in merged.rows for finding in row.findings}
    order = sorted(alike.items(), key=lambda one: (not known.intersection(one[0][0]), -len(one[1])))
    for (now, before), nodes in order[:most]:
        said = [f"{word} {', '.join(what)}" for word, what in (("now", now), ("before", before)) if what]
        words = "; ".join(said) if now else f"no longer {', '.join(before)}"
        yield from _wrapped(f"  {folded(nodes)}: {words}", width, "     ")
    yield from _rest(len(alike), most, "change")


def headline(merged: Merged) -> str:
    """Return "480 nodes: 470 well, 8 ill, 2 without an answer. First: …"."""
    parts = [f"{count} {WORDS[state]}" for state, count in merged.totals.items() if count]
    first = f" First: {merged.causes[0].title}." if merged.causes else ""
    return f"{plural(merged.asked, 'node')}: {', '.join(parts)}.{first}"


def _drift(merged: Merged, width: int, most: int) -> Iterator[str]:
    if not merged.drift:
        return
    yield ""
    yield "Versions that differ:"
    for one in merged.drift[:most]:
        for value, nodes in one.minority.items():
            yield from _wrapped(
                f"  {one.what} {value} instead of {one.majority} ({one.majority_count} nodes): {folded(nodes)}",
                width,
                "     ",
            )
    yield from _rest(len(merged.drift), most, "difference")


def _outliers(merged: Merged, width: int, most: int) -> Iterator[str]:
    if not merged.outliers:
        return
    yield ""
    yield "Readings that differ from similar devices:"
    for one in merged.outliers[:most]:
        yield from _wrapped(f"  {one.node} {one.device}: {reading_words(one)}", width, "     ")
    yield from _rest(len(merged.outliers), most, "outlier")


def reading_words(one: Outlier) -> str:
    """Return "temperature 91 °C, where 60 to 62 °C on 15 others of NVIDIA H100"."""
    word, _, unit = one.reading.rpartition("_")
    sign = _UNITS.get(unit)
    name, tail = (word, f" {sign}") if sign else (one.reading, "")
    peers = f"{_number(one.low)} to {_number(one.high)}{tail} on {one.peers} others"
    return f"{name.replace('_', ' ')} {_number(one.value)}{tail}, where {peers} of {one.name or 'its kind'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 or value.is_integer() else f"{value:.2g}"


def _silent(merged: Merged, width: int) -> Iterator[str]:
    found: dict[tuple[str, str], list[NodeAnswer]] = {}
    for row in merged.rows:
        if row.state not in ("ok", "ill"):
            why = fingerprint("", row.why or "", row.node.rpartition("@")[2]).strip()
            found.setdefault((row.state, why), []).append(row)
    if not found:
        return
    yield ""
    yield "Unknown or incomplete:"
    for (state, why), rows in list(found.items())[:_MOST]:
        alike = len({row.why for row in rows}) == 1
        said = f": {printable((rows[0].why or '') if alike else why)}" if why else ""
        names = folded(row.node for row in rows)
        yield from _wrapped(f"  {plural(len(rows), 'node')} {WORDS[state]}{said}: {names}", width, "     ")
    yield from _rest(len(found), _MOST, "reason")


def _rest(count: int, most: int, noun: str) -> Iterable[str]:
    if count > most:
        yield f"  and {plural(count - most, f'other {noun}')}: --all"


def _fix(cause: Cause, width: int) -> Iterator[str]:
    """Yield the fix: sentences are wrapped, commands are not, so that nobody pastes half of one."""
    if not cause.fix:
        return
    lead = "  fix"
    if not cause.one_fix:
        yield from _wrapped(f"  fix on {cause.example}; each of the others has its own:", width, "     ")
        lead = "     "
    if cause.fix.endswith("."):
        yield from _wrapped(f"{lead}  {cause.fix}", width, "       ")
    else:
        yield f"{lead}  {printable(cause.fix)}"


class _Wrapper(TextWrapper):
    """Breaks lines at blanks and after commas in a node range, but never inside a name."""

    wordsep_simple_re = re.compile(r"([\t\n\x0b\x0c\r ]+)|(?<=,)(?=\S)")


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    lead = text[: len(text) - len(text.lstrip())]
    if not text.strip():
        return [lead] if lead else []
    wrapper = _Wrapper(max(width, 20), subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    return wrapper.wrap(printable(text))
