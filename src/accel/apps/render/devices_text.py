"""Devices as a table for people; on narrow terminals one block per device."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from accel.apps.render.console import console
from accel.apps.render.gaps_text import gap_lines
from accel.apps.render.page import renderable
from accel.apps.render.stacked import stacked, table_of
from accel.apps.render.units import bytes_text, number_text, of_text
from accel.model.device import Device, Gap, Process

if TYPE_CHECKING:
    from accel.facts.devices_apart import Listing

_NARROW: Final = 88  # columns; a table of eight columns would be all wrapped lines below this
_COLOURS: Final = {"ok": "green", "warning": "yellow", "critical": "bold red", "unknown": "dim"}


def print_devices(devices: Sequence[Device], gaps: Sequence[Gap]) -> None:
    """Print the devices, followed by what could not be read."""
    out = console()
    for part in devices_view(out, devices, gaps):
        out.print(part)


def print_listings(listings: Sequence["Listing"], gaps: Sequence[Gap]) -> None:
    """Print the devices of each machine or run in a text, under its name."""
    out = console()
    for one in listings:
        out.print(Text(f"{(one.says or '')[:1].upper()}{(one.says or '')[1:]}", style="bold"))
        for part in devices_view(out, one.devices, ()):
            out.print(part)
        out.print()
    for line in gap_lines(tuple(dict.fromkeys((*(gap for one in listings for gap in one.gaps), *gaps)))):
        out.print(renderable(line))


def devices_view(out: Console, devices: Sequence[Device], gaps: Sequence[Gap]) -> Sequence[RenderableType]:
    """Return what to print, for the width of this console."""
    if not devices:
        late = any(gap.source == "time" for gap in gaps)
        first = "No device was listed in time." if late else "No device was found."
        advice = "Find out why:  accel doctor"
        return [Text(first), *map(renderable, gap_lines(gaps)), Text(advice)]
    body: RenderableType = _table(devices) if out.width >= _NARROW else Group(*map(_block, devices))
    held = [(device, process) for device in devices for process in device.processes or ()]
    users: list[RenderableType] = ["", stacked(_users(held), out)] if held else []
    return [body, *users, *map(renderable, gap_lines(gaps))]


def _users(held: Sequence[tuple[Device, Process]]) -> Table:
    """Return the table of processes that hold devices."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("device", no_wrap=True)
    table.add_column("pid", justify="right", no_wrap=True)
    table.add_column("user", no_wrap=True)
    table.add_column("memory", justify="right", no_wrap=True)
    table.add_column("program", overflow="fold")
    for device, process in held:
        size = bytes_text(process.memory_bytes)
        table.add_row(device.id, str(process.pid), process.user or "?", size, process.name or "?")
    return table


def _table(devices: Sequence[Device]) -> Table:
    table = table_of(("device", "name"), ("memory", "use", "temp", "power"))
    table.add_column("health", no_wrap=True)
    table.add_column("runtime", overflow="fold")
    for device in devices:
        table.add_row(
            ("" if device.is_top_level else "  ") + device.id,
            device.name or "?",
            _memory(device),
            number_text(device.utilization_percent, "%"),
            number_text(device.temperature_celsius, "°C"),
            _power(device),
            Text(device.health, style=_COLOURS[device.health]),
            _runtime(device),
        )
    return table


def _block(device: Device) -> RenderableType:
    head = Text.assemble((device.id, "bold"), "  ", device.name or "?", "  ", (device.health, _COLOURS[device.health]))
    facts = [f"memory {_memory(device)}"]
    for label, value in (
        ("use", number_text(device.utilization_percent, "%")),
        ("temp", number_text(device.temperature_celsius, "°C")),
        ("power", _power(device)),
        ("runtime", _runtime(device)),
    ):
        if not value.startswith("?") and value != "-":
            facts.append(f"{label} {value}")
    return Group(head, Padding(Text(" · ".join(facts)), (0, 0, 0, 2), expand=False))


def _memory(device: Device) -> str:
    if device.memory_total_bytes is None and device.memory_used_bytes is None:
        return "?"
    return of_text(device.memory_used_bytes, device.memory_total_bytes)


def _power(device: Device) -> str:
    if device.power_watts is None and device.power_limit_watts is None:
        return "?"
    used, limit = (number_text(watts, "W") for watts in (device.power_watts, device.power_limit_watts))
    return f"{used.removesuffix(' W')}/{limit}"


def _runtime(device: Device) -> str:
    if device.visible is False:
        return "hidden"
    return ", ".join(device.runtime_names) if device.runtime_names else "-"
