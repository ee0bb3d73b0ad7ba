"""A report as Markdown: legible as it stands, and no text of a machine becomes mark-up."""

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import pytest

from accel.apps.render.report.document import Document
from accel.apps.render.report.markdown import markdown
from accel.model.device import Device, Gap
from accel.model.diagnosis import Evidence, Remedy
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.vendors.contract.check import Check, Problem

Reporter = Callable[..., Document]
HOSTILE = (
    "<script>alert(1)</script>",
    "x | y\n# heading\n- item\n> quote",
    "[click](javascript:alert(1)) ![](http://evil.example/x.png)",
    "*bold* _slanted_ `code` ~~gone~~ $x$",
    "</details><h1>big</h1>",
    "&lt;b&gt; &#60;script&#62;",
    "```\nfence\n```",
)


def machine(text: str) -> Snapshot:
    device = Device(
        id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu", name=text,
        memory_total_bytes=8 * 2**30, memory_used_bytes=2 * 2**30, pci_address=text,
    )  # fmt: skip
    second = Device(id="nvidia:1", index=1, backend="nvidia", vendor="NVIDIA", kind="gpu", name=text, pci_address=text)
    gaps = (Gap(fact=text, reason=text),)
    return Snapshot(reports=(Report(backend="nvidia", source=text, devices=(device, second), gaps=gaps),))


def check(text: str, command: str | None = None) -> Check:
    def run(*_: object) -> Iterator[Problem]:
        evidence = (Evidence(fact="seen", value=text),)
        yield Problem(title=text, evidence=evidence, remedies=(Remedy(text=text, command=command),))

    return Check(code="ZZ001", name="hostile", layer="hardware", run=run)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_mark_up(reported: Reporter, text: str) -> None:
    said = markdown(reported(machine(text), checks=[check(text, "true")]))
    tags = Tags()
    tags.feed(re.sub(r"<https?://[^>]*>", "", said))
    assert tags.found <= {"details", "summary"}
    assert len(re.findall(r"^# ", said, re.MULTILINE)) == 1
    assert "](" not in re.sub(r"\\.", "", said)
    assert said.count("```") == 2
    assert not re.search(r"(?<!\\)&(?!lt;|gt;|amp;)\w+;", said)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(reported: Reporter, text: str) -> None:
    width = None
    tables = 0
    for line in markdown(reported(machine(text), checks=[check(text)])).splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = len(re.sub(r"\\.", "", line).split("|"))
        tables += width is None
        width = width or cells
        assert cells == width, line
    assert tables >= 3


def test_a_command_stands_in_a_fence_that_it_cannot_close(reported: Reporter) -> None:
    said = markdown(reported(machine("x"), checks=[check("x", "echo '```' && sudo reboot")]))
    assert "\n````sh\necho '```' && sudo reboot\n````\n" in said


def test_words_are_left_as_they_are_typed(reported: Reporter) -> None:
    said = markdown(reported(machine("x"), checks=[check("set CUDA_VISIBLE_DEVICES to 0-3 (see torch_npu)")]))
    assert "! set" not in said
    assert "✗ Error: set CUDA_VISIBLE_DEVICES to 0-3 (see torch_npu)" in said


def test_the_first_line_but_one_tells_what_is_wrong(reported: Reporter) -> None:
    lines = markdown(reported(machine("Fine GPU"), checks=[check("The board is on fire")])).splitlines()
    assert lines[0] == "# Accelerator report: 2 × Fine GPU"
    assert lines[2] == "**✗ 1 error: The board is on fire**"


def test_bars_are_as_long_as_their_share_and_none_is_drawn_for_the_unknown(reported: Reporter) -> None:
    said = markdown(reported(machine("x"), checks=[]))
    assert f"| nvidia:0 | `{'█' * 5}{'░' * 15}` | 2.0 of 8.0 GiB |" in said
    assert "| nvidia:1 | `" not in said
