"""Shares one diagnosis between snapshots that do not differ in anything that affects it.

A snapshot is split into its numbers (of devices, processes, the host and observations), its names (host, serial
numbers) and the rest. The second snapshot with the same rest is judged with traced numbers (accel.fleet.traced). Others
with the same rest, whose numbers give the same answers to the recorded questions, get the same diagnosis with their own
numbers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from accel.fleet.model import NodeAnswer, NodeDevice
from accel.fleet.node import answer_of
from accel.fleet.traced import Questions, Trace, Traced, Values, function_of
from accel.model.codec import decode_snapshot
from accel.model.dataclass import dataclass, replace
from accel.model.device import Device

if TYPE_CHECKING:
    from accel.model.diagnosis import Diagnosis
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

Path = tuple[Any, ...]
_NUMBER: Final = re.compile(r"\d{1,18}(\.\d{1,9})?")
_LIKE: Final = {int: 0, float: 0.5}  # placeholder in the rest for a number: its type must be the same
_NO_NUMBER: Final = frozenset((str, bool, type(None)))
_MOST_VARIANTS: Final = 12
_MOST_SHAPES: Final = 4  # per group: beyond it the numbers differ too much
_SIGNS: Final = 12  # of a name that must not be anywhere else: masks may give the beginning of a serial number
_BROKE: Final = "broke: "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """An answer, and the questions that decide it. devices: each with its readings as functions of the numbers."""

    questions: Questions
    answer: NodeAnswer
    devices: Sequence[tuple[NodeDevice, Sequence[tuple[str, Callable[[Values], Any]]]]]


class Alike:
    """Answers for snapshots, with as few diagnoses as their contents allow."""

    def __init__(self, registry: "Registry") -> None:
        from accel.collect.live import device_types

        self._registry = registry
        self._types: Mapping[str, type[Device]] = device_types(registry)
        self._known: dict[bytes, list[_Shape]] = {}
        self._seen = _Seen()
        self.judged = 0
        self.shared = 0

    def answer(self, data: bytes, name: str, node: Callable[[str | None], str]) -> NodeAnswer:
        """Return a snapshot's answer; raises BadInput with the file's name if it is not a snapshot.

        node  maps the snapshot's host name to a node name
        """
        taken = _Taken(data, self._types, self._seen)
        if taken.whole:
            for shape in self._known.get(taken.key, ()):
                if shape.questions.same(taken.values):
                    self.shared += 1
                    return _filled(shape, taken, node(taken.host), name)
        return self._judge(data, name, node, taken)

    def _judge(self, data: bytes, name: str, node: Callable[[str | None], str], taken: "_Taken") -> NodeAnswer:
        snapshot = decode_snapshot(data.decode("utf-8", "replace"), self._types, name)
        self.judged += 1
        called = node(snapshot.host.name)
        known = self._known.get(taken.key)
        if known is not None and taken.whole and len(known) < _MOST_SHAPES:
            made = self._traced(data, snapshot, called, name)
            if made is not None:
                known.append(made)
                return _filled(made, taken, called, name)
        elif taken.whole:
            self._known.setdefault(taken.key, [])  # tracing takes longer: it is worth it from the second of a kind on
        return answer_of(snapshot, self._diagnosis(snapshot), called, source=name)

    def _diagnosis(self, snapshot: "Snapshot") -> "Diagnosis":
        from accel.collect.live import judged

        return judged(snapshot, self._registry)

    def _traced(self, data: bytes, snapshot: "Snapshot", called: str, name: str) -> _Shape | None:
        """Return the answer with its questions; None if a number was used in a way that cannot be traced."""
        paths: list[Path] = []
        taken = _Taken(data, self._types, _Seen(), paths)
        trace = Trace(taken.values)
        try:
            changed = _with_traced(snapshot, paths, trace)
            diagnosis = self._diagnosis(changed)
            if any(_BROKE in gap.reason for gap in diagnosis.gaps):
                return None
            answer = answer_of(changed, diagnosis, called, source=name)
            devices = [
                (one, [(reading, _function(value, trace)) for reading, value in one.readings.items()])
                for one in answer.devices
            ]
            questions = Questions(trace)
        except Exception:  # code that will not have a traced number: the snapshot is judged with its own
            return None
        told = repr((answer.findings, answer.gaps, answer.versions, answer.why))
        if any(one in told for one in (called, *taken.names) if one):
            return None
        return _Shape(questions=questions, answer=answer, devices=devices)


def _function(value: Any, trace: Trace) -> Callable[[Values], Any]:
    if type(value) is Traced:
        return function_of(value.term if value.belongs_to(trace) else ("constant", value.itself()))
    return function_of(("constant", value))


def _filled(shape: _Shape, taken: "_Taken", node: str, source: str) -> NodeAnswer:
    values = taken.values
    return replace(
        shape.answer,
        node=node,
        taken_at=taken.taken_at,
        source=source,
        devices=tuple(
            NodeDevice(
                id=one.id, name=one.name, load=one.load, readings={name: told(values) for name, told in readings}
            )
            for one, readings in shape.devices
        ),
    )


class _Seen(dict[Any, list[tuple[Any, Any, list[Any]]]]):
    """Nested records that were split before, by field: complete, without numbers, and the numbers."""


def _copied(value: Any) -> Any:
    return (
        {key: _copied(one) for key, one in value.items()}
        if type(value) is dict
        else ([_copied(one) for one in value] if type(value) is list else value)
    )


class _Taken:
    """A snapshot's document, split. whole: whether it has a snapshot's form; if not, it is judged on its own.

    key     of the rest: equal for all that differ only in numbers and names
    values  the numbers, in document order
    """

    def __init__(
        self, data: bytes, types: Mapping[str, type[Device]], seen: "_Seen", paths: list[Path] | None = None
    ) -> None:
        import msgspec

        self.key = b""
        self.values: list[Any] = []
        self.names: dict[str, int] = {}
        self.host: str | None = None
        self.taken_at: str | None = None
        self.whole = False
        self._paths, self._seen = paths, seen
        try:
            document = msgspec.json.decode(data)
            rest, devices = self._apart(document, types)
            encoded = msgspec.json.encode(rest)
            kept = [name for name in self.names if name[:_SIGNS].encode() in encoded]
            digest = blake2b(encoded, digest_size=24)
            digest.update(msgspec.json.encode((devices, kept)))
        except (msgspec.DecodeError, RecursionError, AttributeError, KeyError, TypeError, UnicodeError):
            return
        self.key, self.whole = digest.digest(), not document.get("parts")

    def _apart(self, document: dict[str, Any], types: Mapping[str, type[Device]]) -> tuple[Any, Any]:
        self.taken_at = document["taken_at"]
        document["taken_at"] = (self.taken_at or "")[:10]  # what ends on a day is judged by the day
        host = document["host"]
        self.host = self._named(host, "name")
        self._numbers(host, ("host",))
        self._numbers(document.get("holdings") or {}, ("holdings",))
        self._noted(document.get("observations") or (), ())
        devices = []
        for place, report in enumerate(document.get("reports") or ()):
            path = "reports", place
            rows = report.pop("devices", None) or ()
            self._noted(report.get("observations") or (), path)
            report.pop("seconds", None)
            for number, row in enumerate(rows):
                for field in types.get(row["backend"], Device).identifying:
                    self._named(row, field)
                self._numbers(row, (*path, "devices", number))
            devices.append(rows)
        return document, devices

    def _named(self, holder: dict[str, Any], field: str) -> str | None:
        """Remove a name and put its index among the document's names in its place."""
        name = holder.get(field)
        if not isinstance(name, str):
            return None
        place = self.names.setdefault(name, len(self.names))
        holder[field] = f"{name[:4] if field != 'name' else ''}-{len(name) > _SIGNS}-{place}"
        return name

    def _numbers(self, holder: Any, path: Path) -> None:
        """Remove the numbers from a record and the records nested in it; an index counts as a name and stays."""
        held = holder.items() if type(holder) is dict else enumerate(holder)
        for key, value in [one for one in held if type(one[1]) not in _NO_NUMBER]:
            instead = _LIKE.get(type(value))
            if instead is None:
                self._nested(holder, key, value, path)
            elif key != "index":
                self._take(holder, key, value, instead, path)

    def _nested(self, holder: Any, key: Any, value: Any, path: Path) -> None:
        """Remove the numbers from a nested record: a device's links are usually the same as the previous device's."""
        if self._paths is not None:
            self._numbers(value, (*path, key))
            return
        variants = self._seen.setdefault(key, [])
        for whole, rest, values in variants:
            if whole == value:
                holder[key] = rest
                self.values += values
                return
        whole, first = _copied(value), len(self.values)
        self._numbers(value, path)
        if len(variants) < _MOST_VARIANTS:
            variants.append((whole, value, self.values[first:]))

    def _noted(self, observations: Sequence[Any], path: Path) -> None:
        """Remove the numbers from observations, and the text that repeats them."""
        for place, one in enumerate(observations):
            if one.get("kind") != "noted":
                continue
            here = (*path, "observations", place)
            found = False
            for number, pair in enumerate(one.get("values") or ()):
                told = _NUMBER.fullmatch(pair[1])
                if told is not None:
                    found = True
                    self._take(pair, 1, pair[1], "0.5" if told[1] else "0", (*here, "values", number))
            if found:
                self._take(one, "text", one["text"], "", here)

    def _take(self, holder: Any, key: Any, value: Any, instead: Any, path: Path) -> None:
        self.values.append(value)
        holder[key] = instead
        if self._paths is not None:
            self._paths.append((*path, key))


def _with_traced(snapshot: "Snapshot", paths: Sequence[Path], trace: Trace) -> "Snapshot":
    """Return the snapshot with the values at these paths traced."""
    tree: dict[Any, Any] = {}
    for place, path in enumerate(paths):
        inner = tree
        for step in path[:-1]:
            inner = inner.setdefault(step, {})
        inner[path[-1]] = place
    made: Snapshot = _changed(snapshot, tree, trace)
    return made


def _changed(holder: Any, tree: Mapping[Any, Any], trace: Trace) -> Any:
    if isinstance(holder, tuple):
        parts = list(holder)
        for place, inner in tree.items():
            parts[place] = _part(parts[place], inner, trace)
        return tuple(parts)
    new = {name: _part(getattr(holder, name), inner, trace) for name, inner in tree.items() if hasattr(holder, name)}
    return replace(holder, **new)


def _part(value: Any, inner: Any, trace: Trace) -> Any:
    if isinstance(inner, dict):
        return value if value is None else _changed(value, inner, trace)
    return trace.number(inner) if type(value) in (int, float, str) else value
