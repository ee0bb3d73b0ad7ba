"""Boxes over the screen: the keys, and the question whether a process is to be ended."""

from collections.abc import Sequence
from typing import Final

from accel.render.page import columns_of
from accel.screen.cells import Line, Span, before, behind, filled, fitted, width_of
from accel.screen.view import Held, View

GRACE_SECONDS: Final = 10.0  # between asking a process to end and making it
_KEYS: Final = (
    ("q, Ctrl-C", "quit"),
    ("↑ ↓ PgUp PgDn", "select a line; Home and End: the first, the last"),
    ("Tab", "the other list; a click into it does the same"),
    ("Enter", "the processes of the selected device only, or all"),
    ("/", "filter by words: user, command, pid, device, job"),
    ("s, r", "next column to sort by; the other way round"),
    ("", "(a click on a head does both)"),
    ("k, F9", "end the selected process, after asking"),
    ("g", "curves of the selected device"),
    ("l", "bytes over PCIe and links"),
    ("p, Space", "pause"),
    ("← → + -", "of a record: 10 s back, on; faster, slower"),
    ("Esc", "close this, or show all processes again"),
)
_WORDS: Final = (
    "busy: the share of time in which anything ran on the device.",
    "saturated: how much of it worked meanwhile. A dash: not known.",
)


def over(view: View, lines: list[Line], width: int, height: int) -> list[Line]:
    """Return the lines with the open box drawn over them."""
    if view.asking is not None:
        return _boxed(lines, _question(view.asking), width, height)
    if view.help:
        return _boxed(lines, _help(width), width, height)
    return lines


def _help(width: int) -> list[Line]:
    size = max(columns_of(key) for key, _ in _KEYS)
    rows: list[Line] = [(Span("accel top", "name"),), ()]
    for key, says in _KEYS:
        rows.append((Span(fitted(key, min(size, max(6, width // 4))), "key"), Span(f"  {says}")))
    return [*rows, (), *((Span(words, "dim"),) for words in _WORDS)]


def _question(held: Held) -> list[Line]:
    who = held.person.who
    command = " ".join(who.command) if who is not None and who.command else held.person.command or ""
    told = [("process", f"{held.readings.pid}  {command}"), ("user", held.person.user or "not known")]
    if held.person.belongs:
        told.append(("belongs to", held.person.belongs))
    told += [("device", held.device), ("since", (who.started_at if who else None) or "not known")]
    if who is not None and who.role:
        told.append(("careful", f"it is a service of the driver: {who.role}"))
    rows: list[Line] = [(Span("End this process?", "warn"),), ()]
    rows += [(Span(fitted(name, 11), "dim"), Span(text)) for name, text in told]
    rows += [
        (),
        (Span(f"It is asked to end (TERM), and killed if it has not after {GRACE_SECONDS:.0f} s.", "dim"),),
        (),
    ]
    rows.append((Span(" y  end it ", "button", "yes"), Span("   "), Span(" n  leave it ", "button", "no")))
    return rows


def _boxed(lines: list[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
    """Return the lines with rows in a frame over their middle; what does not fit of the rows is cut."""
    inner = max(1, min(width - 4, max(width_of(row) for row in rows)))
    rows = list(rows)[: max(1, height - 2)]
    top, left = max(0, (height - len(rows) - 2) // 2), max(0, (width - inner - 4) // 2)
    box: list[Line] = [(Span(f"┌{'─' * (inner + 2)}┐", "box"),)]
    box += [(Span("│ ", "box"), *filled(row, inner), Span(" │", "box")) for row in rows]
    box.append((Span(f"└{'─' * (inner + 2)}┘", "box"),))
    for place, row in enumerate(box[: height - top]):
        line = lines[top + place]
        lines[top + place] = filled((*before(line, left), *row, *behind(line, left + inner + 4)), width)
    return lines
