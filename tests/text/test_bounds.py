"""What of a long text is read."""

from accel.text.bounds import LONGEST_LINE, WHOLE, Bounded, bounded, ends

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


def test_of_a_text_of_many_megabytes_whole_lines_of_both_ends_are_read_with_their_numbers() -> None:
    lines = [f"Xid {number}" for number in range(1000, 2000)]
    for limit in range(200, 240):
        part = ends("\n".join(lines), limit)
        read = {part.number(number): line for number, line in enumerate(part.text.split("\n"), 1) if line.strip(".")}
        assert all(lines[(number or 0) - 1] == line for number, line in read.items())
        assert {1, len(lines)} <= set(read)
        assert part.left_out == len(lines) - len(read)


def test_a_code_among_many_lines_of_one_shape_is_read() -> None:
    text = "".join(f"[{second}.0] NVRM: Xid (PCI:0000:3b:00): 31, pid={second}\n" for second in range(9_000))
    assert "): 79, pid=7" in shown(text.replace("31, pid=7000", "79, pid=7000"))
