"""How the parts of one machine are connected: PCI bus, network ports, NUMA nodes, and links reported by vendor tools.

Snapshot.wiring: Wiring
  functions    accelerators, network cards and the ports above them
  ports        of network cards for RDMA (InfiniBand, RoCE)
  numa_nodes   with their CPUs
Report.links: Link     what a vendor's driver or tool reports for two devices: "NV18", "XGMI", "PIX"
Report.peers: PeerAccess   whether two devices can access each other's memory, according to the driver
"""

from typing import Final, Literal

from accel.model.dataclass import dataclass
from accel.model.device import Gap

Role = Literal["accelerator", "network", "port"]
_REDIRECTS: Final = frozenset({"ReqRedir", "CmpltRedir"})  # of access control: peers' requests, or the answers to them
_TRANSLATES: Final = "DMA"  # "DMA", "DMA-FQ"; "identity" does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How two devices, or a device and a network card, are connected, according to one source.

    one, other  a device id, or the name of a network card: "nvidia:0", "mlx5_0". The link works in both directions
    path        the tool's own word: "NV18", "XGMI", "HCCS", "PIX"; specs/system/paths.yaml explains them
    bytes_per_second   in one direction; None if the source does not say
    """

    one: str
    other: str
    path: str
    bytes_per_second: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAccess:
    """Whether two devices can access each other's memory directly, according to the driver.

    one, other  device ids. It applies in both directions
    allowed     None: the driver says that it does not know
    says        the driver's answer in words: "GPU not supported"
    """

    one: str
    other: str
    allowed: bool | None = None
    says: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A fabric that connects devices of this machine with those of others.

    kind     in words: "NVLink fabric", "TPU slice", "SuperPoD"
    name     identifies it among others of its kind; None if unknown
    devices  ids of this machine's devices in it
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
    above        the ports between the root and it, starting at the root; () directly at the root; None: unknown
    host_bridge  the root that it is attached to: "pci0000:3a"
    numa_node    None also if the firmware does not say
    cpus         the CPUs close to it, as ranges: "0-51,104-155"
    speed_gts    current GT/s per lane of its link; speed_maximum_gts: the highest supported; width, width_maximum:
                 lanes. For a port of a root or switch to a device this is the link below it, for a switch's port to the
                 root the link above it
    iommu_group  the IOMMU cannot tell its members apart
    iommu_type   "DMA", "DMA-FQ" (translated), "identity"
    acs          what its access control services redirect or check: ("SrcValid", "ReqRedir"); (): nothing, or it has
                 none; None: could not be read
    asleep       suspended, and not woken up to be read
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
        """Whether a port sends traffic between its devices through the root; None: unknown."""
        return None if self.acs is None else bool(_REDIRECTS.intersection(self.acs))

    @property
    def is_translated(self) -> bool | None:
        """Whether the IOMMU translates its addresses; None: unknown."""
        return None if self.iommu_type is None else self.iommu_type.startswith(_TRANSLATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPort:
    """One RDMA port of a network card. Counters start when its driver is loaded.

    card            "mlx5_0"
    port            counted from 1
    model           the vendor's type: "MT4129"
    link_layer      "InfiniBand" or "Ethernet" (RoCE)
    state           "ACTIVE", "DOWN", "INIT", "ARMED", "ACTIVE_DEFER"
    physical_state  "LinkUp", "Polling", "Disabled", "LinkErrorRecovery", "Sleep" …
    rate_bits_per_second   current rate of the link; lanes: how many it uses; signal: the rate class of each, "NDR"
    link_downs      how often the link was lost; link_recoveries: how often it was retrained without being lost
    carrier_downs   how often its network interface lost the carrier
    mtu_bytes       the largest packet of its network interface; active_mtu_bytes: what RDMA uses on this link
    gids            the first addresses that are set; gid_types: the type of each, "IB/RoCE v1", "RoCE v2"
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
    """A NUMA node, its CPUs as ranges, and its distance to each node in order (10: itself)."""

    index: int
    cpus: str | None = None
    distances: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The wiring of one machine.

    functions   None: the bus is not visible; ports likewise
    modules     which kernel modules for peer transfers are loaded; None: not read
    iommu       whether an IOMMU is in use
    """

    functions: tuple[PciFunction, ...] | None = None
    ports: tuple[NetworkPort, ...] | None = None
    numa_nodes: tuple[NumaNode, ...] = ()
    modules: tuple[str, ...] | None = None
    iommu: bool | None = None
    gaps: tuple[Gap, ...] = ()
