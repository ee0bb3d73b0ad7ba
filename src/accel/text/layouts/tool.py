"""How to call a vendor's tool on a live machine, and the class of its devices: specs/<vendor>/tools.yaml."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from accel.model.dataclass import dataclass, field, field_names
from accel.model.device import Device, Kind

TYPES: Final[dict[str, Any]] = {"text": str, "count": int, "number": float, "flag": bool}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """One vendor's tool and hardware. Reader rules of the same backend parse the tool's output.

    command     the tool's name, then the path where its package installs it
    calls       arguments of the calls that list the devices; more: arguments of further calls for the health;
                memory: arguments of the call that prints the memory, if it is not the first
    masks       lists of the variables that restrict which devices the runtime sees
                (accel.vendors.contract.vendor.Masks)
    runtimes    what programs call the devices ("acme" in "acme:0")
    hint        where to get the tool
    record      the class of its devices: Device with the stated fields
    vendor_fields  further fields of the vendor's statement (accel.vendors.contract.vendor.Vendor), as they are stated
    lspci       how to recognise its boards in the output of lspci (accel.vendors.toolkit.lspci_reader); None: they are
                not looked for
    matrix      how its tool prints the links: the column's name, the words of a cell, what must be in the text
    not_loaded  the check for a kernel driver that is not loaded (accel.checks.driver_not_loaded)
    """

    backend: str
    vendor: str
    kind: Kind
    command: tuple[str, ...]
    calls: tuple[tuple[str, ...], ...] = ((),)
    more: tuple[tuple[str, ...], ...] = ()
    memory: tuple[str, ...] = ()
    masks: tuple[tuple[str, ...], ...] = ()
    first_counts: bool = False
    runtimes: tuple[str, ...] = ()
    hint: str = ""
    no_health: str = ""
    record: type[Device] = Device
    vendor_fields: Mapping[str, Any] = field(default_factory=dict)
    lspci: Mapping[str, Any] | None = None
    matrix: Mapping[str, str] | None = None
    not_loaded: Mapping[str, str] | None = None


def tool_rules(tables: Iterable[tuple[str, Any]]) -> tuple[ToolRule, ...]:
    """Return the tools of these (table name, table) pairs."""
    return tuple(tool_rule(stated, table) for _, table in tables for stated in table["tools"])


def tool_rule(stated: Mapping[str, Any], table: Mapping[str, Any], record: type[Device] | None = None) -> ToolRule:
    """Return one rule. record: the class of its devices if the rule does not state their fields."""
    arguments = tuple(stated.get("arguments") or ())
    mask, runtime = stated.get("mask"), stated.get("runtime")
    masks = stated.get("masks") or ([[mask]] if mask else [])
    runtimes = stated.get("runtimes") or ([runtime] if runtime else [])
    return ToolRule(
        backend=table["backend"],
        vendor=table["vendor"],
        kind=table["kind"],
        command=tuple(stated["command"]),
        calls=_calls(stated.get("calls")) or (arguments,),
        more=_calls(stated.get("more")),
        memory=tuple(stated.get("memory") or arguments),
        masks=_calls(masks),
        first_counts=bool(stated.get("first_counts")),
        runtimes=tuple(runtimes),
        hint=stated.get("hint") or "",
        no_health=stated.get("no_health") or "",
        record=record or _record_of(table["backend"], stated.get("fields")),
        vendor_fields={
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stated.items()
            if name in VENDOR_FIELDS
        },
        lspci=stated.get("lspci"),
        matrix=stated.get("matrix"),
        not_loaded=stated.get("not_loaded"),
    )


def record_stated(table: Mapping[str, Any] | None) -> type[Device]:
    """Return the record class that a table of tools states for its vendor's devices; Device without a table."""
    tools = (table or {}).get("tools") or ()
    return _record_of(table["backend"], tools[0].get("fields")) if table and tools and "fields" in tools[0] else Device


def _record_of(backend: str, stated: Mapping[str, Mapping[str, str]] | None) -> type[Device]:
    """Create the record class of a vendor's devices.

    stated  {field: {type: "count", reading: "clock_mhz", means: "…"}}
    """
    own = (stated or {}).items()
    return _record(backend, tuple((name, told["type"], told.get("reading")) for name, told in own))


@cache
def _record(backend: str, stated: tuple[tuple[str, str, str | None], ...]) -> type[Device]:
    if not stated:
        return Device
    own = {name: TYPES[kind] | None for name, kind, _ in stated}
    space = {
        **dict.fromkeys(own),
        "__annotations__": own,
        "__doc__": f"One device of {backend}, with what its tool knows of it.",
        "__reduce__": lambda self: (_remade, (backend, stated, _values(self))),
        "readings_from": tuple((reading, name) for name, _, reading in stated if reading),
    }
    named = f"{backend.title().replace('_', '')}Device"
    kind: type[Device] = dataclass(frozen=True, slots=True, kw_only=True)(type(named, (Device,), space))
    return kind


def _values(device: Device) -> dict[str, Any]:
    return {name: getattr(device, name) for name in field_names(device)}


def _remade(backend: str, stated: tuple[tuple[str, str, str | None], ...], values: dict[str, Any]) -> Device:
    """Unpickle a device: its class is in no module, so it is created again from the stated fields."""
    return _record(backend, stated)(**values)


def _calls(stated: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words) for words in stated or ())


VENDOR_FIELDS: Final = (
    *("pci_ids", "no_boards", "nodes", "shared_nodes", "held_nodes", "traces", "modules", "driver", "own"),
)
"""The fields of the vendor's statement that a tool rule may hold."""
