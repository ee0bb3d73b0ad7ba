"""A blank cell moves no value into its neighbour's column, and a damaged line of a list no board to its number."""

from accel.text.columns import WORDS, columns
from accel.text.lspci import damaged, functions, numbered
from accel.text.pattern import pattern

_HEAD = columns("DCU     Temp     AvgPwr     Perf     PwrCap", WORDS)
_LIST = """\
3b:00.0 Processing accelerators [1200]: Device [1e36:c035] (rev 01)
5e:00.0 Processing accelerators [1200]: Device [1e36:c035] (rev 01)
\tSubsystem: Device [1e36:0001]
"""


def test_a_row_with_a_blank_cell_is_read_by_the_places_of_the_head():
    assert _HEAD.row("0       43.0C               auto     800.0W") == {
        "dcu": "0",
        "temp": "43.0C",
        "perf": "auto",
        "pwrcap": "800.0W",
    }


def test_a_row_that_lost_its_blanks_and_a_cell_tells_nothing():
    assert _HEAD.row("0 43.0C auto 800.0W") == {}


def test_a_full_row_is_read_in_order_wherever_it_stands():
    assert _HEAD.row("0 43.0C 134.0W auto 800.0W")["pwrcap"] == "800.0W"


def _places(text: str) -> list[int]:
    found = list(functions(text, "", "1e36"))
    lines = [one.number for one in found]
    return numbered(lines, damaged(text, pattern(r"\b1e36:"), {one.kind for one in found}, lines))


def test_a_damaged_line_of_a_list_keeps_its_number():
    assert _places(_LIST) == [0, 1]
    assert _places(_LIST.replace("3b:00.0", "ERR!   ", 1)) == [1]
    assert _places(_LIST.replace("[1e36:c035]", "[ERR!     ]", 1)) == [1]


def test_another_makers_board_takes_no_number():
    assert _places(_LIST.replace("1e36:c035", "10de:2330", 1)) == [0]
    assert _places(_LIST.replace("Device [1e36:c035]", "Habana Labs Ltd. HL-205", 1)) == [0]
