"""What a node says, and what many of them say together."""

from collections.abc import Mapping
from typing import Final, Literal

from accel.model.dataclass import dataclass, field

State = Literal["ok", "ill", "partial", "no_answer", "dead", "unreachable", "tool_failed"]
STATES: Final[tuple[State, ...]] = ("ok", "ill", "partial", "no_answer", "dead", "unreachable", "tool_failed")
ANSWERED: Final = frozenset(("ok", "ill", "partial"))
NODE_SCHEMA: Final = "accel.node/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFinding:
    """A finding as far as a fleet needs it. fingerprint: the same of the same cause on any node and device."""

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
    """A device of a node. load: "busy" or "idle", or "" where its use is not known; like is compared with like."""

    id: str
    name: str | None = None
    load: str = ""
    readings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """What one node said, or why nothing is known of it.

    state     "ok"; "ill": it has warnings or errors; "partial": it has none, and not all could be looked at;
              "no_answer" within the deadline; "dead": its scheduler lost it; "unreachable": no connection;
              "tool_failed": accel could not be run there
    why       of a state that is none of the first two, one sentence
    place     where it stands, by kind: {"rack": "12", "switch": "s3", "image": "2026-11-02"}
    versions  what -> value: "driver", "kernel", "torch", "vbios of NVIDIA H100 80GB HBM3"
    source    the file, or the carrier
    seen_at   when its answer came, by a clock that is not the node's: of this machine, or of the disk with its file
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
    """What a saved benchmark measured on a node's devices: readings that its answer gets."""

    node: str
    devices: tuple[NodeDevice, ...] = ()
    taken_at: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause on however many nodes. devices: how many devices of them have it; 0: it is about the machines.

    fix  of the example; one_fix: of all the others, too. Else each node has its own, which may name another device
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
    """Something of which nodes have different versions. minority: value -> nodes, all but the most frequent value."""

    what: str
    majority: str
    majority_count: int
    minority: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier:
    """A reading that differs from those of like devices under like load.

    low, high   the tenth and the ninetieth percentile of the peers; median their middle; peers: how many
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
    """A cause is gathered in one place: `bad` of `nodes` there have it, `bad_elsewhere` of `nodes_elsewhere`."""

    cause: str
    kind: str
    place: str
    bad: int
    nodes: int
    bad_elsewhere: int
    nodes_elsewhere: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What is so now of a node and was not in the round before, and the other way round."""

    node: str
    now: tuple[str, ...]
    before: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A round over many nodes. totals: state -> nodes, which add up to `asked`.

    rows      every node with its state
    notes     what was noticed: nodes that answered twice
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
        """How many nodes said something of themselves."""
        return sum(count for state, count in self.totals.items() if state in ANSWERED)
