"""What a report consists of: sections of blocks, worded, without mark-up. Every text is escaped by the renderers."""

from typing import Final, Literal

from accel.record import record

Tone = Literal["plain", "quiet", "good", "note", "warning", "bad"]
UNKNOWN: Final = "unknown"


@record
class Paragraph:
    """Sentences."""

    text: str
    tone: Tone = "plain"


@record
class Lines:
    """A list of sentences; title None: without one."""

    items: tuple[str, ...]
    title: str | None = None


@record
class Fact:
    """A name and its value. value None: unknown, and why then says why."""

    label: str
    value: str | None
    why: str | None = None


@record
class Facts:
    """Facts, one under the other."""

    rows: tuple[Fact, ...]


@record
class Table:
    """Rows as long as columns, the first cell its name; a cell None: unknown. numeric: the columns of figures."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    numeric: frozenset[str] = frozenset()


@record
class Bar:
    """One bar: its value and the value as read. value None: unknown. chosen: the one that the chart is about."""

    name: str
    value: float | None
    text: str
    chosen: bool = False


@record
class Bars:
    """A bar chart. description says the same in words. whole: the value of a full bar; None: the greatest."""

    title: str
    description: str
    bars: tuple[Bar, ...]
    whole: float | None = None


@record
class Charts:
    """Bar charts that stand side by side where there is room."""

    charts: tuple[Bars, ...]


@record
class Source:
    """Where a fact comes from: an address, or a place in words, and what is to be said of it."""

    label: str
    address: str
    remark: str | None = None


@record
class Sources:
    """Sources, one a line."""

    items: tuple[Source, ...]


@record
class Step:
    """What to do, who can do it, and the command, to be copied."""

    text: str
    who: str
    command: str | None = None


@record
class Fault:
    """A finding. kind: its severity in a word; check: its code and name; steps: alternatives, the best first."""

    kind: str
    tone: Tone
    title: str
    check: str
    facts: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()


@record
class Group:
    """Blocks under a heading within a section."""

    title: str
    blocks: "tuple[Block, ...]"


@record
class Fold:
    """What few readers want: folded where that is possible. printed: open on paper, else left out there."""

    title: str
    blocks: "tuple[Block, ...]"
    printed: bool = True


Block = Paragraph | Lines | Facts | Table | Charts | Sources | Fault | Group | Fold


@record
class Section:
    """A chapter. name: its anchor, of letters."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@record
class Document:
    """A report. verdict: the answer in one line; tone is its colour; facts: what and whose this is."""

    title: str
    verdict: str
    tone: Tone
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
