"""Merges several readings of one machine's wiring: for each function, port or node, the earliest reading wins."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from accel.model.dataclass import replace
from accel.model.merge import filled
from accel.model.wiring import NetworkPort, Wiring

_Record = TypeVar("_Record")


def merged_wiring(readings: "Iterable[Wiring | None]") -> Wiring | None:
    """Return the wiring merged from all readings; None if none has it."""
    found: Wiring | None = None
    for wiring in readings:
        if wiring is not None:
            found = wiring if found is None else _joined(found, wiring)
    return found


def _joined(first: Wiring, second: Wiring) -> Wiring:
    return replace(
        filled(first, second),
        functions=_either(first.functions, second.functions, lambda function: function.address),
        ports=_either(first.ports, second.ports, _name),
        numa_nodes=_either(first.numa_nodes, second.numa_nodes, lambda node: node.index) or (),
        gaps=tuple(dict.fromkeys((*first.gaps, *second.gaps))),
    )


def _name(port: NetworkPort) -> Hashable:
    return port.card, port.port


def _either(
    first: "Sequence[_Record] | None", second: "Sequence[_Record] | None", key: Callable[[_Record], Hashable]
) -> "tuple[_Record, ...] | None":
    if first is None or second is None:
        return None if first is second else tuple(first or second or ())
    found = {key(record): record for record in first}
    for record in second:
        name = key(record)
        found[name] = filled(found[name], record) if name in found else record
    return tuple(found.values())
