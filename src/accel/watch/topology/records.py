"""The parts of a topology, and its answers."""

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

    id         "nvidia:0", "mlx5_0"
    name       what it is: "NVIDIA H100 80GB HBM3", "MT4129"
    hops       the PCIe links between the root and it, starting at the root; () if unknown
    narrowest  the slowest of them at present; None if not all are known
    slot       the root and the first two ports below it: members with the same slot share a switch
    ports      of a card
    nearest    of a device: its closest network cards
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
    """How two members are connected, according to the sources. path None: unknown, and reason says why.

    source    where this comes from: "nvml", "sysfs", "nvidia-smi topo"
    bus_path  the word for what lies between them on the bus, in addition to a dedicated link
    fabric    whether a dedicated link connects them, directly or through a switch; None: no source says
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
    """How two devices, or a device and a network card, are connected. It is the same in both directions.

    one, other  the ids asked about, in the order of the topology
    kind        a dedicated link: "nvlink", "xgmi", "hccs", "ub", "ici", "metaxlink", "mtlink", "ethernet" …; "pcie":
                over the bus; "same": one device, or parts of one board; "unknown"
    path        the tool's own word: "NV18", "XGMI", "PIX", "SYS"; "X" for one device; None: unknown
    fabric      whether dedicated links connect them, directly or through a switch; None: no source says
    lanes       parallel links of either end: 18 for "NV18"; over PCIe, the lanes of the narrowest link
    bytes_per_second   total capacity of all lanes in one direction, not the current traffic
    rate_source where that figure comes from: "nvml", "sysfs" (over PCIe: the lanes in use at the highest speed that
    both
                ends support, because idle links slow down), or "spec" (the chip's record times the lanes)
    source      where the path comes from: "nvml", "sysfs", "nvidia-smi topo"
    reason      why path, fabric, lanes or bytes_per_second is None; None if all are known
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
    """Whether two devices can access each other's memory without copying through host memory.

    allowed      None: undecided, and reason says what is missing
    rule         the rule of specs/system/peer_rules.yaml that decided; None if none did
    remedy       what makes it possible, or keeps programs from trying it; None if there is nothing to do
    environment  variables that keep libraries from trying it: {"NCCL_P2P_DISABLE": "1"}; {} if none are needed
    sources      the sources of the rule
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

    node    None: unknown, and reason says why
    cpus    all CPUs of the node in order, whether or not this process may use them; () if node is None
    """

    node: int | None = None
    cpus: tuple[int, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a name in a question refers to: a member, and the device's own record. A partition is in its board's place.

    parted  it is a partition of a listed board, or a board with partitions: these have no links of their own
    """

    id: str
    member: Member
    device: Device | None
    parted: bool = False
