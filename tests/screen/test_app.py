"""The screen by Textual's pilot: keys, mouse, size, the end of a process, a record."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual")

from made_ticks import PEOPLE, node, zoo
from textual.pilot import Pilot

from accel.apps.screen.app import Top
from accel.apps.screen.source import Live, Replayed
from accel.machine.live import LiveMachine
from accel.model.holding import RunningProcess
from accel.watch.holders.ending import Ended
from accel.watch.sampling.feed import FeedEnded
from accel.watch.sampling.record import Record, Recorder
from accel.watch.sampling.tick import Tick

Play = Callable[[Pilot[None], Top], Coroutine[Any, Any, None]]


class FakeFeed:
    """Ticks that are there when the screen begins, or come by `give`; then the child has ended, if it says so."""

    def __init__(self, *ticks: Tick) -> None:
        self._read, self._write = os.pipe()
        self.ticks: list[Tick] = []
        self.ended = False
        for one in ticks:
            self.give(one)

    def give(self, *ticks: Tick) -> None:
        self.ticks += ticks
        os.write(self._write, b".")

    def fileno(self) -> int:
        return self._read


class FakeLive(Live):
    """A source without a machine. ended: whom it was told to end."""

    def __init__(self, *ticks: Tick) -> None:
        self.fake = FakeFeed(*ticks)
        self.feed: Any = self.fake
        self.ended: list[RunningProcess] = []
        self.links: list[bool] = []

    def received(self) -> list[Tick]:
        os.read(self.fake.fileno(), 1)
        if self.fake.ended:
            raise FeedEnded("what watches has ended (SIGKILL)")
        ticks, self.fake.ticks = self.fake.ticks, []
        return ticks

    def who(self, pid: int) -> RunningProcess | None:
        return PEOPLE.get(pid)

    def want_links(self, links: bool) -> None:
        self.links.append(links)

    def end(self, process: RunningProcess, grace_seconds: float) -> Ended:
        self.ended.append(process)
        return Ended(pid=process.pid, outcome="killed")


def played(source: Live | Replayed, play: Play, size: tuple[int, int] = (100, 30)) -> Top:
    """Run the screen without a terminal, and what the play does to it."""
    top = Top(source, host="node7")

    async def run() -> None:
        async with top.run_test(size=size) as pilot:
            await pilot.pause()
            await play(pilot, top)

    asyncio.run(run())
    assert top.crash is None
    return top


def shown(top: Top) -> str:
    """Return what Textual has on its screen."""
    width, height = top.size
    from textual.geometry import Region

    return "\n".join(strip.text for strip in top.canvas.render_lines(Region(0, 0, width, height)))


def test_ticks_are_shown_as_they_come_and_q_ends_it() -> None:
    source = FakeLive(node(8))

    async def play(pilot: Pilot[None], top: Top) -> None:
        assert "8 devices" in shown(top)
        source.fake.give(node(3, 1))
        await pilot.pause()
        assert "3 devices" in shown(top)
        await pilot.press("q")

    assert played(source, play).return_code == 0


def test_keys_move_sort_and_filter() -> None:
    async def play(pilot: Pilot[None], top: Top) -> None:
        await pilot.press("down", "down")
        assert top.view.process == top.view.processes()[2].key
        await pilot.press("s", "s")
        assert "device▲" in shown(top)
        await pilot.press("slash", *"alice", "enter")
        assert "with “alice”" in shown(top)
        assert {held.person.user for held in top.view.processes()} == {"alice"}
        await pilot.press("escape", "tab", "down", "enter")
        assert "processes of nvidia:1" in shown(top)
        await pilot.press("question_mark")
        assert "the other list" in shown(top)
        await pilot.press("z", "p")
        assert "PAUSED" in shown(top)

    played(FakeLive(node(4)), play)


def test_the_mouse_selects_sorts_and_scrolls() -> None:
    async def play(pilot: Pilot[None], top: Top) -> None:
        await pilot.click(offset=(3, 4))
        assert (top.view.pane, top.view.device) == ("devices", "nvidia:2")
        lines = shown(top).splitlines()
        head = next(n for n, line in enumerate(lines) if " pid " in line)
        await pilot.click(offset=(lines[head].index("user"), head))
        assert top.view.sort == "user"
        await pilot.click(offset=(40, head + 2))
        assert top.view.process == top.view.processes()[1].key
        top.canvas.post_message(wheel(top, 40, head + 1))
        await pilot.pause()
        assert top.view.process == top.view.processes()[4].key

    played(FakeLive(node(8)), play, size=(120, 28))


def wheel(top: Top, x: int, y: int) -> Any:
    from textual import events

    more = {"delta_x": 0, "delta_y": 1, "button": 0, "shift": False, "meta": False, "ctrl": False}
    return events.MouseScrollDown(top.canvas, x, y, screen_x=x, screen_y=y, **more)


@pytest.mark.parametrize("size", [(24, 6), (80, 24), (200, 50), (300, 80)])
def test_every_size_is_drawn_whole_and_a_new_one_at_once(size: tuple[int, int]) -> None:
    async def play(pilot: Pilot[None], top: Top) -> None:
        for width, height in (size, (60, 20), size):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            lines = shown(top).splitlines()
            assert len(lines) == height
            assert {top.canvas.render_line(y).cell_length for y in range(height)} == {width}

    played(FakeLive(zoo(), zoo(1)), play, size=size)


def test_a_process_is_ended_after_y_and_what_became_of_it_is_said() -> None:
    source = FakeLive(node(1))

    async def play(pilot: Pilot[None], top: Top) -> None:
        await pilot.press("k")
        assert "End this process?" in shown(top)
        await pilot.press("enter", "k", "n")
        assert "End this process?" not in shown(top)
        assert source.ended == []
        await pilot.press("k", "y")
        for _ in range(100):
            await pilot.pause(0.01)
            if "was killed" in shown(top):
                break
        assert "100 was killed: it did not exit when asked to." in shown(top)

    played(source, play)
    assert source.ended == [PEOPLE[100]]


def test_a_click_on_the_buttons_answers_the_question() -> None:
    source = FakeLive(node(1))

    async def play(pilot: Pilot[None], top: Top) -> None:
        for word, there in (("n  leave it", False), ("y  end it", True)):
            await pilot.press("k")
            lines = shown(top).splitlines()
            row = next(n for n, line in enumerate(lines) if word in line)
            await pilot.click(offset=(lines[row].index(word) + 1, row))
            await pilot.pause(0.05)
            assert bool(source.ended) == there

    played(source, play)


def test_bytes_over_links_are_asked_for_only_while_they_are_shown() -> None:
    source = FakeLive(node(1))

    async def play(pilot: Pilot[None], top: Top) -> None:
        assert "PCIe" not in shown(top)
        await pilot.press("l")
        assert "PCIe out/in" in shown(top)
        await pilot.press("l")

    played(source, play, size=(140, 30))
    assert source.links == [True, False]


def test_when_what_watches_has_ended_the_screen_ends_and_says_so() -> None:
    source = FakeLive(node(1))

    async def play(pilot: Pilot[None], top: Top) -> None:
        source.fake.ended = True
        source.fake.give()
        await pilot.pause()

    assert played(source, play).fault == "what watches has ended (SIGKILL)"


@pytest.fixture
def record(tmp_path: Path) -> Record:
    path = str(tmp_path / "record.accel")
    recorder = Recorder(path, 1.0)
    for number in range(60):
        recorder.write(node(2, number))
    recorder.close()
    return Record(LiveMachine(), path)


async def until(pilot: Pilot[None], top: Top, reached: Callable[[], bool]) -> None:
    for _ in range(400):
        if reached():
            return
        await pilot.pause(0.01)
    raise AssertionError(shown(top))


def test_a_record_is_shown_set_forward_and_back_and_comes_to_its_end(record: Record) -> None:
    def at(top: Top) -> float:
        return top.view.tick.seconds if top.view.tick else -1.0

    async def play(pilot: Pilot[None], top: Top) -> None:
        await until(pilot, top, lambda: at(top) == 0.0)
        assert "of a record" in shown(top)
        await pilot.press("p")
        assert "PAUSED" in shown(top)
        await pilot.press("right")
        await until(pilot, top, lambda: at(top) == 10.0)
        await pilot.press("right")
        await until(pilot, top, lambda: at(top) == 20.0)
        await pilot.press("left")
        await until(pilot, top, lambda: at(top) == 10.0)
        await pilot.press("k")
        assert "This is a record" in shown(top)
        for _ in range(6):
            await pilot.press("right")
            await pilot.pause(0.05)
        await pilot.press(*["plus"] * 8)
        await until(pilot, top, lambda: "This is the end of the record" in shown(top))
        assert at(top) == 59.0
        await pilot.press(*["minus"] * 12)
        await pilot.press("left")
        await until(pilot, top, lambda: 49.0 <= at(top) < 59.0)

    played(Replayed(record, ()), play)


def test_a_record_is_shown_of_the_devices_that_are_named(record: Record) -> None:
    async def play(pilot: Pilot[None], top: Top) -> None:
        await until(pilot, top, lambda: top.view.tick is not None)
        assert "1 device " in shown(top)
        assert "nvidia:0" not in shown(top)

    played(Replayed(record, ("nvidia:1",)), play)


def test_ticks_of_one_moment_are_shown_one_after_the_other(tmp_path: Path) -> None:
    path = str(tmp_path / "record.accel")
    recorder = Recorder(path, 1.0)
    for number in range(3):
        recorder.write(replace(node(number + 1), seconds=0.0))
    recorder.close()

    async def play(pilot: Pilot[None], top: Top) -> None:
        await until(pilot, top, lambda: "This is the end of the record" in shown(top))
        assert "3 devices" in shown(top)

    played(Replayed(Record(LiveMachine(), path), ()), play)


def test_who_asks_for_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def coloured(top: Top) -> bool:
        lines = [top.canvas.render_line(y) for y in range(top.size.height)]
        return any(part.style is not None and part.style.color is not None for line in lines for part in line)

    async def without(pilot: Pilot[None], top: Top) -> None:
        assert not coloured(top)

    async def usual(pilot: Pilot[None], top: Top) -> None:
        assert coloured(top)

    monkeypatch.delenv("NO_COLOR", raising=False)
    played(FakeLive(zoo()), usual)
    monkeypatch.setenv("NO_COLOR", "1")
    played(FakeLive(zoo()), without)


def test_a_fault_that_a_tick_brings_ends_the_screen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    source = FakeLive(node(1))
    top = Top(source)

    async def run() -> None:
        async with top.run_test() as pilot:
            await pilot.pause()
            monkeypatch.setattr(top.view, "add", lambda tick: 1 // 0)
            source.fake.give(node(1, 1))
            await pilot.pause()

    asyncio.run(run())
    assert isinstance(top.crash, ZeroDivisionError)


def test_a_fault_of_the_screen_is_kept_for_the_command_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    top = Top(FakeLive(node(1)))

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    async def run() -> None:
        async with top.run_test() as pilot:
            top.view.move = broken  # type: ignore[method-assign]
            await pilot.press("down")
            await pilot.pause()

    asyncio.run(run())
    assert repr(top.crash) == "RuntimeError('broken')"
