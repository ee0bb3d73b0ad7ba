"""Merges nodes' answers: totals, causes by fingerprint, drift, outliers, shared places, changes. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from accel.fleet.clocks import clock_notes, newness
from accel.fleet.model import (
    ANSWERED,
    STATES,
    Cause,
    Changed,
    Drift,
    Merged,
    NodeAnswer,
    NodeBench,
    NodeFinding,
    PlaceHint,
)
from accel.fleet.outliers import Gathered
from accel.model.dataclass import replace

_SEVERE: Final = {"error": 0, "warning": 1, "info": 2}
_LEAST_GATHERED: Final = 3  # nodes of a cause below which a place says nothing
_RATIO: Final = 5.0  # how many times more frequent a cause must be in a place than elsewhere
_LEAST_SUSPECT: Final = 2  # nodes of a cause below which its rule is not suspected
_LEAST_ALIKE: Final = 3  # nodes that have a version of something before another is drift


def merge(
    answers: Iterable[NodeAnswer | NodeBench],
    *,
    expected: Iterable[str] = (),
    before: Iterable[NodeAnswer | NodeBench] | None = None,
    max_bad_share: float | None = None,
    notes: Iterable[str] = (),
) -> Merged:
    """Return the merged answers of the nodes.

    answers        in any order, from any carrier; if a node answers twice, the newer answer counts, and a note says so.
                   A benchmark's readings are added to its node's devices
    expected       nodes that were queried: one without an answer is counted as "no_answer"
    before         the answers of an earlier round, for `changed`
    max_bad_share  a cause on at least two nodes, and on more than this share of those that answered, is marked
                   `suspect`: its rule may be wrong
    """
    rows, said = _each_once(answers)
    for node in expected:
        if node not in rows:
            rows[node] = NodeAnswer(node=node, state="no_answer", why="it was asked, but did not answer")
    gathered = Gathered()
    for row in rows.values():
        if row.state in ANSWERED:
            gathered.add(row)
    totals: dict[str, int] = dict.fromkeys(STATES, 0)
    for row in rows.values():
        totals[row.state] += 1
    answered = sum(totals[state] for state in ANSWERED)
    causes = _causes(rows.values(), answered, max_bad_share)
    return Merged(
        asked=len(rows),
        totals=totals,
        causes=causes,
        drift=tuple(_drift(rows.values())),
        outliers=gathered.outliers(),
        places=tuple(_places(rows, causes)),
        changed=() if before is None else tuple(_changed(rows, before)),
        rows=tuple(sorted(rows.values(), key=lambda row: _natural(row.node))),
        notes=(*notes, *said, *clock_notes(rows.values())),
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a natural sort key: node2 comes before node10."""
    words = re.findall(r"\d+|\D+", name)
    return [(int(word), "") if word.isdecimal() and len(word) < 19 else (-1, word) for word in words]


def _each_once(answers: Iterable[NodeAnswer | NodeBench]) -> tuple[dict[str, NodeAnswer], list[str]]:
    rows: dict[str, NodeAnswer] = {}
    benches: dict[str, NodeBench] = {}
    twice: dict[str, int] = {}
    for answer in answers:
        if isinstance(answer, NodeBench):
            known = benches.get(answer.node)
            if known is None or (answer.taken_at or "") >= (known.taken_at or ""):
                benches[answer.node] = answer
            continue
        other = rows.get(answer.node)
        if other is not None:
            twice[answer.node] = twice.get(answer.node, 1) + 1
            if newness(answer) < newness(other):
                continue
        rows[answer.node] = answer
    for node, bench in benches.items():
        rows[node] = _with_bench(rows.get(node), bench)
    said = [f"{node} answered {count} times: the newest counts." for node, count in list(twice.items())[:20]]
    if len(twice) > 20:
        said.append(f"and {len(twice) - 20} other nodes answered more than once.")
    return rows, said


def _with_bench(row: NodeAnswer | None, bench: NodeBench) -> NodeAnswer:
    """Return a node's answer with its devices' benchmark readings.

    For a node without an answer, only those readings.
    """
    if row is None:
        why = "only a benchmark of it was saved: nobody looked for faults"
        return NodeAnswer(node=bench.node, state="partial", why=why, devices=bench.devices, source=bench.source)
    measured = {one.id: one.readings for one in bench.devices}
    devices = tuple(
        replace(one, readings={**one.readings, **measured[one.id]}) if one.id in measured else one
        for one in row.devices
    )
    known = {one.id for one in devices}
    return replace(row, devices=(*devices, *(one for one in bench.devices if one.id not in known)))


def _causes(rows: Iterable[NodeAnswer], answered: int, most: float | None) -> tuple[Cause, ...]:
    found: dict[str, list[tuple[NodeAnswer, NodeFinding]]] = {}
    for row in rows:
        for finding in row.findings:
            if finding.is_cause:
                found.setdefault(finding.fingerprint, []).append((row, finding))
    causes = []
    for fingerprint, told in found.items():
        first, one = told[0]
        nodes = tuple(sorted({row.node for row, _ in told}, key=_natural))
        same = all(finding.title == one.title for _, finding in told)
        causes.append(
            Cause(
                fingerprint=fingerprint,
                code=one.code,
                name=one.name,
                severity=one.severity,
                title=one.title if same else fingerprint.removeprefix(f"{one.code} "),
                nodes=nodes,
                devices=sum(len(finding.devices) for _, finding in told),
                example=first.node,
                fix=one.fix,
                one_fix=all(finding.fix == one.fix for _, finding in told),
                suspect=most is not None and len(nodes) >= _LEAST_SUSPECT and len(nodes) / answered > most,
            )
        )
    return tuple(
        sorted(causes, key=lambda cause: (_SEVERE.get(cause.severity, 3), -len(cause.nodes), cause.fingerprint))
    )


def _drift(rows: Iterable[NodeAnswer]) -> Iterable[Drift]:
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for what, value in row.versions.items():
            found.setdefault(what, {}).setdefault(value, []).append(row.node)
    for what in sorted(found):
        values = found[what]
        if len(values) < 2:
            continue
        majority = max(values, key=lambda value: (len(values[value]), value))
        if len(values[majority]) < _LEAST_ALIKE:
            continue
        minority = {
            value: tuple(sorted(nodes, key=_natural))
            for value, nodes in sorted(values.items(), key=lambda item: -len(item[1]))
            if value != majority
        }
        yield Drift(what=what, majority=majority, majority_count=len(values[majority]), minority=minority)


def _places(rows: Mapping[str, NodeAnswer], causes: Iterable[Cause]) -> Iterable[PlaceHint]:
    where: dict[tuple[str, str], set[str]] = {}
    by_kind: dict[str, set[str]] = {}
    for row in rows.values():
        for kind, place in row.place.items():
            where.setdefault((kind, place), set()).add(row.node)
            by_kind.setdefault(kind, set()).add(row.node)
    for cause in causes:
        if len(cause.nodes) < _LEAST_GATHERED:
            continue
        bad = set(cause.nodes)
        for (kind, place), there in where.items():
            here = len(bad & there)
            others = by_kind[kind] - there
            if here < _LEAST_GATHERED or 2 * here < len(bad) or not others:
                continue
            elsewhere = len(bad & others)
            if here / len(there) >= _RATIO * elsewhere / len(others):
                yield PlaceHint(
                    cause=cause.fingerprint,
                    kind=kind,
                    place=place,
                    bad=here,
                    nodes=len(there),
                    bad_elsewhere=elsewhere,
                    nodes_elsewhere=len(others),
                )


def _changed(rows: Mapping[str, NodeAnswer], before: Iterable[NodeAnswer | NodeBench]) -> Iterable[Changed]:
    old, _ = _each_once(before)
    for node in sorted({*rows, *old}, key=_natural):
        here, there = rows.get(node), old.get(node)
        now, then = _state_words(here), _state_words(there)
        if _answered(here) != _answered(there):
            (now if _answered(here) else then).insert(0, "answers")
        elif here is not None and there is not None:
            # A version missing in one of the rounds is unknown there: it may be the same.
            both = [what for what in sorted(here.versions) if what in there.versions]
            now += [f"{what} {here.versions[what]}" for what in both]
            then += [f"{what} {there.versions[what]}" for what in both]
        new, gone = tuple(word for word in now if word not in then), tuple(word for word in then if word not in now)
        if new or gone:
            yield Changed(node=node, now=new, before=gone)


def _answered(row: NodeAnswer | None) -> bool:
    return row is not None and row.state in ANSWERED


def _state_words(row: NodeAnswer | None) -> list[str]:
    if row is None:
        return ["not in the round"]
    if row.state not in ANSWERED:
        return [row.state.replace("_", " ")]
    return list(dict.fromkeys(finding.fingerprint for finding in row.findings if finding.is_cause))


def placed(
    answers: Iterable[NodeAnswer | NodeBench], places: Mapping[str, Mapping[str, str]]
) -> Iterable[NodeAnswer | NodeBench]:
    """Yield the answers with their places, from a table node -> kind -> place."""
    for answer in answers:
        known = places.get(answer.node)
        if known and isinstance(answer, NodeAnswer):
            yield replace(answer, place={**answer.place, **known})
        else:
            yield answer
