"""Read what a node offers to Kubernetes' pods, from `kubectl describe node`.

    Capacity:
      cpu:                48
      memory:             263603720Ki
      nvidia.com/gpu:     8
    Allocatable:
      cpu:                48
      …

or from `kubectl get node -o yaml` and `-o json` (capacity, "nvidia.com/gpu": "8").

Device resources have a domain before a slash; Kubernetes' own resources have none.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_HEAD: Final = pattern(r"^\s{0,20}\"?(?P<block>capacity|allocatable)\"?:\s{0,4}\{?\s{0,20}$")
_ROW: Final = pattern(
    r"^\s{0,40}\"?(?P<resource>[A-Za-z][\w./-]{1,80})\"?:\s{1,60}[\"']?(?P<amount>\d[\w.]{0,20})[\"']?,?\s{0,20}$"
)
_OWN: Final = frozenset(("cpu", "memory", "pods"))


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the devices that each block of a node offers.

    node-offers (block, resource, amount)  each device resource
    node-offers-none (block)               the block lists the node's own resources and no device
    pod-devices-unhealthy (resource)       fewer are allocatable than the capacity has: the plugin considers some
                                           unhealthy
    """
    if "capacity" not in page.words.places and "allocatable" not in page.words.places:
        return
    lines, last = page.lines, dict[str, tuple[str, int]]()  # resource: its last block and amount
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
        block = head["block"].capitalize()
        for below, resource, amount in devices:
            values = (("block", block), ("resource", resource), ("amount", amount))
            yield Noted(fact="node-offers", values=values, **page.on_line(below))
            if not amount.isdecimal():
                continue
            other = last.pop(resource, None)
            if other is None or other[0] == block:
                last[resource] = (block, int(amount))
            elif _withheld(block, int(amount), other[1]):
                yield Noted(fact="pod-devices-unhealthy", values=(("resource", resource),), **page.on_line(below))
        if not devices and {resource for _, resource, _ in rows} >= _OWN:
            yield Noted(fact="node-offers-none", values=(("block", block),), **page.on_line(number))


def _withheld(block: str, amount: int, of_other: int) -> bool:
    """Return whether fewer devices are allocatable than there are; `block` says what the first amount is."""
    there, given = (amount, of_other) if block == "Capacity" else (of_other, amount)
    return given < there
