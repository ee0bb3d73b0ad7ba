"""Saved snapshots that are read together: of one machine, or of several nodes, some of which may not have answered.

Snapshots of two machines must never be merged into one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from accel.model.codec import decode_snapshot, is_snapshot
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.observation import Noted
from accel.model.snapshot import Part, Snapshot
from accel.vendors.toolkit.notes import noted

_OF_THE_HOST = ("name", "machine", "distribution", "memory_total_bytes")
_BOARDS = ("uuid", "serial", "pci_address")
_BEGINS: Final = '{"schema":'  # of a snapshot, without blanks
_LEAST_NODES: Final = 2


def check_one_machine(saved: Sequence[tuple[str, Snapshot]]) -> None:
    """Raise BadInput, with both files and what distinguishes them, if two of the (name, snapshot) are of different
    machines.

    A replaced host name ("host-1") is the same in every snapshot, so size, system and boards are compared, too.
    """
    first_name, first = saved[0]
    for name, other in saved[1:]:
        if (told := _apart(first, other)) is not None:
            raise BadInput(
                f"{first_name} and {name} come from two machines: {told}. Diagnose one machine at a time:  accel "
                "doctor --from FILE"
            )


def nodes_of_files(
    texts: Sequence[tuple[str, str]], types: Callable[[], Mapping[str, type[Device]]]
) -> Snapshot | None:
    """Return one snapshot whose parts are the nodes in the saved snapshots given as (name, text).

    types  returns the record of each backend's devices; only called if snapshots are read, because it loads every
           plugin

    An empty or truncated file is a node that did not answer, if at least two others did. Returns None if the texts are
    anything else, or if two are of the same machine. Raises BadInput for a snapshot that cannot be used.
    """
    if len(texts) < _LEAST_NODES:
        return None
    silent = {name: why for name, text in texts if (why := _no_answer(text)) is not None}
    if len(texts) - len(silent) < _LEAST_NODES or not all(is_snapshot(t) for n, t in texts if n not in silent):
        return None
    records = types()
    saved = [(name, decode_snapshot(text, records, name)) for name, text in texts if name not in silent]
    return as_nodes(saved, tuple(_without_answer(name, why) for name, why in silent.items()))


def _no_answer(text: str) -> str | None:
    """Return why a file does not contain the expected snapshot; None if it contains one, or another text."""
    if not text.strip():
        return "nothing came"
    begins = "".join(text[:200].split())
    if begins.startswith(_BEGINS[: len(begins)]) and not text.rstrip().endswith("}"):
        return "its answer breaks off"
    return None


def _without_answer(name: str, why: str) -> Noted:
    node = name.replace("\\", "/").rpartition("/")[2].removesuffix(".json").removesuffix(".txt")
    return noted("node-without-answer", f"{name}: {why}", name, node=node, why=why)


def as_nodes(saved: Sequence[tuple[str, Snapshot]], silent: tuple[Noted, ...] = ()) -> Snapshot | None:
    """Return the (name, snapshot) of several machines as parts of one; None if two are of the same machine."""
    if any(_apart(one, other) is None for n, (_, one) in enumerate(saved) for _, other in saved[n + 1 :]):
        return None
    named = [one.host.name for _, one in saved]
    parts = []
    for name, one in saved:
        own = one.host.name if one.host.name and named.count(one.host.name) == 1 else name
        parts.append(
            Part(
                says=f"on {own}",
                kinds=(("machine", own),),
                host=one.host,
                environments=one.environments,
                observations=one.observations,
                reports=one.reports,
            )
        )
    gaps = tuple(dict.fromkeys(gap for _, one in saved for gap in one.gaps))
    origin = ", ".join(name for name, _ in saved)
    return Snapshot(taken_at=saved[0][1].taken_at, origin=origin, parts=tuple(parts), gaps=gaps, observations=silent)


def _apart(one: Snapshot, other: Snapshot) -> str | None:
    """Return what distinguishes two machines; None if nothing does."""
    for field in _OF_THE_HOST:
        mine, theirs = getattr(one.host, field), getattr(other.host, field)
        if mine is not None and theirs is not None and mine != theirs:
            return f"{field} is {mine!r} in the one and {theirs!r} in the other"
    for backend in _backends(one) & _backends(other):
        for field in _BOARDS:
            own, others = _values(one, backend, field), _values(other, backend, field)
            if own and others and own.isdisjoint(others):
                return f"no {backend} device of the one is in the other, by {field}"
    return None


def _backends(snapshot: Snapshot) -> set[str]:
    return {device.backend for report in snapshot.reports for device in report.devices if device.kind != "cpu"}


def _values(snapshot: Snapshot, backend: str, field: str) -> set[object]:
    devices = (d for report in snapshot.reports for d in report.devices if d.backend == backend)
    return {value for device in devices if (value := getattr(device, field)) is not None}
