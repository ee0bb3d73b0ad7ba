"""The plugins as a table for people."""

from collections.abc import Sequence
from typing import Final, Literal

from rich import box
from rich.table import Table
from rich.text import Text

from accel.apps.render.console import console
from accel.apps.render.stacked import stacked
from accel.model.dataclass import dataclass
from accel.plugins.fitting import Plugin

_COLOURS: Final = {"loaded": "green", "disabled": "dim", "clash": "bold red", "failed": "bold red"}
_WIDE: Final = 100  # columns; from here on the table has room for the reasons
_NUMBERS: Final = ("devices", "ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a plugin's probe on this machine. devices None: it failed, for this reason."""

    devices: int | None
    reason: str | None = None


def print_plugins(rows: Sequence[tuple[Plugin, str | None, Found | None]]) -> None:
    """Print one row per plugin: its level in the conformance kit, its probe's result (None: not run), its reason."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    reasons = [plugin.reason or (found.reason if found else None) or "" for plugin, _, found in rows]
    for name in ("plugin", "distribution", "version", "API", "status", "level", "devices", "ms"):
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        table.add_column(name, overflow="fold", justify=justify, no_wrap=name != "distribution")
    out = console()
    beside = any(reasons) and out.width >= _WIDE
    if beside:
        table.add_column("reason", overflow="fold")
    for (plugin, level, found), reason in zip(rows, reasons, strict=True):
        low, high = plugin.api
        table.add_row(
            plugin.name,
            plugin.distribution,
            plugin.version or "-",
            str(low) if low == high else f"{low} to {high}",
            Text(plugin.status, style=_COLOURS[plugin.status]),
            level or "-",
            "-" if found is None else "?" if found.devices is None else str(found.devices),
            f"{plugin.seconds * 1000:.1f}",
            *([reason] if beside else []),
        )
    out.print(stacked(table, out))
    if not beside:
        for (plugin, _, _), reason in zip(rows, reasons, strict=True):
            if reason:
                out.print(Text(f"{plugin.name}: {reason}"))
