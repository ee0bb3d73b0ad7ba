"""What keys and clicks do to what is shown."""

from typing import Any

import pytest
from made_ticks import PEOPLE, device, node, process, readings, tick, zoo

from accel.apps.screen.actions import act, meaning
from accel.apps.screen.view import SORTS, View, person_of
from accel.model.holding import RunningProcess
from accel.watch.sampling.tick import Happening


def viewed(*ticks: Any, replayed: bool = False) -> View:
    view = View(PEOPLE.get, replayed=replayed)
    for one in ticks:
        view.add(one)
    return view


def pids(view: View) -> list[int]:
    return [held.readings.pid for held in view.processes()]


HELD = (
    process(100, 2.0, busy_percent=10.0),
    process(200, None, busy_percent=None),
    process(300, 8.0, busy_percent=30.0),
)
ONE = tick(0, [(device(0), readings("nvidia:0", processes=HELD))])


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("memory", [300, 100, 200]),
        ("busy", [300, 100, 200]),
        ("device", [100, 200, 300]),
        ("user", [100, 200, 300]),
        ("pid", [100, 200, 300]),
        ("command", [300, 100, 200]),
    ],
)
def test_processes_are_sorted_by_each_column_and_the_other_way_round(sort: str, order: list[int]) -> None:
    view = viewed(ONE)
    view.sort = "pid" if sort != "pid" else "memory"
    view.sort_by(sort)
    assert pids(view) == order
    view.sort_by(sort)
    assert pids(view) == order[::-1]


def test_the_next_column_comes_round_again() -> None:
    view = viewed(ONE)
    seen = []
    for _ in SORTS:
        seen.append(view.sort)
        act(view, "sort-next")
    assert sorted(seen) == sorted(SORTS)
    assert view.sort == "memory"


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("alice", [100]),
        ("PYTHON", [100]),
        ("slurm 9", [100]),
        ("300", [300]),
        ("nvidia:0", [300, 100, 200]),
        ("zz", []),
    ],
)
def test_words_of_the_filter_are_looked_for_in_all_that_is_known(typed: str, left: list[int]) -> None:
    view = viewed(ONE)
    act(view, "filter")
    for sign in typed:
        act(view, meaning(view, sign, sign))
    assert pids(view) == left
    act(view, meaning(view, "enter", None))
    assert (view.typing, view.filter, pids(view)) == (None, typed, left)
    act(view, meaning(view, "escape", None))
    assert pids(view) == [300, 100, 200]


def test_a_command_is_shown_without_the_folder_of_its_program_and_found_by_it() -> None:
    one = RunningProcess(pid=7, name="python3", command=("/opt/conda/bin/python3", "/work/train.py"))
    person = person_of(process(7), one)
    assert person.command == "python3 /work/train.py"
    assert "/opt/conda/bin" in person.words


def test_a_filter_that_is_dropped_leaves_the_one_before() -> None:
    view = viewed(ONE)
    view.filter = "alice"
    act(view, "filter")
    act(view, meaning(view, "x", "x"))
    assert pids(view) == []
    act(view, meaning(view, "backspace", None))
    assert pids(view) == [100]
    act(view, meaning(view, "y", "y"))
    act(view, meaning(view, "escape", None))
    assert (view.filter, pids(view)) == ("alice", [100])


def test_what_is_typed_into_the_filter_ends_no_process() -> None:
    view = viewed(ONE)
    act(view, "filter")
    for sign in "kqy":
        assert not act(view, meaning(view, sign, sign))
    assert (view.typing, view.asking) == ("kqy", None)


def test_the_selection_stays_with_its_process_and_goes_on_when_that_ends() -> None:
    view = viewed(ONE)
    act(view, "move 1")
    assert view.process == ("nvidia:0", 100)
    act(view, "reverse")
    view.add(tick(1, [(device(0), readings("nvidia:0", processes=HELD))]))
    assert view.process == ("nvidia:0", 100)
    view.add(tick(2, [(device(0), readings("nvidia:0", processes=HELD[1:]))]))
    assert view.process == (("nvidia:0", 200))
    view.add(tick(3, [(device(0), readings("nvidia:0", processes=()))]))
    assert view.process is None
    act(view, "move 1")
    act(view, "end")
    assert view.notice == "There is no process to end."


def test_devices_are_selected_and_their_processes_alone_are_shown() -> None:
    view = viewed(node(4))
    act(view, "pane")
    act(view, "move 2")
    assert view.device == "nvidia:2"
    act(view, "only")
    assert {held.device for held in view.processes()} == {"nvidia:2"}
    act(view, "device nvidia:3")
    assert {held.device for held in view.processes()} == {"nvidia:3"}
    act(view, "clear")
    assert len(view.processes()) == 8
    act(view, "move 1000000")
    assert view.device == "nvidia:3"
    act(view, "page -1")
    assert view.device == "nvidia:2"


def test_a_device_that_goes_is_not_selected_any_more() -> None:
    view = viewed(node(4))
    view.select_device("nvidia:3")
    view.add(node(2, 1))
    assert view.device == "nvidia:0"
    view.add(node(0, 2))
    assert view.device is None


def test_a_process_is_asked_about_before_it_is_ended_and_only_where_it_is_surely_the_one() -> None:
    view = viewed(ONE)
    act(view, "process nvidia:0 100")
    assert not act(view, "end")
    assert view.asking is not None
    assert view.asking.key == ("nvidia:0", 100)
    assert [meaning(view, key, None) for key in ("enter", "k", "space", "y", "n", "escape")] == [
        "",
        "",
        "",
        "yes",
        "no",
        "no",
    ]
    assert act(view, "yes")  # which is the screen's to do
    act(view, "no")
    assert view.asking is None
    stranger = viewed(tick(0, [(device(0), readings("nvidia:0", processes=(process(999),)))]))
    act(stranger, "end")
    assert stranger.asking is None
    assert "999 cannot be stopped from here" in stranger.notice
    record = viewed(ONE, replayed=True)
    act(record, "end")
    assert "This is a record" in record.notice


def test_while_paused_the_readings_stand_still_and_the_past_goes_on() -> None:
    view = viewed(node(1, 0))
    act(view, "pause")
    view.add(node(1, 1))
    assert view.tick is not None
    assert (view.tick.number, view.number) == (0, 1)
    act(view, "pause")
    view.add(node(1, 2))
    assert view.tick.number == 2


def test_news_and_notices_go_after_a_while() -> None:
    view = viewed(zoo(0))
    view.say("done")
    assert view.happening is not None
    for number in range(1, 40):
        view.add(tick(number, [(device(0), readings("nvidia:0"))]))
    assert (view.happening, view.notice) == (None, "")
    view.add(tick(40, [(device(0), readings("nvidia:0"))], Happening(kind="late", text="slow")))
    assert view.happening is not None


def test_a_key_closes_the_help_and_does_nothing_else() -> None:
    view = viewed(ONE)
    act(view, meaning(view, "question_mark", "?"))
    assert view.help
    assert meaning(view, "k", "k") == "clear"
    act(view, "clear")
    assert (view.help, view.asking) == (False, None)


def test_where_the_help_does_not_fit_arrows_and_the_wheel_move_it_and_other_keys_close_it() -> None:
    view = viewed(ONE)
    act(view, "help")
    view.help_hidden = 9  # as a small screen says when it is drawn
    for key, first in (("down", 1), ("pagedown", 6), ("end", 9), ("up", 8), ("home", 0)):
        act(view, meaning(view, key, None))
        assert (view.help, view.help_first) == (True, first)
    act(view, "move 3")
    act(view, meaning(view, "s", "s"))
    assert not view.help
    act(view, "help")
    assert view.help_first == 0


def test_a_key_without_a_meaning_has_none() -> None:
    view = viewed(ONE)
    assert meaning(view, "z", "z") == ""
    assert meaning(view, "f12", None) == ""
    assert not act(view, "")
