"""Forms of issues state the system under a heading, in a table, in bold or beside a box; the host is read from each."""

import pytest

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.facts.readers.host import READER
from accel.plugins.registry import Registry
from accel.text.form_fields import form_fields

REGISTRY = Registry({})
SYSTEMS = {
    "### Operating system\n\nWindows\n\n### GPU vendor\n\nNvidia": "windows",
    "### Operating systems\n\nLinux\n\n### GGML backends\n\nBLAS": "linux",
    "**Operating System**\n\nFedora 41": "linux",
    "**OS:** Windows 11": "windows",
    "| Operating System | Windows 11 |": "windows",
    "OS / 操作系统：Ubuntu 22.04": "linux",
    "### What operating system are you using?\n\n- [ ] Linux\n- [x] macOS 14\n- [ ] Windows": "macos",
    "Betriebssystem: Windows 11": "windows",
    "在Mac M1上面运行一直报错": "macos",
}
XFORMERS = """xFormers can't load C++/CUDA extensions. xFormers was built for:
    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.0.1+cu118)
    Python  3.10.11 (you have 3.10.11)
"""
LISTED = """$ pip list
Package    Version
---------- ------------
torch      2.3.0+cu121
xformers   0.0.26.post1
"""


@pytest.mark.parametrize("text", SYSTEMS)
def test_the_system_of_a_form_is_read(text: str) -> None:
    assert [reading.host.system for reading in READER.read(text) if reading.host] == [SYSTEMS[text]]


def test_a_description_below_a_heading_is_no_answer() -> None:
    assert form_fields("### System\n\nIt worked on Windows.\nNow it hangs on Linux.\n") == ""


def test_what_the_failing_program_says_of_itself_outranks_a_list_of_another_pip() -> None:
    facts = Facts(read_texts([("report", XFORMERS + LISTED)], REGISTRY))
    assert [package.version for package in facts.packages("torch")] == ["2.0.1"]
    assert facts.framework("torch") is not None


def test_a_list_that_agrees_with_the_failing_program_is_kept() -> None:
    listed = LISTED.replace("2.3.0+cu121", "2.0.1+cu118")
    facts = Facts(read_texts([("report", XFORMERS + listed)], REGISTRY))
    assert facts.package("xformers") is not None
