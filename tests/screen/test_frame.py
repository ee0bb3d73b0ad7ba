"""The lines of the screen: of any size, for any machine, and what stands in them."""

import re
from collections.abc import Callable

import pytest
from made_ticks import NAMES, PEOPLE, device, node, process, readings, renamed, tick, zoo

from accel.apps.render.page import columns_of
from accel.apps.screen.actions import meaning
from accel.apps.screen.cells import DASH, Span, action_at, before, behind, changed_part, filled, fitted, width_of
from accel.apps.screen.frame import frame
from accel.apps.screen.graphs import area, bars, gauge, lately
from accel.apps.screen.view import View
from accel.model.holding import RunningProcess
from accel.model.readings import ProcessReadings
from accel.watch.sampling.tick import Tick

SIZES = [(24, 6), (24, 12), (40, 10), (80, 24), (100, 30), (132, 43), (200, 50), (300, 80), (80, 4), (30, 200)]
OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


def who(pid: int) -> RunningProcess | None:
    return PEOPLE.get(pid)


def viewed(*ticks: Tick) -> View:
    view = View(who, host="node7")
    for one in ticks:
        view.add(one)
    return view


def text(view: View, width: int, height: int) -> list[str]:
    return ["".join(span.text for span in line).rstrip() for line in frame(view, width, height)]


def asking(view: View) -> None:
    view.filter = ""
    view.process = ("nvidia:9/mig0", 100)
    view.ask_to_end()


STATES: dict[str, Callable[[View], object]] = {
    "plain": lambda view: None,
    "help": lambda view: setattr(view, "help", True),
    "asking": asking,
    "filtering": lambda view: view.type("python"),
    "curves": lambda view: setattr(view, "graphs", True),
    "links": lambda view: setattr(view, "links", True),
    "one device": lambda view: view.toggle_device(),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_line_is_as_wide_as_the_screen_and_there_are_as_many(size: tuple[int, int], state: str) -> None:
    for made in (zoo(), node(0), node(1), node(64), renamed(node(3), NAMES[1] or "")):
        view = viewed(made, made)
        STATES[state](view)
        lines = frame(view, *size)
        assert len(lines) == size[1]
        for line in lines:
            told = "".join(span.text for span in line)
            assert (columns_of(told), width_of(line)) == (size[0], size[0]), told
            assert not OBEYED.search(told)


@pytest.mark.parametrize("size", [size for size in SIZES if size[1] > 4], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_question_shows_its_answers_and_the_help_all_its_keys_on_any_screen(size: tuple[int, int]) -> None:
    view = viewed(zoo())
    asking(view)
    shown = " ".join(text(view, *size))
    assert " y " in shown
    assert " n " in shown
    view.asking, view.help = None, True
    seen = text(view, *size)
    for _ in range(80):
        assert meaning(view, "down", None) == ("move 1" if view.help_hidden else "clear")
        view.scroll_help(1)
        seen += text(view, *size)
    whole = " ".join(" ".join(line.strip("│ ") for line in seen).split())
    for key in ("q, Ctrl-C", "PgUp", "k, F9", "p, Space", "Esc"):
        assert key in whole
    assert "not known." in whole


def test_before_the_first_tick_it_is_said_that_devices_are_looked_at() -> None:
    assert "looking at the devices" in text(viewed(), 80, 24)[0]


def test_without_devices_the_way_on_is_said() -> None:
    assert any("accel doctor" in line for line in text(viewed(node(0)), 80, 24))


def test_where_only_the_processor_is_shown_the_way_on_is_said() -> None:
    lines = text(viewed(tick(0, [(device(0, kind="cpu"), readings("nvidia:0", processes=None))])), 80, 24)
    assert any("No accelerator is visible. If one is missing:  accel doctor" in line for line in lines)


@pytest.mark.parametrize(("held", "said"), [((), "No process uses a device."), (None, "is unknown: try  accel ps")])
def test_whether_nobody_holds_a_device_or_it_is_not_known_is_told_apart(
    held: tuple[ProcessReadings, ...] | None, said: str
) -> None:
    processor = (device(1, kind="cpu"), readings("nvidia:1", processes=None))
    lines = text(viewed(tick(0, [(device(0), readings("nvidia:0", processes=held)), processor])), 80, 24)
    assert any(said in line for line in lines)


def test_a_long_name_gets_the_room_there_is() -> None:
    lines = text(viewed(tick(0, [(device(0, name="Intel(R) Xeon(R) Processor @ 2.10GHz"), readings("x"))])), 80, 24)
    assert "Intel(R) Xeon(R) " in lines[2]


def test_eighty_columns_show_what_matters_of_every_device() -> None:
    lines = text(viewed(node(8)), 80, 24)
    assert lines[0].startswith(" accel top  8 devices  16 processes  node7")
    assert lines[1].split() == ["device", "name", "busy", "saturated", "memory", "temp", "power", "health"]
    assert lines[2].split() == ["nvidia:0", "H100", "80GB", "HBM3", "0", "%", "41", "%", "40.0/80.0", "GiB",
                                "61°C", "654/700", "W", "ok"]  # fmt: skip
    assert lines[10].startswith("─ processes 1–11 of 16 ─")
    assert lines[12].split()[:6] == ["nvidia:0", "100", "alice", "20.0", "GiB", "40"]
    assert lines[-1].startswith(" q quit")


def test_twenty_four_columns_show_who_is_busy_and_how_full() -> None:
    lines = text(viewed(node(8, 7)), 24, 12)
    assert lines[0].split()[:3] == ["1–5", "of", "8"]
    assert lines[2] == "nvidia:0   7 % 40.0/80.0"
    assert lines[-4].split() == ["pid", "memory▼", "command"]


def test_wide_screens_show_more_columns_and_curves() -> None:
    view = viewed(*(node(8, number) for number in range(40)))
    lines = text(view, 200, 50)
    for head in ("clock", "busy, lately", "held down by", "saturated"):
        assert head in lines[1]
    curves = next(line for line in lines if "the last 39 s" in line)
    assert curves.startswith("─ nvidia:0 H100 80GB HBM3, the last 39 s ─")
    assert any("⣿" in line for line in lines)
    view.toggle_graphs()
    assert not any("⣿" in line for line in text(view, 200, 50))


def test_what_is_not_known_is_a_dash_and_what_does_not_answer_says_why() -> None:
    lines = text(viewed(zoo()), 140, 40)
    unknown = next(line for line in lines if line.startswith("nvidia:5 "))
    assert unknown.split()[-1] == DASH
    assert unknown.count(DASH) >= 6
    assert not re.search(r"\b0\b", unknown.removeprefix("nvidia:5"))
    assert any(line.startswith("nvidia:7 gone: GPU is lost") for line in lines)
    assert any(line.startswith("nvidia:8 late") for line in lines)
    assert "1 without readings" not in lines[0]
    assert "2 without readings" in lines[0]
    assert "nvidia:7 gives no readings any more" in lines[-1]
    assert any("hw-thermal-slowdown" in line for line in text(viewed(zoo()), 260, 40))


def test_busy_and_saturated_are_two_columns_and_partitions_stand_below_their_device() -> None:
    lines = text(viewed(zoo()), 140, 40)
    head = lines[1]
    part = next(line for line in lines if line.startswith(" └mig0"))
    assert part[head.index("busy") : head.index("busy") + 4].strip() == DASH
    assert part[head.index("saturated") : head.index("saturated") + 9].strip() == "41 %"
    assert lines.index(part) == 1 + next(n for n, line in enumerate(lines) if line.startswith("nvidia:9 "))


def test_a_process_on_a_partition_is_not_shown_on_its_device_again() -> None:
    lines = text(viewed(zoo()), 140, 40)
    assert [line.split()[0] for line in lines if "train.py" in line] == ["nvidia:9/mig0"]


def test_a_process_has_its_user_command_and_batch_job_and_what_is_not_known_is_a_dash() -> None:
    lines = text(viewed(zoo()), 140, 40)
    known = next(line for line in lines if "train.py" in line)
    for word in ("alice", "running", "slurm 9", "python3 train.py --batch 64", "3.0 GiB"):
        assert word in known
    unknown = next(line for line in lines if " 300 " in line)
    assert "[kworker]" in unknown
    assert "blocked" in unknown
    assert unknown.count(DASH) >= 3


def test_the_selected_line_is_seen_wherever_it_is() -> None:
    view = viewed(node(64))
    view.pane = "devices"
    view.move(63)
    lines = text(view, 100, 30)
    assert any(line.startswith("nvidia:63 ") for line in lines)
    assert "of 64" in lines[0]
    view.other_pane()
    view.move(127)
    shown = view.processes()[-1]
    assert any(f" {shown.readings.pid} " in line and line.startswith(shown.device) for line in text(view, 100, 30))


def test_a_small_amount_of_memory_loses_its_unit_and_then_becomes_a_share() -> None:
    one = tick(0, [(device(0), readings("nvidia:0"))])
    many = tick(0, [(device(0, memory_total_bytes=None), readings("nvidia:0", memory_total_bytes=999 * 2**30))])
    assert text(viewed(one), 24, 8)[2].endswith("40.0/80.0")
    assert text(viewed(many), 24, 8)[2].endswith("4 %")


def test_a_click_finds_what_stands_there() -> None:
    lines = frame(viewed(node(2)), 100, 20)
    assert action_at(lines[3], 2) == "device nvidia:1"
    heads = next(line for line in lines if "pid" in "".join(span.text for span in line))
    row = "".join(span.text for span in heads)
    assert action_at(heads, row.index("user")) == "sort user"
    below = lines[lines.index(heads) + 1]
    assert action_at(below, 50) == "process nvidia:0 100"
    assert action_at(lines[0], 99) in ("help", "")


def test_texts_are_cut_and_padded_by_columns() -> None:
    assert [fitted("abcdef", n) for n in (0, 1, 3, 6, 8)] == ["", "…", "ab…", "abcdef", "abcdef  "]
    assert [fitted("超级卡", n) for n in (2, 3, 5, 6, 7)] == ["… ", "超…", "超级…", "超级卡", "超级卡 "]
    assert fitted("7", 3, True) == "  7"
    line = (Span("ab"), Span("超级", "bad"), Span("cd"))
    assert ["".join(span.text for span in before(line, n)) for n in (0, 1, 3, 4, 8)] == [
        "",
        "a",
        "ab ",
        "ab超",
        "ab超级cd",
    ]
    assert ["".join(span.text for span in behind(line, n)) for n in (0, 3, 4, 7, 8)] == [
        "ab超级cd",
        " 级cd",
        "级cd",
        "d",
        "",
    ]
    assert width_of(filled(line, 5)) == 5


def test_only_what_has_changed_of_a_line_is_drawn_again() -> None:
    def line(*texts: str) -> tuple[Span, ...]:
        return tuple(Span(text) for text in texts)

    assert changed_part(line("ab", "cd"), line("ab", "cd")) == (0, 0)
    assert changed_part(line("abc", "def"), line("abX", "def")) == (2, 3)
    assert changed_part(line("abc", "def"), line("Xbc", "deX")) == (0, 6)
    assert changed_part(line("abc", "def"), line("abcd", "ef")) == (0, 6)
    assert changed_part(line("a超", "b"), line("a级", "b")) == (0, 3)
    assert changed_part((Span("ab", "dim"),), (Span("ab", "bad"),)) == (0, 2)


def test_curves_tell_nothing_known_from_nothing_done() -> None:
    assert area((None, None, 0.0, 0.0, 50.0, 100.0), 4, 2, 100.0) == ("   ⢸", "  ⣀⣿")
    assert bars((None, None, 0.0, None, 50.0, 100.0), 4, 100.0) == "  ▁█"
    assert area((), 2, 1, 100.0) == ("  ",)
    assert gauge(None, 4) == ("", "    ")
    assert gauge(0.5, 4) == ("██", "░░")
    assert gauge(2.0, 4) == ("████", "")


def test_a_curve_moves_on_at_every_second_tick_only() -> None:
    drawn = []
    view = viewed()
    for number in range(9):
        view.add(node(1, number))
        drawn.append(lately(view.history, "nvidia:0", "busy_percent", 3, view.number))
    assert drawn[0] == ()
    assert drawn[1] == drawn[2] == (0.0, 1.0)
    assert drawn[7] == drawn[8] == (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)


def test_many_processes_are_drawn_as_few_are() -> None:
    crowd = tick(0, [(device(0), readings("nvidia:0", processes=tuple(process(n) for n in range(1000, 3000))))])
    lines = text(viewed(crowd), 80, 24)
    assert "2000 processes" in lines[0]
    assert any("of 2000" in line for line in lines)
