"""A long line is shortened around what it proves."""

import pytest

from accel.text.excerpt import excerpt

_PLAN = (
    "6: The plan file cannot be used with this version of the runtime, because it was written by another release of "
    "the builder: expecting library version 8.0.0 got 8.0.1, please build it again."
)
_WHEEL = (
    "ImportError: /home/kim/work/venv/lib/python3.11/site-packages/fastops/kernels/_C.cpython-311-x86_64-linux-gnu.so: "
    "undefined symbol: _ZN3c104cuda9SetDeviceEi, while the module was loaded by the program"
)


@pytest.mark.parametrize(
    ("line", "about", "shown"),
    [
        (_PLAN, ("The plan was written by another release",), "expecting library version 8.0.0 got 8.0.1"),
        (_WHEEL, ("fastops was built for another torch",), "undefined symbol: _ZN3c104cuda9SetDeviceEi"),
        (f"RuntimeError: {'many words first, ' * 12}then driver 470.82 found", ("driver is too old",), "driver 470.82"),
        (f"NVRM: {'filler ' * 40}(8, 5, 0) and not (8, 4, 1)", (), "(8, 5, 0) and not (8, 4, 1)"),
    ],
)
def test_the_part_that_decides_is_kept(line: str, about: tuple[str, ...], shown: str) -> None:
    short = excerpt(line, about, 110)
    assert shown in short
    assert len(short) <= 130


def test_the_speaker_stays_if_the_start_is_left_out() -> None:
    assert excerpt(f"NVRM: {'filler ' * 40}version 550.54", (), 100).startswith("NVRM: … ")
    assert excerpt(f"{'filler ' * 40}version 550.54", (), 100).startswith("… ")


def test_a_short_line_stays_as_it_is() -> None:
    line = "Failed to load /usr/local/lib/python3.10/dist-packages/thing/core.py: no module named thing"
    assert excerpt(line, (), 110) == line


def test_a_line_without_numbers_is_cut_at_its_end_between_two_words() -> None:
    short = excerpt("plain words that say little " * 20, (), 100)
    assert short.startswith("plain words that")
    assert short.endswith(" …")
    assert len(short) <= 100


def test_folders_are_left_out_of_a_file_but_not_of_a_mount() -> None:
    mount = f"docker run -v /usr/local/vendor/driver/lib64/a.so:/usr/local/vendor/driver/lib64/a.so {'-e A=1 ' * 30}"
    assert "…/" not in excerpt(mount, (), 110)
    assert excerpt(_WHEEL, (), 150).startswith("ImportError: …/kernels/_C.cpython-311")
