"""The table of processes that hold devices, one line each."""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.page import columns_of
from accel.apps.render.units import bytes_text
from accel.apps.screen.cells import DASH, Line, Span, blank, cell
from accel.apps.screen.columns import GAP, Column, Widths, placed
from accel.apps.screen.devices_table import amount
from accel.apps.screen.view import SORTS, Held, View
from accel.text.durations import age_text

_COLUMNS: Final = (
    Column(name="device", head="device", least=8, keep=16, most=16, right=False),
    Column(name="pid", head="pid", least=7, keep=20, most=10),
    Column(name="user", head="user", least=8, keep=15, most=16, right=False),
    Column(name="memory", head="memory", least=8, keep=19, most=10),
    Column(name="busy", head="busy", least=5, keep=14),
    Column(name="state", head="state", least=8, keep=8, right=False),
    Column(name="for", head="for", least=6, keep=7),
    Column(name="belongs to", head="belongs to", least=12, keep=13, most=40, right=False, fills=True),
    Column(name="command", head="command", least=6, keep=17, most=4096, right=False, fills=True),
)
_STATES: Final = {"blocked": "bad", "zombie": "bad", "ended": "bad", "stopped": "warn"}


def widths(view: View, shown: Sequence[Held], width: int) -> Widths:
    """Return the columns that fit; the owner column is left out if no process has an owner."""
    wants: dict[str, int] = {"command": 4096}
    for held in shown:
        for name, text in (
            ("device", held.device),
            ("pid", str(held.readings.pid)),
            ("user", held.person.user or ""),
            ("memory", _memory(held)),
            ("belongs to", held.person.belongs),
        ):
            wants[name] = max(wants.get(name, 0), columns_of(text))
    columns = [one for one in _COLUMNS if one.name != "belongs to" or wants.get("belongs to")]
    return placed(columns, width, wants)


def head(view: View, columns: Widths) -> Line:
    """Return the header; a click on a column sorts by it, and the current sort column has an arrow."""
    spans: list[Span] = []
    for one, width in columns:
        if spans:
            spans.append(blank(GAP, "head"))
        sorts = one.name in SORTS
        arrow = ("▼" if view.falls else "▲") if view.sort == one.name else ""
        text = one.head_in(width)
        text = f"{text[: width - 1]}{arrow}" if arrow else text
        style = "sorted" if arrow else "head"
        spans.append(cell(text, width, one.right, style, f"sort {one.name}" if sorts else ""))
    return tuple(spans)


def lines(view: View, shown: Sequence[Held], columns: Widths) -> Iterator[Line]:
    now = view.tick.time if view.tick else 0.0
    for held in shown:
        selected = held.key == view.process
        mark = ("select" if view.pane == "processes" else "mark") if selected else ""
        action = f"process {held.device} {held.readings.pid}"
        spans: list[Span] = []
        for number, (one, width) in enumerate(columns):
            gap = GAP if number < len(columns) - 1 else 0
            text, style = _told(held, one.name, now)
            spans.append(cell(text, width, one.right, f"{mark} {style}".strip(), action, gap))
        yield tuple(spans)


def _told(held: Held, name: str, now: float) -> tuple[str, str]:
    if name == "device":
        return held.device, "id"
    if name == "pid":
        return str(held.readings.pid), ""
    if name == "memory":
        text = _memory(held)
    elif name == "busy":
        text = amount(held.readings.busy_percent, " %")
    elif name == "for":
        text = DASH if held.person.started is None else age_text(now - held.person.started)
    elif name == "state":
        state = (held.person.who.state if held.person.who else None) or DASH
        return state, _STATES.get(state, "dim")
    else:
        words = {"user": held.person.user, "belongs to": held.person.belongs, "command": held.person.command}
        text = words[name] or DASH
    return text, "dim" if text == DASH else ""


def _memory(held: Held) -> str:
    return DASH if held.readings.memory_bytes is None else bytes_text(held.readings.memory_bytes)
