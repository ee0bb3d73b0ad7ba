"""How a vendor's tool is called on a live machine: specs/<vendor>/tools.yaml."""

from collections.abc import Iterable
from typing import Any

from accel.model.dataclass import dataclass
from accel.model.device import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """One vendor's tool and hardware. What the tool prints is read by the reader rules of the same backend.

    command    the tool's name, then where its package puts it
    arguments  of the call that lists the devices; more: those of further calls for the health
    pci_ids    what "vendor:device" of its boards begins with; nodes: device nodes of its driver
    mask       the variable by which the runtime is shown fewer devices; runtime: what programs call them ("acme:0")
    hint       where the tool comes from, for those who lack it
    """

    backend: str
    vendor: str
    kind: Kind
    command: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    more: tuple[tuple[str, ...], ...] = ()
    pci_ids: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    mask: str | None = None
    runtime: str | None = None
    hint: str = ""


def tool_rules(tables: Iterable[tuple[str, Any]]) -> tuple[ToolRule, ...]:
    """Return the tools of these (table name, table) pairs."""
    return tuple(
        ToolRule(
            backend=table["backend"],
            vendor=table["vendor"],
            kind=table["kind"],
            command=tuple(stated["command"]),
            arguments=tuple(stated.get("arguments") or ()),
            more=tuple(tuple(words) for words in stated.get("more") or ()),
            pci_ids=tuple(stated.get("pci_ids") or ()),
            nodes=tuple(stated.get("nodes") or ()),
            mask=stated.get("mask"),
            runtime=stated.get("runtime"),
            hint=stated.get("hint") or "",
        )
        for _, table in tables
        for stated in table["tools"]
    )
