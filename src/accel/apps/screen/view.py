"""The state of the screen: current readings, processes, and the user's choices.

Every key or click is a method here; nothing here depends on a terminal.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Literal

from accel.apps.render.holders_text import belongs_to, started
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.holding import RunningProcess
from accel.model.readings import ProcessReadings, Readings
from accel.text.durations import span_text
from accel.watch.sampling.history import History
from accel.watch.sampling.tick import Happening, Tick

Pane = Literal["devices", "processes"]
Who = Callable[[int], RunningProcess | None]

SORTS: Final = ("memory", "busy", "device", "user", "pid", "command")
RECENT: Final = 512  # ticks kept for curves
_RISING: Final = frozenset(("device", "user", "pid", "command"))  # columns that sort in ascending order
_HAPPENING_SECONDS: Final = 30.0
_NOTICE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The description of a process, computed once. started: seconds since 1970; words: all of it, for the filter."""

    who: RunningProcess | None
    user: str | None
    command: str | None
    belongs: str
    started: float | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A process on a device. place: the device's position in its list."""

    device: str
    place: int
    readings: ProcessReadings
    person: Person

    @property
    def key(self) -> tuple[str, int]:
        return self.device, self.readings.pid


def person_of(listed: ProcessReadings, who: RunningProcess | None) -> Person:
    """Return the description of a process, preferring /proc to the driver."""
    user = (who.user if who else None) or listed.user
    name = (who.name if who else None) or listed.name
    command = f"[{name}]" if name and who is not None and who.command == () else name
    if who is not None and who.command:
        program = who.command[0].rpartition("/")[2] or who.command[0]  # without its folder, to save room
        command = " ".join(" ".join(word.split()) or "''" for word in (program, *who.command[1:]))
    belongs = belongs_to(who) if who is not None else ""
    since = started(who.started_at) if who is not None else None
    whole = who.command[:1] if who and who.command else ()
    words = " ".join(part for part in (str(listed.pid), user, *whole, command, belongs) if part).lower()
    return Person(
        who=who,
        user=user,
        command=command,
        belongs=belongs,
        started=since.timestamp() if since is not None else None,
        words=words,
    )


class View:
    """The state of the screen. who: looks up a process; host: the machine's name, for the title."""

    def __init__(self, who: Who, *, host: str = "", replayed: bool = False) -> None:
        self.host, self.replayed = host, replayed
        self._who = who
        self.tick: Tick | None = None
        self.history = History(recent=RECENT)
        self.held: tuple[Held, ...] = ()
        self.pane: Pane = "processes"
        self.device: str | None = None  # the selected one
        self.process: tuple[str, int] | None = None
        self.first = {"devices": 0, "processes": 0}  # first visible line of each pane
        self.room = {"devices": 1, "processes": 1}  # height of each pane in lines when it was last drawn
        self.sort, self.reverse = "memory", False
        self.filter, self.only_device = "", False
        self.graphs: bool | None = None  # None: if there is room
        self.curves = False  # whether they were shown when last drawn
        self.links = self.paused = self.help = False
        self.help_first = self.help_hidden = 0  # lines of help above the visible ones, and lines that do not fit
        self.typing: str | None = None  # the filter being typed
        self.asking: Held | None = None  # the process in the confirmation dialog
        self.notice = ""
        self._people: dict[int, Person] = {}
        self.pids = 0  # number of processes that hold devices
        self._count = 0
        self._shown: tuple[tuple[object, ...], tuple[Held, ...]] | None = None  # cache key and cached value
        self._times: deque[float] = deque(maxlen=RECENT)
        self._happenings: list[tuple[float, Happening]] = []

    def add(self, tick: Tick) -> None:
        """Add a tick; while paused, only the history is updated."""
        self.history.add(tick)
        if self.notice and tick.seconds >= self._notice_until:
            self.notice = ""
        self._count += 1
        self._times.append(tick.seconds)
        self._happenings += [(tick.seconds, one) for one in tick.happenings]
        self._happenings = [one for one in self._happenings if tick.seconds - one[0] <= _HAPPENING_SECONDS]
        if not self.paused or self.tick is None:
            self._show(tick)

    def say(self, notice: str) -> None:
        """Show a message for a few seconds."""
        self.notice = notice
        self._notice_until = (self.tick.seconds if self.tick is not None else 0.0) + _NOTICE_SECONDS

    def forget(self) -> None:
        """Restart the history, because a replay was rewound."""
        self.history, self._happenings = History(recent=RECENT), []
        self._times.clear()

    def _show(self, tick: Tick) -> None:
        self.tick = tick
        parts = _in_parts(tick)
        self.held = tuple(
            Held(device=readings.id, place=place, readings=process, person=self._person(process))
            for place, readings in enumerate(tick.readings)
            for process in readings.processes or ()
            if (readings.id, process.pid) not in parts
        )
        pids = {held.readings.pid for held in self.held}
        self._people = {pid: person for pid, person in self._people.items() if pid in pids}
        self.pids = len(pids)
        ids = [device.id for device in tick.devices]
        if self.device not in ids:
            self.device = ids[0] if ids else None
        self._hold_selection()

    def _person(self, listed: ProcessReadings) -> Person:
        who, known = self._who(listed.pid), self._people.get(listed.pid)
        if known is None or known.who is not who:
            known = self._people[listed.pid] = person_of(listed, who)
        return known

    @property
    def number(self) -> int:
        """The number of the last tick in the history."""
        return self._count - 1

    def span(self, ticks: int) -> str:
        """Return the period of the last ticks, at most `ticks` of them: ", the last 4 min"; "" for a single one."""
        shown = min(ticks, len(self._times))
        return f", the last {span_text(self._times[-1] - self._times[-shown])}" if shown > 1 else ""

    @property
    def devices(self) -> Sequence[tuple[Device, Readings]]:
        return () if self.tick is None else tuple(zip(self.tick.devices, self.tick.readings, strict=True))

    @property
    def happening(self) -> Happening | None:
        """The last unusual event, while it is recent."""
        return self._happenings[-1][1] if self._happenings else None

    def processes(self) -> tuple[Held, ...]:
        """Return the processes that pass the filter, sorted."""
        asked = (self.held, self.sort, self.reverse, self.device if self.only_device else None, self._wanted())
        if self._shown is None or self._shown[0] != asked:
            found = [held for held in self.held if self._passes(held, asked[3], asked[4])]
            found.sort(key=self._rank, reverse=self.falls)
            self._shown = asked, tuple(found)
        return self._shown[1]

    @property
    def falls(self) -> bool:
        """Return whether the order is descending."""
        return (self.sort not in _RISING) != self.reverse

    def _wanted(self) -> str:
        return (self.filter if self.typing is None else self.typing).lower()

    def _passes(self, held: Held, device: str | None, wanted: str) -> bool:
        if device is not None and held.device != device:
            return False
        return all(word in held.person.words or word in held.device for word in wanted.split())

    def _rank(self, held: Held) -> tuple[object, ...]:
        """Return the sort key of a process; in descending order unknown values come last."""
        pid = held.readings.pid
        if self.sort in ("memory", "busy"):
            amount = held.readings.memory_bytes if self.sort == "memory" else held.readings.busy_percent
            return (-1.0 if amount is None else amount, -held.place, -pid)
        if self.sort in ("user", "command"):
            word = held.person.user if self.sort == "user" else held.person.command
            return (word is None, (word or "").lower(), held.place, pid)
        return (held.place, pid) if self.sort == "device" else (pid, held.place)

    def _hold_selection(self) -> None:
        keys = [held.key for held in self.processes()]
        if self.process not in keys:
            self.process = keys[0] if keys else None

    # actions of keys and clicks

    def move(self, lines: int) -> None:
        """Move the selection of the focused pane by this many lines, up if negative."""
        if self.pane == "devices":
            ids = [device.id for device, _ in self.devices]
            if ids:
                self.device = ids[_stepped(ids.index(self.device) if self.device in ids else 0, lines, len(ids))]
                self._hold_selection()
        else:
            keys = [held.key for held in self.processes()]
            if keys:
                place = keys.index(self.process) if self.process in keys else 0
                self.process = keys[_stepped(place, lines, len(keys))]

    def scroll_help(self, lines: int) -> None:
        self.help_first = max(0, min(self.help_hidden, self.help_first + lines))

    def page(self, pages: int) -> None:
        self.move(pages * max(1, self.room[self.pane]))

    def other_pane(self) -> None:
        self.pane = "devices" if self.pane == "processes" else "processes"

    def select_device(self, name: str) -> None:
        self.pane, self.device = "devices", name
        self._hold_selection()

    def select_process(self, device: str, pid: int) -> None:
        self.pane, self.process = "processes", (device, pid)

    def sort_by(self, name: str) -> None:
        """Sort by a column; if it is already the sort column, reverse the order."""
        if name in SORTS:
            self.reverse = not self.reverse if name == self.sort else False
            self.sort = name

    def next_sort(self) -> None:
        self.sort_by(SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])

    def toggle_device(self) -> None:
        """Toggle between the processes of the selected device and those of all devices."""
        self.only_device = not self.only_device
        self._hold_selection()

    def toggle_graphs(self) -> None:
        """Switch the curves on or off; initially they are shown if there is room."""
        self.graphs = not (self.graphs if self.graphs is not None else self.curves)

    def toggle_pause(self) -> None:
        self.paused = not self.paused

    def type(self, sign: str) -> None:
        """Append to the filter; "\\b" deletes the last character."""
        text = self.typing or ""
        self.typing = text[:-1] if sign == "\b" else text + sign
        self._hold_selection()

    def end_typing(self, *, keep: bool) -> None:
        if keep and self.typing is not None:
            self.filter = self.typing
        self.typing = None
        self._hold_selection()

    def clear(self) -> None:
        """Close what is open, or else clear the filters that hide processes."""
        if self.help or self.asking:
            self.help, self.asking = False, None
        else:
            self.filter, self.only_device, self.notice = "", False, ""
            self._hold_selection()

    def ask_to_end(self) -> None:
        """Ask whether to end the selected process, or say why it cannot be ended."""
        held = next((held for held in self.processes() if held.key == self.process), None)
        if held is None:
            self.say("There is no process to end.")
        elif self.replayed:
            self.say("This is a record: its processes are not here.")
        elif held.person.who is None or held.person.who.start_ticks is None:
            self.say(f"{held.readings.pid} cannot be stopped from here: /proc does not show which process it is.")
        else:
            self.asking, self.notice = held, ""


def _in_parts(tick: Tick) -> set[tuple[str, int]]:
    """Return (device, pid) of the processes that both a device and one of its partitions list."""
    wholes = {device.id: device.parent for device in tick.devices if device.parent is not None}
    return {
        (wholes[readings.id], process.pid)
        for readings in tick.readings
        if readings.id in wholes
        for process in readings.processes or ()
    }


def _stepped(place: int, lines: int, count: int) -> int:
    return max(0, min(count - 1, place + lines))
