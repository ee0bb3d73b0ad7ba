"""What of a long text is read."""

from accel.text.bounds import LONGEST_LINE, WHOLE, Bounded, bounded

FAULT = "RuntimeError: CUDA error: device-side assert triggered"


def shown(text: str) -> str:
    part, lines = bounded(text), text.split("\n")
    for number, line in enumerate(part.text.split("\n"), 1):
        whole = lines[(part.number(number) or 0) - 1]
        assert line in ("", "...") or line == whole or (len(whole) > LONGEST_LINE and line[:9] == whole[:9])
    return part.text


def test_a_report_is_read_whole() -> None:
    text = "a line\n" * 1000
    assert bounded(text) == Bounded(text)


def test_lines_that_differ_by_numbers_alone_are_read_a_few_times() -> None:
    text = "".join(f"step {number} loss 0.{number}\n" for number in range(40_000)) + FAULT + "\n"
    read = shown(text)
    assert read.splitlines()[-1] == FAULT
    assert read.count("step ") < 100
    assert bounded(text).left_out > 39_000


def test_a_fault_in_the_middle_of_much_else_is_read() -> None:
    names = [f"{one}{two}{three}" for one in "abcdefghij" for two in "klmnopqrst" for three in "uvwxyz"]
    other = [
        f"{first} went to {second} by way of the harbor and the market of the town"
        for first in names
        for second in names[:20]
    ]
    other[7000] = FAULT
    text = "\n".join(other)
    assert len(text) > WHOLE
    read = shown(text)
    assert FAULT in read
    assert len(read) < WHOLE + len(other)


def test_a_line_without_end_is_cut_in_its_middle() -> None:
    read = shown("x" * 1_000_000 + "\n" + FAULT)
    assert len(read) < LONGEST_LINE + 200
    assert read.endswith(FAULT)
