"""What a report consists of: sections of blocks, worded, without mark-up. Every text is escaped by the renderers."""

from typing import TYPE_CHECKING, Final, Literal

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.watch.topology import Topology

Tone = Literal["plain", "quiet", "good", "note", "warning", "bad"]
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Sentences."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A list of sentences; title None: without one."""

    items: tuple[str, ...]
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and its value. value None: unknown, and why then says why."""

    label: str
    value: str | None
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts, one under the other."""

    rows: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows as long as columns, the first cell its name; a cell None: unknown. numeric: the columns of figures."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    numeric: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its value and the value as read. value None: unknown. chosen: the one that the chart is about."""

    name: str
    value: float | None
    text: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A bar chart. description says the same in words. whole: the value of a full bar; None: the greatest."""

    title: str
    description: str
    bars: tuple[Bar, ...]
    whole: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """Bar charts that stand side by side where there is room."""

    charts: tuple[Bars, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture, an SVG document of accel's own. description says the same in words, for where none can be shown."""

    title: str
    description: str
    svg: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wires:
    """How devices are joined: drawn where that is possible, else as the lines of a matrix."""

    title: str
    drawn: "Topology"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a fact comes from: an address, or a place in words, with a note."""

    label: str
    address: str
    remark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Sources, one a line."""

    items: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What to do, who can do it, and the command, to be copied."""

    text: str
    who: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A finding. kind: its severity in a word; check: its code and name; steps: alternatives, the best first.

    ticket  the text to send where somebody else has to act; None where nobody has
    """

    kind: str
    tone: Tone
    title: str
    check: str
    facts: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()
    ticket: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Blocks under a heading within a section."""

    title: str
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """What few readers want: folded where that is possible. printed: open on paper, else left out there."""

    title: str
    blocks: "tuple[Block, ...]"
    printed: bool = True


Block = Paragraph | Lines | Facts | Table | Charts | Picture | Wires | Sources | Fault | Group | Fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A chapter. name: its anchor, of letters."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report. verdict: the answer in one line; tone is its colour; facts: what and whose this is."""

    title: str
    verdict: str
    tone: Tone
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
