"""Ticks for people: a table updated in place on a terminal, or plain lines."""

import os
import sys
from typing import Any, Final

from accel.apps.cli.output import say
from accel.apps.render.watch_text import Table, happening_text
from accel.apps.render.width import page_width
from accel.watch.sampling.tick import Happening, Tick

_HEAD_EVERY: Final = 40  # lines
_KEPT: Final = 20  # events


class Lines:
    """One line per device and tick, with the header repeated now and then; events go to stderr."""

    def __init__(self, *, activity: bool, links: bool) -> None:
        self._table = Table(activity=activity, links=links)
        self._left = 0

    def write(self, tick: Tick) -> None:
        for happening in tick.happenings:
            say(happening_text(tick, happening))
        lines = self._table.lines(tick)
        if self._left <= 0:
            lines.insert(0, self._table.head(tick))
            self._left = _HEAD_EVERY
        self._left -= len(tick.readings)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()

    def close(self) -> None:
        pass


class Screen:
    """A table updated in place, without clearing what is above it; the last one remains at the end."""

    def __init__(self, *, activity: bool, links: bool) -> None:
        self._out: Any = getattr(sys.stdout, "styled", sys.stdout)  # the table makes each part printable
        colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._table = Table(activity=activity, links=links, colour=colour)
        self._told: list[tuple[float, Happening]] = []
        self._drawn = 0
        self._last = "Ctrl-C ends it" + ("" if activity else "; --activity asks how much of a chip works")

    def write(self, tick: Tick) -> None:
        self._told = [*self._told, *((tick.time, one) for one in tick.happenings)][-_KEPT:]
        lines = self._table.screen(tick, _size(), self._told, self._last)
        up = f"\x1b[{self._drawn}A\r" if self._drawn else ""
        body = "".join(f"\x1b[2K{line}\n" for line in lines)
        self._out.write(f"{up}{body}\x1b[J")
        self._out.flush()
        self._drawn = len(lines)

    def close(self) -> None:
        pass


def _size() -> tuple[int, int]:
    """Return the terminal's columns and lines, or common values if it does not report them."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return page_width(), 24
    return page_width(), found.lines or 24
