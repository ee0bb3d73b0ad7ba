"""A node's readings from a benchmark written by `accel bench --save`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from accel.fleet.model import NodeBench, NodeDevice
from accel.model.errors import BadInput
from accel.model.printable import printable

_GIGA = 1e9


def bench_of(text: str, name: str, node: str) -> NodeBench:
    """Return a benchmark's readings; raises BadInput if the document is not a benchmark.

    node  the name to use if the benchmark has none, as without --identifiers
    """
    try:
        document = json.loads(text)
        if document["schema"] != "accel.bench/1":
            raise BadInput(f"{name}: was written by a newer accel. Update this one to read it.")
        found: dict[str, dict[str, float]] = {str(one["id"]): {} for one in document["devices"]}
        for measure in document["measures"]:
            if measure["device"] in found:
                found[measure["device"]].update(_readings(measure, " quick" if document["quick"] else ""))
        devices = tuple(
            NodeDevice(id=printable(str(one["id"]))[:80], name=one.get("name"), readings=found[str(one["id"])])
            for one in document["devices"]
        )
        host, started = document.get("host"), document["started"]
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not a complete benchmark: {error}. Write it again:  accel bench --save") from None
    return NodeBench(node=str(host or node), devices=devices, taken_at=str(started), source=name)


def _readings(measure: Mapping[str, Any], suffix: str) -> Iterator[tuple[str, float]]:
    """Yield a rate as a share of its peak, or the rate itself if the peak is unknown."""
    value, peak = measure.get("value"), measure.get("peak")
    if measure["state"] != "measured" or not value or measure["unit"] == "s":
        return
    name = f"{printable(str(measure['name']))[:60]}{suffix}"
    if others := measure.get("others"):
        name = f"{name} with {', '.join(printable(str(one))[:40] for one in others[:8])}"
    if peak:
        yield f"{name}_percent", 100 * float(value) / float(peak)
    elif measure["unit"] == "bytes/s":
        yield f"{name}_gigabytes", float(value) / _GIGA
