"""Groups GPUs' faulty NVLinks by cause: those of one GPU, of two connected GPUs, or of one switch. Pure.

If the other end of a link is unknown, its number is used instead: GPUs of one model are wired alike, and their links
of one number lead to one switch or bridge.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice, NvLink

    Faulty = tuple[NvidiaDevice, tuple[NvLink, ...]]

_MOST_NAMES: Final = 4
_MOST_LINES: Final = 8


def by_cause(faulty: "Sequence[Faulty]", gpus: "Sequence[NvidiaDevice]") -> "list[list[Faulty]]":
    """Return the GPUs with their faulty links, grouped by cause, in order of each group's first."""
    groups: list[tuple[set[object], list[Faulty]]] = []
    for one in faulty:
        ends, members = set(_ends(one, gpus)), [one]
        for known in [group for group in groups if group[0] & ends]:
            groups.remove(known)
            ends |= known[0]
            members = [*known[1], *members]
        groups.append((ends, members))
    order = {device.id: place for place, (device, _) in enumerate(faulty)}
    found = [sorted(members, key=lambda member: order[member[0].id]) for _, members in groups]
    return sorted(found, key=lambda members: order[members[0][0].id])


def names(group: "Sequence[Faulty]") -> str:
    """Return "nvidia:0, nvidia:1", or for many the first and the number of the others."""
    ids = [device.id for device, _ in group]
    more = len(ids) - _MOST_NAMES
    return ", ".join(ids) if more <= 0 else f"{', '.join(ids[:_MOST_NAMES])} and {more} more"


def evidence(group: "Sequence[Faulty]", say: "Callable[[NvLink], str]") -> tuple[Evidence, ...]:
    """Return the evidence of each link, with the GPU's name if there are several."""
    links = [(device, link) for device, faulty in group for link in faulty]
    return tuple(
        Evidence(
            fact=f"link {link.index}" + (f" of {device.id}" if len(group) > 1 else ""),
            value=say(link),
        )
        for device, link in links[: _MOST_LINES if len(group) > 1 else _MOST_NAMES]
    )


def _ends(one: "Faulty", gpus: "Sequence[NvidiaDevice]") -> Iterator[object]:
    """Yield what may be faulty: the GPU, and the other end of its links."""
    device, links = one
    yield device.id
    for link in links:
        if link.remote_pci_address is None:
            yield device.name, link.index
        else:
            yield next((gpu.id for gpu in gpus if gpu.pci_address == link.remote_pci_address), link.remote_pci_address)
