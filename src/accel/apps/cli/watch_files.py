"""Writes ticks as CSV or JSON lines, to files that rotate and are appended to, or to stdout."""

import sys
from collections.abc import Sequence
from typing import Any, Final, Protocol

from accel.apps.render.columns import Column, Shown, cells, csv_line
from accel.apps.render.history_svg import history_svg
from accel.apps.render.units import utc_text
from accel.machine.growing import CannotWrite, GrowingFile
from accel.model.errors import BadInput
from accel.model.readings import READINGS
from accel.model.to_builtins import json_text, plain
from accel.watch.sampling.condensed import Condensed
from accel.watch.sampling.tick import Tick

SCHEMA: Final = "accel.readings/1"
_UNITS: Final = {
    "_percent": "%",
    "_bytes": "B",
    "_celsius": "C",
    "_watts": "W",
    "_joules": "J",
    "_mhz": "MHz",
    "_per_second": "B/s",
}


class Form(Protocol):
    """An output format for ticks."""

    head: str

    def lines(self, tick: Tick) -> str:
        """Return complete lines."""
        ...


class Csv:
    """One line per device and tick, following RFC 4180 except that lines end in LF."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self.head = csv_line([column.head for column in columns])

    def lines(self, tick: Tick) -> str:
        return "".join(csv_line(cells(self._columns, shown)) for shown in _shown(tick))


class JsonLines:
    """One object per device and tick, and one per event. The first line gives the units.

    columns  the requested ones; None: all readings, under their own names
    """

    def __init__(self, columns: Sequence[Column] | None) -> None:
        self._columns = columns
        if columns is None:
            names = ("time", "seconds", *READINGS)
            units = {n: unit for n in names for ending, unit in _UNITS.items() if n.endswith(ending)} | {"seconds": "s"}
        else:
            names = tuple(column.name for column in columns)
            units = {c.name: unit.rstrip("]") for c in columns if (unit := c.head.partition(" [")[2])}
        self.head = json_text({"schema": SCHEMA, "fields": list(names), "units": units}) + "\n"

    def lines(self, tick: Tick) -> str:
        told = [json_text(self._row(shown)) for shown in _shown(tick)]
        for one in tick.happenings:
            row = {"time": utc_text(tick.time), "happened": one.kind, "device": one.device, "text": one.text}
            told.append(json_text(row))
        return "".join(f"{line}\n" for line in told)

    def _row(self, shown: Shown) -> dict[str, Any]:
        if self._columns is not None:
            return {column.name: plain(column.cell(shown)) for column in self._columns}
        date = None if shown.time is None else utc_text(shown.time)
        return {"time": date, "seconds": shown.seconds, **plain(shown.readings)}


class Stdout:
    """Writes lines to stdout immediately."""

    def __init__(self, form: Form) -> None:
        self._form = form
        sys.stdout.write(form.head)
        sys.stdout.flush()

    def write(self, tick: Tick) -> None:
        sys.stdout.write(self._form.lines(tick))
        sys.stdout.flush()

    def close(self) -> None:
        pass


class Table:
    """Writes lines to a file. An existing one is appended to if it has the same header; a partial last line is cut off.

    Raises BadInput if its header differs or it cannot be opened; `write` raises CannotWrite if the disk is full.
    """

    def __init__(self, path: str, form: Form, *, rotate_bytes: int | None, keep: int) -> None:
        self._form = form
        head = form.head.encode()
        try:
            self._file = GrowingFile(path, rotate_bytes=rotate_bytes, keep=keep, head=lambda: head)
            if not self._file.size:
                self._file.append(head)
            elif self._file.read(0, len(head)) != head:
                self._file.close()
                raise BadInput(
                    f"{path}: it exists with other columns, or is not such a file. Use another name, or the "
                    "--query that it was started with."
                )
            else:
                self._file.cut_half_a_line()
        except CannotWrite as error:
            raise BadInput(f"{error.strerror} Make room, or give another place.") from None
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}. Give a file that can be written.") from None

    def write(self, tick: Tick) -> None:
        self._file.append(self._form.lines(tick).encode("utf-8", "replace"))

    def close(self) -> None:
        self._file.flush()
        self._file.close()


def _shown(tick: Tick) -> list[Shown]:
    pairs = zip(tick.devices, tick.readings, strict=True)
    return [Shown(device, readings, tick.time, round(tick.seconds, 3)) for device, readings in pairs]


class Plot:
    """Collects ticks, and draws them at the end. Raises BadInput immediately if the file cannot be written."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._past = Condensed()
        try:
            self._file = GrowingFile(path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}. Give a file that can be written.") from None

    def write(self, tick: Tick) -> None:
        self._past.add(tick)

    def close(self) -> None:
        self._file.cut(0)
        picture = history_svg(self._past)
        self._file.append(_png(picture) if self._path.lower().endswith(".png") else picture.encode())
        self._file.close()


def _png(svg: str) -> bytes:
    """Return the picture as PNG at twice the size, since its text is small. It uses the system's fonts."""
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=svg, background="#ffffff", zoom=2))
