"""The chips of a host connected by an inter-chip link (ICI): those whose positions in the slice differ by one step.

    TpuDevice(id=2, process_index=0, coords=(0,1,0), core_on_chip=0)     JAX, if it was queried: the position itself
    four or eight chips of one host                                      else the layout of specs/tpu/generations.yaml

Wrap-around links of a torus are not included: within a host there are none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from accel.model.device import Device
from accel.model.report import Report
from accel.model.wiring import Link
from accel.specs import load

_WORD: Final = "ICI"
_JAX: Final = "jax"
_LAYOUT: Final = "layout of TPU hosts"


def neighbours(asked: Sequence[Device], listed: Sequence[Device]) -> Iterator[Report]:
    """Yield a report of the links, if they are known.

    asked: the devices as listed by JAX; listed: as listed by the kernel.
    """
    for source, places in ((_JAX, _told(asked)), (_LAYOUT, _laid_out(listed))):
        if places:
            pairs = [pair for pair in combinations(places, 2) if _steps(*(places[name] for name in pair)) == 1]
            links = tuple(Link(one=one, other=other, path=_WORD) for one, other in pairs)
            yield Report(backend="tpu", source=source, trust=30, links=links, linked=tuple(places))
            return


def _told(devices: Iterable[Device]) -> dict[str, tuple[int, ...]] | None:
    """Return the places that JAX reports, if it reports one for each chip."""
    found = {device.id: getattr(device, "coords", None) for device in devices}
    known = {name: place for name, place in found.items() if place is not None}
    return known if len(known) == len(found) == len(set(known.values())) else None


def _laid_out(devices: Sequence[Device]) -> dict[str, tuple[int, ...]] | None:
    """Return the places of a complete host's chips by their numbers, row by row."""
    table: Mapping[str, Any] = (load().table("tpu/generations") or {}).get("host_layout") or {}
    if len(devices) not in table.get("chips", ()) or len({device.architecture for device in devices}) != 1:
        return None
    columns: int = table["columns"]
    return {device.id: (device.index % columns, device.index // columns) for device in devices}


def _steps(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(abs(mine - theirs) for mine, theirs in zip(one, other, strict=True))
