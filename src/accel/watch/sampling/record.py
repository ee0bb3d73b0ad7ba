"""Ticks in a file: compact, appendable, complete up to the last tick that was written.

file    "accel-readings 1\\n", then blocks
block   sync (4 bytes), kind (1), length (4, little-endian), CRC-32 of kind and payload (4), payload
kind    "S" starts a stream of MessagePack, deflated, flushed after each block; "D" continues it
stream  each block is a list of messages: ["h", {version, began, interval, fields, devices}], which says which devices
        are watched from then on, and ["t", number, seconds, time, rows, happenings]; a row is [the device's position,
        whether it continues the previous row, {position of the reading in `fields`: value}] with what has changed;
        ["p", programs], and ["w", {pid: work}] after a tick, if programs were watched too (accel.model.work)

A new stream starts every few minutes and at each start of the recorder, and does not depend on anything before it: if a
part of a file is damaged, the rest can be read.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import Struct
from typing import Any, Final

from accel.machine.growing import GrowingFile
from accel.machine.protocol import Machine
from accel.model.dataclass import replace
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.readings import READINGS
from accel.model.to_builtins import plain
from accel.model.work import Program, Work
from accel.watch.sampling.tick import Happening, Tick, readings_of_row, row_of

_Read = Callable[[int, int], bytes]  # of so many bytes from a place on

MAGIC: Final = b"accel-readings 1\n"
_SYNC: Final = b"\xacR\xb1\n"
_HEAD: Final = Struct("<4scII")
_STREAM_SECONDS: Final = 300.0  # after which a new stream starts
_MOST_BLOCK: Final = 16 << 20
_PIECE: Final = 1 << 20
_GAP_SECONDS: Final = 2.5  # intervals between two streams that count as a gap


class Recorder:
    """Appends ticks to a file. Raises BadInput if the file exists and is not a recording.

    Damaged bytes at the end, from a machine that went down, are removed; `cut` says how many.
    """

    def __init__(self, path: str, interval_seconds: float) -> None:
        import msgspec

        self._encode = msgspec.msgpack.Encoder().encode
        self._interval_seconds = interval_seconds
        try:
            self._file = GrowingFile(path)
            self.cut = self._continued()
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}. Give a file that can be written.") from None
        self._deflate: Any = None
        self._began = 0.0
        self._devices: Sequence[Device] = ()
        self._last: dict[str, tuple[Any, ...]] = {}

    def write(self, tick: Tick, works: Mapping[int, Work] | None = None, programs: Sequence[Program] = ()) -> None:
        """Write a tick; it is in the file when this returns. Raises CannotWrite.

        works  what programs did up to this tick, by the pid of each one's first process; programs: their descriptions
        """
        kind = b"D"
        messages: list[list[Any]] = []
        if self._deflate is None or tick.seconds - self._began >= _STREAM_SECONDS:
            self._deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
            self._began, self._last, self._devices, kind = tick.seconds, {}, (), b"S"
        if tick.devices is not self._devices:
            self._devices, self._last = tick.devices, {}
            messages.append(["h", self._head(tick)])
            if programs:
                messages.append(["p", plain(tuple(programs))])
        if works:
            messages.append(["w", {pid: plain(work) for pid, work in works.items()}])
        rows = [self._row(place, readings) for place, readings in enumerate(tick.readings)]
        happenings = [[one.kind, one.text, one.device] for one in tick.happenings]
        messages.append(["t", tick.number, tick.seconds, tick.time, rows, happenings])
        payload = self._deflate.compress(self._encode(messages)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        head = _HEAD.pack(_SYNC, kind, len(payload), zlib.crc32(kind + payload))
        try:
            self._file.append(head + payload)
        except OSError:
            self._deflate = None  # what follows must not lean on what is not there
            raise

    def close(self) -> None:
        self._file.flush()
        self._file.close()

    def _head(self, tick: Tick) -> dict[str, Any]:
        return {
            "version": 1,
            "began": tick.time - tick.seconds,
            "interval": self._interval_seconds,
            "fields": list(READINGS),
            "devices": [plain(replace(device, processes=None)) for device in tick.devices],
        }

    def _row(self, place: int, readings: Any) -> list[Any]:
        row = row_of(readings)
        before = self._last.get(readings.id)
        self._last[readings.id] = row
        if before is None:
            changed = {number: value for number, value in enumerate(row) if value is not None}
        else:
            changed = {number: value for number, value in enumerate(row) if value != before[number]}
        return [place, 0 if before is None else 1, changed]

    def _continued(self) -> int:
        """Prepare the file for appending; return how many damaged bytes were removed from its end."""
        if not self._file.size:
            self._file.append(MAGIC)
            return 0
        if self._file.read(0, len(MAGIC)) != MAGIC:
            self._file.close()
            raise BadInput(
                f"{self._file.path}: it is not a recording by accel. Use a new file:  accel watch --record FILE"
            )
        end = len(MAGIC)
        for block in _blocks(self._file.read, self._file.size):
            end = block[2]
        lost = self._file.size - end
        if lost:
            self._file.cut(end)
        return lost


class Record:
    """The contents of a recording. Raises BadInput if the file is not one or cannot be read.

    devices  the devices watched at the start, as records of their vendors if those are installed
    lost     bytes that could not be read so far; final when `ticks` has ended
    programs, works   the programs that were watched too, and what each did, by its pid; final when `ticks` has ended
    """

    def __init__(self, machine: Machine, path: str, device_types: Mapping[str, type[Device]] | None = None) -> None:
        self._machine, self.path, self._types = machine, path, device_types or {}
        try:
            begins = machine.read_bytes(path, 0, len(MAGIC))
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}. Give a record:  accel watch --record FILE") from None
        if begins != MAGIC:
            raise BadInput(f"{path}: it is not a recording by accel. Make one:  accel watch --record FILE")
        self.size = machine.size_bytes(path) or 0
        self.lost = 0
        self.interval_seconds = 1.0
        self.programs: tuple[Program, ...] = ()
        self.works: dict[int, list[Work]] = {}
        first = next(self.ticks(), None)
        self.devices: tuple[Device, ...] = first.devices if first is not None else ()
        if first is None:
            raise BadInput(f"{path}: it contains no complete tick. Record again:  accel watch --record FILE")

    def ticks(self) -> Iterator[Tick]:
        """Yield the ticks. Several sessions are concatenated: numbers and seconds continue.

        The time between two sessions is a happening of the first tick after it.
        """
        reader = _Reader(self._types)
        self.lost, end = 0, len(MAGIC)
        for kind, payload, after in _blocks(self._read, self.size):
            skipped = after - end - _HEAD.size - len(payload)
            if skipped:
                self.lost += skipped
                reader.lose()
            end = after
            yield from reader.ticks(kind, payload)
            self.interval_seconds = reader.interval_seconds
        self.programs, self.works = tuple(reader.programs.values()), reader.works
        self.lost += self.size - end

    def _read(self, offset: int, count: int) -> bytes:
        return self._machine.read_bytes(self.path, offset, count)


class _Reader:
    """Reconstructs ticks from consecutive blocks."""

    def __init__(self, device_types: Mapping[str, type[Device]]) -> None:
        self._types = device_types
        self._inflate: Any = None
        self.interval_seconds = 1.0
        self._fields: Sequence[str] = READINGS
        self._devices: tuple[Device, ...] = ()
        self._last: dict[int, dict[str, Any]] = {}
        self._number = 0
        self.programs: dict[int, Program] = {}
        self.works: dict[int, list[Work]] = {}
        self._beside: dict[int, Work] = {}
        self._origin: float | None = None  # the time at which the first session began
        self._began = 0.0
        self._seconds = 0.0  # of the last tick

    def ticks(self, kind: bytes, payload: bytes) -> Iterator[Tick]:
        """Yield the ticks of a block; none if it depends on a damaged block."""
        import msgspec

        if kind == b"S":
            self._inflate, self._last = zlib.decompressobj(-15), {}
        if self._inflate is None:
            return
        try:
            data = self._inflate.decompress(payload, _MOST_BLOCK)
            for message in msgspec.msgpack.decode(data):
                if message[0] == "h":
                    self._start(message[1])
                elif message[0] == "p":
                    found = msgspec.convert(message[1], tuple[Program, ...])
                    self.programs.update((one.pid, one) for one in found)
                elif message[0] == "w":
                    self._beside = msgspec.convert(message[1], dict[int, Work])
                elif message[0] == "t":
                    tick = self._tick(*message[1:6])
                    for pid, work in self._beside.items():
                        self.works.setdefault(pid, []).append(replace(work, seconds=tick.seconds))
                    self._beside = {}
                    yield tick
        except (zlib.error, msgspec.MsgspecError, ValueError, TypeError, LookupError):
            self._inflate = None  # the rest of this stream cannot be read either

    def lose(self) -> None:
        """Note that blocks are missing: what depends on them cannot be read."""
        self._inflate = None

    def _start(self, head: Mapping[str, Any]) -> None:
        from accel.model.codec import device_of_row

        self.interval_seconds = float(head["interval"])
        self._fields = [str(name) for name in head["fields"]]
        self._devices = tuple(device_of_row(row, self._types) for row in head["devices"])
        self._began = float(head["began"])
        self._last = {}
        if self._origin is None:
            self._origin = self._began

    def _tick(self, number: int, seconds: float, time: float, rows: Any, happenings: Any) -> Tick:
        for place, goes_on, changed in rows:
            row = {**self._last[place], **self._named(changed)} if goes_on else self._named(changed)
            self._last[place] = row
        readings = tuple(
            readings_of_row([self._last[place].get(name, _EMPTY.get(name)) for name in READINGS])
            for place, _, _ in rows
        )
        told = [Happening(kind=kind, text=text, device=device) for kind, text, device in happenings]
        since = max(self._began - (self._origin or 0.0) + seconds, self._seconds)
        away = since - self._seconds
        if self._number and away > _GAP_SECONDS * self.interval_seconds and not told:
            told.append(Happening(kind="missed", text=f"nothing was watched for {away:.0f} s"))
        self._seconds = since
        number, self._number = self._number, self._number + 1
        return Tick(
            number=number, seconds=since, time=time, devices=self._devices, readings=readings, happenings=tuple(told)
        )

    def _named(self, changed: Mapping[Any, Any]) -> dict[str, Any]:
        return {self._fields[int(place)]: value for place, value in changed.items()}


_EMPTY: Final[dict[str, Any]] = {"gaps": (), "state": "ok", "health": "unknown"}


def _blocks(read: _Read, size: int) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield (kind, payload, offset after it) of each intact block; damaged parts are skipped."""
    place, begin, piece = len(MAGIC), 0, b""
    while place < size:
        if place < begin or place + _HEAD.size > begin + len(piece):
            begin, piece = place, read(place, _PIECE)
        found = _block(read, piece, place - begin, place, size)
        if found is None:
            after = _next_sync(read, place + 1, size)
            if after is None:
                return
            place = after
            continue
        yield found
        place = found[2]


def _block(read: _Read, piece: bytes, at: int, place: int, size: int) -> tuple[bytes, bytes, int] | None:
    """Return the block at an offset; None if there is no intact one."""
    if len(piece) < at + _HEAD.size:
        return None
    sync, kind, length, crc = _HEAD.unpack_from(piece, at)
    end = place + _HEAD.size + length
    if sync != _SYNC or length > _MOST_BLOCK or end > size:
        return None
    payload = piece[at + _HEAD.size : at + _HEAD.size + length]
    if len(payload) < length:
        payload = read(place + _HEAD.size, length)
    return (kind, payload, end) if zlib.crc32(kind + payload) == crc else None


def _next_sync(read: _Read, place: int, size: int) -> int | None:
    while place < size:
        data = read(place, _PIECE)
        found = data.find(_SYNC)
        if found >= 0:
            return place + found
        if len(data) <= len(_SYNC):
            return None
        place += len(data) - len(_SYNC) + 1
    return None
