"""How the parts of one machine are wired: the PCI bus, network ports, NUMA nodes, and links that a vendor's tool tells.

Snapshot.wiring: Wiring
  functions    accelerators, network cards and the ports above them
  ports        of network cards for RDMA (InfiniBand, RoCE)
  numa_nodes   with their processors
Report.links: Link     what a vendor's driver or tool says of two devices: "NV18", "XGMI", "PIX"
Report.peers: PeerAccess   whether two devices may reach each other's memory, as the driver says
"""

from typing import Final, Literal

from accel.model.dataclass import dataclass
from accel.model.device import Gap

Role = Literal["accelerator", "network", "port"]
_REDIRECTS: Final = frozenset({"ReqRedir", "CmpltRedir"})  # of access control: peers' requests, or the answers to them
_TRANSLATES: Final = "DMA"  # "DMA", "DMA-FQ"; "identity" does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How two devices, or a device and a network card, are joined, as one source tells it.

    one, other  a device's id, or the name of a network card: "nvidia:0", "mlx5_0". It holds both ways
    path        the tool's own word: "NV18", "XGMI", "HCCS", "PIX"; specs/system/paths.yaml has what they mean
    bytes_per_second   in one direction; None where the source does not tell
    """

    one: str
    other: str
    path: str
    bytes_per_second: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAccess:
    """Whether two devices may reach each other's memory without a copy through the host's, as the driver answers.

    one, other  the devices' ids. It holds both ways
    allowed     None: the driver answers that it does not know
    says        the driver's answer in words: "GPU not supported"
    """

    one: str
    other: str
    allowed: bool | None = None
    says: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A fabric that joins devices of this machine with those of others.

    kind     in words: "NVLink fabric", "TPU slice", "SuperPoD"
    name     what tells it from others of its kind; None: not told
    devices  the ids of those of this machine
    details  further facts, by name: ("topology", "4x4"), ("worker", "1 of 4")
    """

    kind: str
    name: str | None = None
    devices: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PciFunction:
    """One function on the PCI bus.

    address      "0000:3b:00.0"
    role         "port": a bridge above one of the others
    above        the ports between the root and it, the root's first; () directly at the root; None: not told
    host_bridge  the root that it hangs on: "pci0000:3a"
    numa_node    None also where the firmware does not tell
    cpus         the processors near it, as ranges: "0-51,104-155"
    speed_gts    GT/s a lane of its link now; speed_maximum_gts what it could; width, width_maximum: lanes. Of a root's
                 or a switch's port to a device it is the link below, of a switch's port to the root the link above
    iommu_group  whose members the IOMMU does not tell apart; iommu_type "DMA", "DMA-FQ" (translates), "identity"
    acs          what its access control redirects or checks: ("SrcValid", "ReqRedir"); () nothing, or it has none;
                 None: could not be read
    asleep       suspended, and not woken to be read
    """

    address: str
    role: Role
    pci_id: str | None = None
    driver: str | None = None
    above: tuple[str, ...] | None = None
    host_bridge: str | None = None
    numa_node: int | None = None
    cpus: str | None = None
    speed_gts: float | None = None
    speed_maximum_gts: float | None = None
    width: int | None = None
    width_maximum: int | None = None
    iommu_group: int | None = None
    iommu_type: str | None = None
    acs: tuple[str, ...] | None = None
    asleep: bool = False

    @property
    def redirects_peers(self) -> bool | None:
        """Whether a port sends what its devices send each other over the root; None: not known."""
        return None if self.acs is None else bool(_REDIRECTS.intersection(self.acs))

    @property
    def is_translated(self) -> bool | None:
        """Whether the IOMMU translates what it sends; None: not known."""
        return None if self.iommu_type is None else self.iommu_type.startswith(_TRANSLATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPort:
    """One port of a network card for RDMA. Counts are since its driver was loaded.

    card            "mlx5_0"; port counts from 1
    model           the maker's type: "MT4129"
    link_layer      "InfiniBand" or "Ethernet" (RoCE)
    state           "ACTIVE", "DOWN", "INIT", "ARMED", "ACTIVE_DEFER"
    physical_state  "LinkUp", "Polling", "Disabled", "LinkErrorRecovery", "Sleep" …
    rate_bits_per_second   of the link now; lanes: how many of them it uses; signal: how fast each is, "NDR"
    link_downs      how often the link was lost; link_recoveries: how often it was trained again without that
    carrier_downs   how often its network interface lost the link
    mtu_bytes       the largest packet of its network interface; active_mtu_bytes: that RDMA uses on this link
    gids            the first addresses that are set; gid_types of each: "IB/RoCE v1", "RoCE v2"
    """

    card: str
    port: int
    pci_address: str | None = None
    driver: str | None = None
    model: str | None = None
    firmware_version: str | None = None
    interfaces: tuple[str, ...] = ()
    link_layer: str | None = None
    state: str | None = None
    physical_state: str | None = None
    rate_bits_per_second: int | None = None
    lanes: int | None = None
    signal: str | None = None
    link_downs: int | None = None
    link_recoveries: int | None = None
    symbol_errors: int | None = None
    receive_errors: int | None = None
    carrier_downs: int | None = None
    mtu_bytes: int | None = None
    active_mtu_bytes: int | None = None
    gids: tuple[str, ...] | None = None
    gid_types: tuple[str, ...] | None = None

    @property
    def is_active(self) -> bool:
        return self.state in ("ACTIVE", "ACTIVE_DEFER")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumaNode:
    """A NUMA node, its processors as ranges, and its distance to each node in their order (10: itself)."""

    index: int
    cpus: str | None = None
    distances: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The wiring of one machine, as far as it is known.

    functions   None: the bus is not shown; likewise ports
    modules     which of the kernel modules that concern peer transfers are loaded; None: not looked for
    iommu       whether an IOMMU is in use
    """

    functions: tuple[PciFunction, ...] | None = None
    ports: tuple[NetworkPort, ...] | None = None
    numa_nodes: tuple[NumaNode, ...] = ()
    modules: tuple[str, ...] | None = None
    iommu: bool | None = None
    gaps: tuple[Gap, ...] = ()
