"""What a topology consists of."""

from typing import Literal

from accel.facts.wiring import Hop
from accel.model.dataclass import dataclass
from accel.model.device import Gap
from accel.model.wiring import Domain, NetworkPort, NumaNode
from accel.specs.paths import PathKind, PathWord

Role = Literal["device", "card"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A device or a network card.

    id         "nvidia:0", "mlx5_0"; name: what it is, "NVIDIA H100 80GB HBM3", "MT4129"
    hops       the PCIe links between the root and it, the root's first; () where none is told
    narrowest  the one that carries least now; None where not all are known
    slot       the root, and the first two ports below it: members with the same hang on one switch
    ports      of a card
    nearest    of a device: the cards that are nearest to it
    """

    id: str
    role: Role
    name: str | None = None
    pci_address: str | None = None
    numa_node: int | None = None
    cpus: str | None = None
    hops: tuple[Hop, ...] = ()
    narrowest: Hop | None = None
    slot: tuple[str, ...] = ()
    ports: tuple[NetworkPort, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """How two members are joined. path None: not known, and reason says why.

    source   what told it: "nvml", "sysfs", "nvidia-smi topo"
    """

    one: str
    other: str
    path: str | None = None
    kind: PathKind = "unknown"
    rank: int = 9
    bytes_per_second: int | None = None
    source: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """The whole. joints: each pair of members once. words: those that occur, the nearest first."""

    members: tuple[Member, ...] = ()
    joints: tuple[Joint, ...] = ()
    words: tuple[PathWord, ...] = ()
    numa_nodes: tuple[NumaNode, ...] = ()
    domains: tuple[Domain, ...] = ()
    modules: tuple[str, ...] | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def devices(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.role == "device")

    @property
    def cards(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.role == "card")
