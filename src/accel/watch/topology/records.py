"""What a topology consists of, and what it answers."""

from collections.abc import Mapping
from typing import Literal

from accel.facts.wiring import Hop
from accel.model.dataclass import dataclass, field
from accel.model.device import Device
from accel.model.wiring import NetworkPort
from accel.specs.paths import PathKind

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
    """How two members are joined, as the sources tell it. path None: not known, and reason says why.

    source    what told it: "nvml", "sysfs", "nvidia-smi topo"
    bus_path  the word for what lies between them on the bus, beside a link that is made for it
    fabric    whether a link that is made for it joins them, directly or through a switch; None: no source tells
    """

    one: str
    other: str
    path: str | None = None
    kind: PathKind = "unknown"
    rank: int = 9
    bytes_per_second: int | None = None
    source: str | None = None
    reason: str | None = None
    bus_path: str | None = None
    fabric: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How two devices, or a device and a network card, are joined. It holds both ways.

    one, other  the ids that were asked about, in the order of the topology
    kind        of links that are made for it: "nvlink", "xgmi", "hccs", "ub", "ici", "metaxlink", "mtlink",
                "ethernet" …; "pcie": over the bus; "same": one device, or parts of one board; "unknown"
    path        the tool's own word: "NV18", "XGMI", "PIX", "SYS"; "X" for one device; None: not known
    fabric      whether links that are made for it join them, directly or through a switch; None: no source tells
    lanes       links side by side, of one of both ends: 18 of "NV18"; over PCIe the lanes of the narrowest link
    bytes_per_second   in one direction, over all lanes together: what they can carry, not what they carry now
    rate_source what tells that figure: "nvml", "sysfs" (over PCIe: the lanes in use at the highest speed that both ends
                have, since links slow down while nothing is sent), or "spec" (the chip's record times the lanes)
    source      what tells the path: "nvml", "sysfs", "nvidia-smi topo"
    reason      why path, fabric, lanes or bytes_per_second is None; None where all are known
    """

    one: str
    other: str
    kind: str = "unknown"
    path: str | None = None
    fabric: bool | None = None
    lanes: int | None = None
    bytes_per_second: int | None = None
    rate_source: str | None = None
    source: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """Whether two devices can reach each other's memory without a copy through the host's.

    allowed      None: nothing that is known decides it, and reason says what is missing
    rule         the rule of specs/system/peer_rules.yaml that decided; None where none did
    remedy       what makes it possible, or keeps programs from trying it; None where there is nothing to do
    environment  variables that keep libraries from trying it: {"NCCL_P2P_DISABLE": "1"}; {} where none has to be set
    sources      where the rule comes from
    """

    allowed: bool | None
    reason: str
    rule: str | None = None
    remedy: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Numa:
    """The NUMA node of a device or card.

    node    None: not known, and reason says why
    cpus    all processors of the node, in order, whether or not this process may use them; () where node is None
    """

    node: int | None = None
    cpus: tuple[int, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a name of a question means: a member, and the device's own record; a partition is at its board's place.

    parted  it is a partition of a listed board, or a board that is in partitions: such have no links of their own
    """

    id: str
    member: Member
    device: Device | None
    parted: bool = False
