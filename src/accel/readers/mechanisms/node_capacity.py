"""What a node offers to Kubernetes' pods, as `kubectl describe node` lists it.

    Capacity:
      cpu:                48
      memory:             263603720Ki
      nvidia.com/gpu:     8
    Allocatable:
      cpu:                48
      …

Devices are resources with a domain before a slash; Kubernetes' own have none.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.readers.page import Page
from accel.text.pattern import pattern

_HEAD: Final = pattern(r"^\s{0,20}(?P<block>Capacity|Allocatable):\s{0,20}$", exact_case=True)
_ROW: Final = pattern(r"^\s{0,40}(?P<resource>[A-Za-z][\w./-]{1,80}):\s{1,60}(?P<amount>\d[\w.]{0,20})\s{0,20}$")
_OWN: Final = frozenset(("cpu", "memory", "pods"))


def recognise(page: Page) -> Iterator[Noted]:
    """Yield node-offers (block, resource, amount) for each device resource, and node-offers-none (block) where a whole
    block lists the node's own resources and no device.
    """
    if "capacity" not in page.words.places and "allocatable" not in page.words.places:
        return
    lines = page.lines
    for number, line in enumerate(lines, 1):
        head = _HEAD.match(line) if len(line) < 80 else None
        if head is None:
            continue
        rows = []
        for below, follower in enumerate(lines[number : number + 60], number + 1):
            row = _ROW.match(follower) if len(follower) < 200 else None
            if row is None:
                break
            rows.append((below, row["resource"], row["amount"]))
        devices = [row for row in rows if "/" in row[1]]
        for below, resource, amount in devices:
            values = (("block", head["block"]), ("resource", resource), ("amount", amount))
            yield Noted(fact="node-offers", values=values, **page.on_line(below))
        if not devices and {resource for _, resource, _ in rows} >= _OWN:
            yield Noted(fact="node-offers-none", values=(("block", head["block"]),), **page.on_line(number))
