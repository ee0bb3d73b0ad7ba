"""Dialogs over the screen: the help on keys, and the confirmation before ending a process.

On a small screen lines are wrapped, the help scrolls, and the confirmation leaves out its middle part.
"""

from collections.abc import Sequence
from typing import Final

from accel.apps.render.page import Paragraph, columns_of, lines_of
from accel.apps.screen.cells import Line, Span, before, behind, filled, fitted, width_of
from accel.apps.screen.view import Held, View

GRACE_SECONDS: Final = 10.0  # between asking a process to end and killing it
_KEYS: Final = (
    ("q, Ctrl-C", "quit"),
    ("↑ ↓ PgUp PgDn", "select a line; Home and End: the first, the last"),
    ("Tab", "the other list; a click into it does the same"),
    ("Enter", "the processes of the selected device only, or all"),
    ("/", "filter by words: user, command, pid, device, job"),
    ("s, r", "next column to sort by; the other way round (a click on a head does both)"),
    ("k, F9", "end the selected process, after asking"),
    ("g", "curves of the selected device"),
    ("l", "bytes over PCIe and links"),
    ("p, Space", "pause"),
    ("← → + -", "of a record: 10 s back, on; faster, slower"),
    ("Esc", "close this, or show all processes again"),
)
_KEY_COLUMNS: Final = max(columns_of(key) for key, _ in _KEYS)
_NARROW: Final = 48  # inner width in columns; below it, descriptions go below their keys
_WIDEST: Final = 64
_WORDS: Final = (
    "busy: the share of time in which anything ran on the device.",
    "saturated: how much of it worked meanwhile. A dash: not known.",
)


def over(view: View, lines: list[Line], width: int, height: int) -> list[Line]:
    """Return the lines with the open dialog drawn over them."""
    room = max(1, height - 2)
    if view.asking is not None:
        return _boxed(lines, _question(view.asking, max(1, width - 4), room), width, height)
    if view.help:
        return _boxed(lines, _help(view, max(1, width - 4), room), width, height)
    return lines


def _help(view: View, inner: int, room: int) -> list[Line]:
    """Return as many help lines as fit, from the scroll position on."""
    told = [line for key, says in _KEYS for line in _told(key, says, inner, _KEY_COLUMNS, "key")]
    words = [(Span(line, "dim"),) for text in _WORDS for line in _broken(text, inner)]
    rows: list[Line] = [*told, (), *words]
    title = Span("accel top", "name")
    if len(rows) + 2 <= room:
        view.help_hidden = 0
        return [(title,), (), *rows]
    below = max(1, room - 1)
    view.help_hidden = len(rows) - below
    first = view.help_first = min(view.help_first, view.help_hidden)
    more = f"{'↑' if first else ' '}{'↓' if first < view.help_hidden else ' '}"
    return [(title, Span(fitted(more, max(2, inner - title.columns), right=True), "key")), *rows[first : first + below]]


def _question(held: Held, inner: int, room: int) -> list[Line]:
    who = held.person.who
    command = " ".join(who.command) if who is not None and who.command else held.person.command or ""
    told = [("process", f"{held.readings.pid}  {command}"), ("user", held.person.user or "not known")]
    if held.person.belongs:
        told.append(("belongs to", held.person.belongs))
    told += [("device", held.device), ("since", (who.started_at if who else None) or "not known")]
    if who is not None and who.role:
        told.append(("careful", f"it is a service of the driver: {who.role}"))
    title: Line = (Span("End this process?", "warn"),)
    buttons: Line = (Span(" y  end it ", "button", "yes"), Span(" "), Span(" n  leave it ", "button", "no"))
    if width_of(buttons) > inner:
        buttons = (Span(" y ", "button", "yes"), Span(" yes  "), Span(" n ", "button", "no"), Span(" no"))
    what: list[Line] = [(Span(fitted(name, 11), "dim"), Span(text)) for name, text in told]
    how = f"It is asked to exit (TERM), and killed if it has not after {GRACE_SECONDS:.0f} s."
    words: list[Line] = [(Span(line, "dim"),) for line in _broken(how, inner)]
    rows = [title, (), *what, (), *words, (), buttons]
    if len(rows) <= room:
        return rows
    short: Line = (Span(f"TERM, {GRACE_SECONDS:.0f} s on KILL", "dim"),)
    return [title, *what[: max(0, room - 3)], short, buttons][-room:]


def _told(name: str, says: str, inner: int, column: int, style: str) -> list[Line]:
    """Return a name with its description, on its right or, on a narrow screen, below it."""
    if inner < _NARROW:
        return [
            (Span(fitted(name, min(inner, column)), style),),
            *((Span(f"  {one}"),) for one in _broken(says, inner - 2)),
        ]
    first, *rest = _broken(says, min(inner, _WIDEST) - column - 2)
    beside = " " * (column + 2)
    return [(Span(fitted(name, column), style), Span(f"  {first}")), *((Span(beside + one),) for one in rest)]


def _broken(text: str, width: int) -> list[str]:
    return list(lines_of(Paragraph(text), max(1, width)))


def _boxed(lines: list[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
    """Return the lines with rows in a frame centred over them; rows that do not fit are cut."""
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
