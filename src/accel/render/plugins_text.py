"""The plugins as a table for people."""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from accel.registry import Plugin
from accel.render.console import console

_COLOURS: Final = {"loaded": "green", "disabled": "dim", "clash": "bold red", "failed": "bold red"}


def print_plugins(plugins: Sequence[Plugin]) -> None:
    """Print one row a plugin, its reason under it where it has one."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("plugin", "distribution", "version", "API", "status", "ms", "reason"):
        table.add_column(name, overflow="fold", justify="right" if name == "ms" else "left")
    for plugin in plugins:
        low, high = plugin.api
        table.add_row(
            plugin.name,
            plugin.distribution,
            plugin.version or "-",
            str(low) if low == high else f"{low} to {high}",
            Text(plugin.status, style=_COLOURS[plugin.status]),
            f"{plugin.seconds * 1000:.1f}",
            plugin.reason or "",
        )
    console().print(table)
