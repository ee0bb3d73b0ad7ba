"""The answer of one node, and the merged answers of many."""

from collections.abc import Mapping
from typing import Final, Literal

from accel.model.dataclass import dataclass, field

State = Literal["ok", "ill", "partial", "no_answer", "dead", "unreachable", "tool_failed"]
STATES: Final[tuple[State, ...]] = ("ok", "ill", "partial", "no_answer", "dead", "unreachable", "tool_failed")
ANSWERED: Final = frozenset(("ok", "ill", "partial"))
NODE_SCHEMA: Final = "accel.node/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFinding:
    """A finding, reduced to what a fleet needs. fingerprint: equal for the same cause on any node and device."""

    code: str
    name: str
    severity: str
    title: str
    fingerprint: str
    devices: tuple[str, ...] = ()
    is_cause: bool = True
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDevice:
    """A device of a node. load: "busy", "idle", or "" if its use is unknown.

    Only devices with equal load are compared.
    """

    id: str
    name: str | None = None
    load: str = ""
    readings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """The answer of one node, or why nothing is known about it.

    state     "ok"; "ill": it has warnings or errors; "partial": it has none, but not everything could be checked;
              "no_answer" within the deadline; "dead": its scheduler lost it; "unreachable": no connection;
              "tool_failed": accel could not be run there
    why       for a state other than the first two, one sentence
    place     its location, by kind: {"rack": "12", "switch": "s3", "image": "2026-11-02"}
    versions  what -> value: "driver", "kernel", "torch", "vbios of NVIDIA H100 80GB HBM3"
    source    the file, or the carrier
    seen_at   when its answer arrived, by a clock that is not the node's: this machine's, or that of the file's disk
    """

    node: str
    state: State
    why: str | None = None
    seconds: float | None = None
    taken_at: str | None = None
    accel: str | None = None
    place: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[NodeFinding, ...] = ()
    devices: tuple[NodeDevice, ...] = ()
    gaps: tuple[str, ...] = ()
    source: str | None = None
    seen_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBench:
    """A saved benchmark's measurements of a node's devices: readings to be added to the node's answer."""

    node: str
    devices: tuple[NodeDevice, ...] = ()
    taken_at: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause on any number of nodes. devices: how many of their devices have it; 0: it concerns the machines.

    fix  of the example; one_fix: whether it fixes all others, too. If not, each has its own, for a different device
    """

    fingerprint: str
    code: str
    name: str
    severity: str
    title: str
    nodes: tuple[str, ...]
    devices: int
    example: str
    fix: str | None = None
    one_fix: bool = True
    suspect: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Something in different versions across nodes. minority: value -> nodes, for all but the most frequent value."""

    what: str
    majority: str
    majority_count: int
    minority: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier:
    """A reading that differs from those of similar devices under similar load.

    low, high   the 10th and the 90th percentile of the peers; median: their median; peers: how many there are
    """

    node: str
    device: str
    name: str
    reading: str
    value: float
    median: float
    low: float
    high: float
    peers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceHint:
    """A cause is concentrated in one place: `bad` of `nodes` there have it, `bad_elsewhere` of `nodes_elsewhere`."""

    cause: str
    kind: str
    place: str
    bad: int
    nodes: int
    bad_elsewhere: int
    nodes_elsewhere: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What is new on a node since the earlier round, and what is gone."""

    node: str
    now: tuple[str, ...]
    before: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A round over many nodes. totals: state -> number of nodes, with the sum `asked`.

    rows      every node with its state
    notes     remarks, such as nodes that answered twice
    problems  files that could not be read or written
    """

    asked: int
    totals: Mapping[str, int]
    causes: tuple[Cause, ...] = ()
    drift: tuple[Drift, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    places: tuple[PlaceHint, ...] = ()
    changed: tuple[Changed, ...] = ()
    rows: tuple[NodeAnswer, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """Return how many nodes gave an answer of their own."""
        return sum(count for state, count in self.totals.items() if state in ANSWERED)
