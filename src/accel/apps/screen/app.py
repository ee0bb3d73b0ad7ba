"""The Textual front end: passes keys, mouse and size in, draws lines. One widget draws only the lines that changed."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from functools import lru_cache
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from accel.apps.screen.actions import act, meaning
from accel.apps.screen.boxes import GRACE_SECONDS
from accel.apps.screen.cells import Line, action_at, changed_part
from accel.apps.screen.frame import frame
from accel.apps.screen.source import Live, Replayed, host_name
from accel.apps.screen.view import View
from accel.model.holding import RunningProcess
from accel.watch.sampling.feed import FeedEnded

_WHEEL_LINES: Final = 3
_STEP_SECONDS: Final = 10.0  # seconds that a key seeks in a recording
_AT_ONCE: Final = 500  # ticks of a recording that are skipped between two checks for keys
_SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
_BECAME: Final = {
    "ended": "has ended.",
    "killed": "was killed: it did not exit when asked to.",
    "still-there": "is still there: it waits in the kernel, and only a reboot ends it.",
    "gone": "was gone already, or another process has its number.",
    "not-allowed": "is another user's. Type:  sudo accel top",
    "spared": "was spared: accel runs below it, is it, or started it.",
}

_NAMED = {
    "name": "bold reverse",
    "title": "bold",
    "head": "bold cyan",
    "sorted": "bold reverse cyan",
    "rule": "dim",
    "id": "bold",
    "key": "bold cyan",
    "button": "reverse",
    "box": "cyan",
    "curve": "cyan",
    "dim": "dim",
    "good": "green",
    "warn": "bold yellow",
    "bad": "bold red",
    "mark": "underline",
    "select": "reverse",
}


class Canvas(Widget, can_focus=True):
    """Draws the lines made by `frame`. perform: called with an action."""

    def __init__(self, view: View, perform: Callable[[str], None]) -> None:
        super().__init__()
        self._view, self._perform = view, perform
        self._shown: list[Line] = []
        self._strips: list[Strip] = []  # of the same lines

    def redraw(self) -> None:
        """Rebuild all lines, and draw those that changed."""
        width, height = self.size
        before, self._shown = self._shown, frame(self._view, width, height) if width and height else []
        if len(before) != len(self._shown):
            self._strips = [self._strip(line, width) for line in self._shown]
            self.refresh()
        elif changed := [place for place, line in enumerate(self._shown) if line != before[place]]:
            for place in changed:
                self._strips[place] = self._strip(self._shown[place], width)
            parts = ((place, changed_part(before[place], self._shown[place])) for place in changed)
            self.refresh(*(Region(first, place, end - first, 1) for place, (first, end) in parts))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of a region, bypassing Textual's styles, borders and caches, which are not used here."""
        return [self.render_line(y).crop(crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def render_line(self, y: int) -> Strip:
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width)

    def _strip(self, line: Line, width: int) -> Strip:
        colour = not self.app.no_color  # which Textual applies only in its own rendering
        return Strip([segment(span.text, span.style, colour) for span in line], width)

    def on_resize(self) -> None:
        self._shown = []
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if action := self._action(event):
            self._perform(action)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, _WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -_WHEEL_LINES)

    def _scroll(self, event: events.MouseEvent, lines: int) -> None:
        event.stop()
        below = self._action(event).partition(" ")[0]
        if below in ("device", "process"):
            self._view.pane = "devices" if below == "device" else "processes"
        self._perform(f"move {lines}")

    def _action(self, event: events.MouseEvent) -> str:
        return action_at(self._shown[event.y], event.x) if 0 <= event.y < len(self._shown) else ""


def _driver() -> type[Driver] | None:
    """Return the driver that blocks until a key arrives; None (use Textual's own) for an incompatible Textual."""
    try:
        from accel.apps.screen.driver import QuietDriver
    except ImportError:
        return None
    return QuietDriver


class Top(App[None]):
    """The app behind `accel top`.

    fault  why it stopped by itself, as a message; crash: the exception that stopped it
    """

    CSS: ClassVar[str] = "Screen { background: ansi_default; } Canvas { width: 100%; height: 100%; }"
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False

    def __init__(self, source: Live | Replayed, *, host: str | None = None) -> None:
        super().__init__(driver_class=_driver(), ansi_color=True)
        self.animation_level = "none"
        self.source = source
        self.view = View(source.who, host=host_name() if host is None else host, replayed=source.replayed)
        self.canvas = Canvas(self.view, self.perform)
        self.fault: str | None = None
        self.crash: Exception | None = None
        self._speed = _SPEEDS.index(1.0)
        self._clock: asyncio.TimerHandle | None = None  # the timer for the next tick of a recording
        self._turn = 0  # how often playback was changed
        self._tasks: set[asyncio.Task[None]] = set()

    def _handle_exception(self, error: Exception) -> None:
        """Exit, and leave the report to the command: Textual would print pages of traceback."""
        self.crash = self.crash or error
        self._exception_event.set()  # release a test that waits for the screen
        self.exit(return_code=2)

    def compose(self) -> ComposeResult:
        yield self.canvas

    def on_mount(self) -> None:
        self.canvas.focus()
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            loop.add_signal_handler(getattr(signal, name), self.exit)
        if isinstance(self.source, Live):
            loop.add_reader(self.source.feed.fileno(), self._or_end, self._received)
        else:
            self._replay()

    def on_key(self, event: events.Key) -> None:
        if action := meaning(self.view, event.key, event.character):
            event.stop()
            event.prevent_default()
            self.perform(action)

    def perform(self, action: str) -> None:
        """Perform the action of a key or a click."""
        if act(self.view, action):
            self._do(action)
        elif action == "pause" and isinstance(self.source, Replayed):
            self._steer(self.source, action)
        self.canvas.redraw()

    def _do(self, action: str) -> None:
        if action == "quit":
            self.exit()
        elif action == "links" and not self.source.replayed:
            self.view.links = not self.view.links
            self.source.want_links(self.view.links)
        elif action == "yes" and self.view.asking is not None:
            asked, self.view.asking = self.view.asking, None
            if isinstance(self.source, Live) and asked.person.who is not None:
                self.view.say(f"{asked.readings.pid} was asked to exit …")
                self._start(self._end(self.source, asked.person.who))
        elif isinstance(self.source, Replayed):
            self._steer(self.source, action)

    async def _end(self, source: Live, process: RunningProcess) -> None:
        became = await asyncio.to_thread(source.end, process, GRACE_SECONDS)
        self.view.say(f"{process.pid} {_BECAME[became.outcome]}")
        self.canvas.redraw()

    def _or_end(self, work: Callable[[], None]) -> None:
        """Run a callback of the event loop; exit if it raises, since the loop alone would only print the exception."""
        try:
            work()
        except Exception as error:
            self._handle_exception(error)

    def _received(self) -> None:
        """Receive what the watching child sent."""
        assert isinstance(self.source, Live)
        try:
            ticks = self.source.received()
        except FeedEnded as ended:
            asyncio.get_running_loop().remove_reader(self.source.feed.fileno())
            self.fault = str(ended)
            self.exit()
            return
        for tick in ticks:
            self.view.add(tick)
        if ticks:
            self.canvas.redraw()

    def _replay(self) -> None:
        """Show the next tick of the recording, and set a timer for the one after it."""
        assert isinstance(self.source, Replayed)
        tick = self.source.take()
        if tick is None:
            self.view.say("This is the end of the record. ← goes back.")
            self.canvas.redraw()
            return
        self.view.add(tick)
        self.canvas.redraw()
        following = self.source.next_at()
        rest = 0.0 if following is None else (following - tick.seconds) / _SPEEDS[self._speed]
        # The event loop's clock: Textual's timer divides by its interval, and two ticks may have the same time.
        self._clock = asyncio.get_running_loop().call_later(max(0.0, rest), self._or_end, self._replay)

    def _steer(self, source: Replayed, action: str) -> None:
        """Seek, change the speed of, or pause a recording."""
        if self._clock is not None:
            self._clock.cancel()
        wanted: float | None = None
        if action in ("faster", "slower"):
            self._speed = max(0, min(len(_SPEEDS) - 1, self._speed + (1 if action == "faster" else -1)))
            self.view.say(f"{_SPEEDS[self._speed]:g} times as fast as it was")
        elif action in ("forward", "back"):
            now = self.view.tick.seconds if self.view.tick is not None else 0.0
            wanted = now + (_STEP_SECONDS if action == "forward" else -_STEP_SECONDS)
            self.view.notice, self.view.paused = "", False
        if action == "back":
            source.rewind()
            self.view.forget()
        self._turn += 1
        if not self.view.paused:
            self._start(self._pass(source, wanted, self._turn))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._handle_exception(error)

    async def _pass(self, source: Replayed, until: float | None, turn: int) -> None:
        """Consume the ticks up to a moment without showing each, and continue from there."""
        passed = 0
        while until is not None and (seconds := source.next_at()) is not None and seconds < until:
            tick = source.take()
            assert tick is not None
            self.view.add(tick)
            passed += 1
            if passed % _AT_ONCE == 0:
                await asyncio.sleep(0)
                if turn != self._turn:
                    return  # another key was pressed meanwhile
        self._replay()


@lru_cache(8192)
def segment(text: str, names: str, colour: bool = True) -> Segment:
    """Return a text in a style; without colour it keeps bold, dim, underline and reverse."""
    return Segment(text, style_of(names, colour))


@lru_cache(256)
def style_of(names: str, colour: bool = True) -> Style:
    """Return the style of a span: names of the palette, where later ones take precedence."""
    style = Style.combine([Style.null(), *(Style.parse(_NAMED[name]) for name in names.split())])
    return style if colour else style.without_color
