"""The page of a report: nothing of a text becomes mark-up, nothing is loaded, and it can be read by everybody."""

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.apps.render.report.document import (
    Bar,
    Bars,
    Charts,
    Document,
    Fact,
    Facts,
    Fold,
    Group,
    Lines,
    Paragraph,
    Section,
    Source,
    Sources,
    Table,
)
from accel.apps.render.report.html import STYLE, html
from accel.apps.render.report.markdown import markdown
from accel.model.device import Device, Gap, Process
from accel.model.diagnosis import Evidence, Remedy
from accel.model.environment import Environment, Framework, Library, Package, Toolkit
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.vendors.contract.check import Check, Problem

Reporter = Callable[..., Document]
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title></svg><iframe src=//evil.example>",
    "' onmouseover='alert(1)",
    "<!-- ]]> --><a href=javascript:alert(1)>x</a>",
    "a\x00b\x1b[31mred\x1b[0m\u202eevil\ud800",
    "x | y\n# heading\n- item\n> quote\n```\nfence",
    "[click](javascript:alert(1)) ![](http://evil.example/x.png) *a* _b_ `c` ~~d~~",
)
ALLOWED = frozenset(
    {"html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "h5", "h6", "p", "span"}
    | {"dl", "dt", "dd", "nav", "ul", "li", "main", "section", "div", "details", "summary", "table", "caption", "thead"}
    | {"tbody", "tr", "th", "td", "figure", "figcaption", "svg", "desc", "g", "text", "rect", "article", "code", "pre"}
    | {"strong", "path"}
)
VOID = {"meta", "rect", "path"}


class Page(HTMLParser):
    """What a browser would see: the tags, their attributes, and whether they close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.badly_closed: list[str] = []
        self.seen = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.badly_closed.append(tag)

    def handle_data(self, data: str) -> None:
        self.seen += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def sound(text: str) -> Page:
    """Return the page, of which nothing may be more than a report's own mark-up."""
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= ALLOWED
    assert page.badly_closed == []
    assert page.open == []
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "style")], tag
        assert (attributes.get("href") or "#").startswith(("#", "http://", "https://"))
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
    return page


def hostile_snapshot(text: str) -> Snapshot:
    """Return a machine that has the text wherever a machine can have a text."""
    device = Device(
        id=f"nvidia:0{text}", index=0, backend="nvidia", vendor=text, kind="gpu", name=text, uuid=text, serial=text,
        pci_address=text, pci_id=text, architecture=text, compute_capability=text, driver_version=text,
        memory_total_bytes=8 * 2**30, memory_used_bytes=2**30, runtime_names=(text,),
        processes=(Process(pid=1, name=text, user=text),),
    )  # fmt: skip
    environment = Environment(
        python_version=text, python_executable=text, packages=(Package(name=text, version=text, variant=text),),
        frameworks=(Framework(name=text, version=text, built_for=text, architectures=(text,)),),
        libraries=(Library(name=text, version=text, path=text, origin=text),),
        toolkits=(Toolkit(name=text, version=text, path=text),), variables=((text, text),),
    )  # fmt: skip
    report = Report(
        backend="nvidia", source=text, driver=Driver(version=text, flavor=text), devices=(device,),
        gaps=(Gap(fact=text, reason=text, device=text, source=text),),
    )  # fmt: skip
    host = Host(name=text, system=text, distribution=text, kernel=text, machine=text, libc=text, container=text)
    return Snapshot(origin=text, taken_at=text, host=host, environments=(environment,), reports=(report,))


def hostile_check(text: str) -> Check:
    def run(*_: object) -> Iterator[Problem]:
        yield Problem(
            title=text, detail=text, devices=(text,), evidence=(Evidence(fact=text, value=text, source=text),),
            remedies=(Remedy(text=text, command=text),),
        )  # fmt: skip

    return Check(code="ZZ001", name="hostile", layer="hardware", run=run)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_machine_becomes_mark_up(reported: Reporter, text: str) -> None:
    page = sound(html(reported(hostile_snapshot(text), checks=[hostile_check(text)], identifiers=True)))
    assert "alert(1)" not in str(page.tags)
    if "\x00" not in text:
        assert " ".join(text.split()) in page.seen


@settings(max_examples=25, deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_at_all_becomes_mark_up(reported: Reporter, text: str) -> None:
    document = reported(hostile_snapshot(text), checks=[hostile_check(text)], day=None, identifiers=True)
    sound(html(document))
    assert "\n# " not in markdown(document)[2:]


def everything(text: str) -> Document:
    """Return a document with a block of every kind, each with the text in every place."""
    chart = Bars(title=text, description=text, bars=(Bar(name=text, value=None, text=text, chosen=True),))
    blocks = (
        Paragraph(text=text, tone="bad"), Lines(title=text, items=(text,)),
        Facts(rows=(Fact(label=text, value=None, why=text),)),
        Table(caption=text, columns=(text, text), rows=((text, None),)), Charts(charts=(chart,)),
        Sources(items=(Source(label=text, address=text, remark=text),)),
    )  # fmt: skip
    group = Group(title=text, blocks=(*blocks, Fold(title=text, blocks=blocks)))
    section = Section(name="all", title=text, blocks=(group,))
    return Document(
        title=text, verdict=text, tone="warning", facts=(Fact(label=text, value=text),), sections=(section,)
    )


@pytest.mark.parametrize("text", [*HOSTILE, "javascript:alert(1)", 'https://x.example/"><script>', "data:text/html,x"])
def test_no_block_lets_mark_up_or_another_kind_of_link_through(text: str) -> None:
    page = sound(html(everything(text)))
    assert [a["href"] for a in page.named("a")] == ["#findings", "#all"]


def test_an_address_of_the_web_is_a_link() -> None:
    address = "https://docs.example.com/a?b=1&c=2"
    page = sound(html(everything(address)))
    assert address in [a["href"] for a in page.named("a")]


def test_the_page_loads_nothing_and_forbids_itself_to(reported: Reporter) -> None:
    text = html(reported(Snapshot()))
    page = sound(text)
    policy = next(m["content"] for m in page.named("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert (policy or "").startswith("default-src 'none'")
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def h100s(count: int) -> Snapshot:
    devices = tuple(
        Device(
            id=f"nvidia:{n}", index=n, backend="nvidia", vendor="NVIDIA", kind="gpu", name="NVIDIA H100 80GB HBM3",
            memory_total_bytes=80 * 2**30, memory_used_bytes=n * 2**30,
        )
        for n in range(count)
    )  # fmt: skip
    return Snapshot(reports=(Report(backend="nvidia", source="nvml", devices=devices),))


def test_the_page_is_marked_for_screen_readers(reported: Reporter) -> None:
    text = html(reported(h100s(8)))
    page = sound(text)
    assert page.named("html") == [{"lang": "en"}]
    assert len(page.named("h1")) == len(page.named("main")) == len(page.named("nav")) == len(page.named("header")) == 1
    names = [part["id"] for part in page.named("section")]
    assert [part["aria-labelledby"] for part in page.named("section")] == [f"{name}-title" for name in names]
    assert {a["href"] for a in page.named("a") if (a["href"] or "").startswith("#")} >= {f"#{name}" for name in names}
    assert len(page.named("caption")) == len(page.named("table")) > 0
    assert {head.get("scope") for head in page.named("th")} == {"col", "row"}
    assert all(picture["role"] == "img" for picture in page.named("svg"))
    assert text.count("<desc>") == len(page.named("svg")) == len(page.named("figure")) == 4
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_headings_go_down_by_one_level_at_a_time(reported: Reporter) -> None:
    page = sound(html(reported(h100s(8))))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_wide_tables_and_commands_scroll_in_a_box_that_the_keyboard_reaches(reported: Reporter) -> None:
    page = sound(html(reported(h100s(8), checks=[hostile_check("x")])))
    boxes = [box for box in page.named("div") if box.get("class") == "scroll"]
    assert len(boxes) == len(page.named("table"))
    assert len(page.named("pre")) == 1
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in [*boxes, *page.named("pre")])


def test_eight_equal_gpus_make_no_page_of_eight_copies(reported: Reporter) -> None:
    one, eight = (len(html(reported(h100s(count)))) for count in (1, 8))
    assert eight < 1.3 * one


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def brightness(colour: str) -> float:
    """Return the relative luminance, 0 to 1, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((brightness(one), brightness(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "print"])
def test_text_can_be_read_on_what_it_stands_on(scheme: int) -> None:
    palette = colours(STYLE.split(":root {")[1 + scheme].split("}")[0])
    tones = ("bad", "warning", "note", "good")
    pairs = [("ink", "paper"), ("quiet", "paper"), ("link", "paper")]
    pairs += [(text, f"{tone}-paper") for tone in tones for text in ("ink", tone)]
    weak = {pair: contrast(palette[pair[0]], palette[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    assert min(contrast(palette[bar], palette["track"]) for bar in ("bar", "chosen")) >= 3


def test_every_colour_that_is_used_is_set_for_light_dark_and_print() -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", STYLE))
    for scheme in (1, 2, 3):
        assert used <= set(colours(STYLE.split(":root {")[scheme].split("}")[0]))
