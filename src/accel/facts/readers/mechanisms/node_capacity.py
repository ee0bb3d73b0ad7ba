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

_HEAD: Final = pattern(r"^\s{0,20}\"?(?P<block>capacity|allocatable|limits|requests)\"?:\s{0,4}\{?\s{0,20}$")
_ROW: Final = pattern(
    r"^\s{0,40}\"?(?P<resource>[A-Za-z][\w./-]{1,80})\"?:\s{1,60}[\"']?(?P<amount>\d[\w.]{0,20})[\"']?,?\s{0,20}$"
)
_REQUESTED: Final = pattern(
    r"^\s{1,20}(?P<resource>[a-z][\w.-]{1,60}/[\w.-]{1,60})\s{1,40}(?P<amount>\d{1,4})\s{1,40}\d{1,4}\s{0,20}$"
)
_NODE: Final = pattern(r"\bdescribe nodes? (?P<first>[\w.-]{1,80})|^Name:\s{1,40}(?P<second>[\w.-]{1,80})\s{0,20}$")
_OF_POD: Final = ("Limits", "Requests")
_OWN: Final = frozenset(("cpu", "memory", "pods"))


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the devices that each block of a node offers.

    node-offers (block, resource, amount)  each device resource
    node-offers-none (block)               the block lists the node's own resources and no device
    pod-devices-unhealthy (resource)       fewer are allocatable than the capacity has: the plugin considers some
                                           unhealthy
    pod-asks-not-offered (resource, amount, most | other)  a pod's limits ask for more than any node offers, or for
                                           devices of another name
    node-devices-all-requested (resource, count, node)  pods of the node already request all that it offers
    """
    if "capacity" not in page.words.places and "allocatable" not in page.words.places:
        return
    lines, last = page.lines, dict[str, tuple[str, int]]()  # resource: its last block and amount
    asked: dict[str, tuple[int, int]] = {}  # resource: amount and line
    most: dict[str, int] = {}
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
        counts = [(below, resource, int(amount)) for below, resource, amount in devices if amount.isdecimal()]
        if block in _OF_POD:
            asked.update({resource: (amount, below) for below, resource, amount in counts})
            continue
        most.update({resource: max(amount, most.get(resource, 0)) for _, resource, amount in counts})
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
    node = next((hit["first"] or hit["second"] for line in lines if (hit := _NODE.search(line[:200]))), None)
    for number, line in enumerate(lines, 1):
        row = _REQUESTED.match(line) if len(line) < 200 else None
        if row is not None and 0 < most.get(row["resource"], 0) <= int(row["amount"]):
            values = (("resource", row["resource"]), ("count", row["amount"]), *((("node", node),) if node else ()))
            yield Noted(fact="node-devices-all-requested", values=values, **page.on_line(number))
    for resource, (wanted, below) in asked.items() if any(most.values()) else ():
        if wanted > most.get(resource, 0):
            others = " and ".join(name for name, count in most.items() if count)
            limit = ("most", str(most[resource])) if most.get(resource) else ("other", others)
            values = (("resource", resource), ("amount", str(wanted)), limit)
            yield Noted(fact="pod-asks-not-offered", values=values, **page.on_line(below))


def _withheld(block: str, amount: int, of_other: int) -> bool:
    """Return whether fewer devices are allocatable than there are; `block` says what the first amount is."""
    there, given = (amount, of_other) if block == "Capacity" else (of_other, amount)
    return given < there
