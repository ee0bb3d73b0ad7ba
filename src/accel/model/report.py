"""What one backend learned from one source."""

from typing import TYPE_CHECKING, Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap
from accel.model.grade import Grade, Scope

if TYPE_CHECKING:
    from accel.model.observation import Observation
    from accel.model.wiring import Domain, Link, PeerAccess

    Observations = tuple[Observation, ...]
    Links = tuple[Link, ...]
    Domains = tuple[Domain, ...]
    Peers = tuple[PeerAccess, ...]
else:
    Observations = tuple  # the classes load when there are observations: a list of devices does without
    Links = tuple
    Domains = tuple
    Peers = tuple

Status = Literal["ok", "partial", "absent", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The kernel driver and its user-space libraries.

    version          of the loaded kernel module, or what the vendor's tool calls the driver version
    library_version  of the user-space library or tool, if known separately
    toolkit_version  the newest toolkit that the driver supports: CUDA "12.4", CANN "8.0"
    flavor           "open" or "proprietary", if known
    firmware_version of the device's firmware, if the vendor ships it with the driver
    """

    version: str | None = None
    library_version: str | None = None
    toolkit_version: str | None = None
    flavor: str | None = None
    firmware_version: str | None = None

    @property
    def branch(self) -> str | None:
        """The leading number of the version, which vendors use to name branches: "570" for "570.124.06"."""
        return self.version.partition(".")[0] if self.version else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one backend learned from one source.

    source  "nvml", "nvidia-smi table", "sysfs", …
    trust   decides between sources that disagree; higher wins
    grade   how certain it is: "said" if a person wrote it; everything else on a live machine is measured
    status  ok: everything was answered; partial: see gaps; absent: no such hardware or software; failed: the source
            itself could not be read
    links   how its devices are connected, according to this source (accel.model.wiring)
    linked  ids of devices for which all mutual links are listed: two of them without a link have none
    peers   which of its devices can access each other's memory, according to the driver
    domains fabrics beyond this machine that they belong to
    """

    backend: str
    source: str
    status: Status = "ok"
    trust: int = 50
    grade: Grade = "printed"
    scope: Scope | None = None
    driver: Driver | None = None
    devices: tuple[Device, ...] = ()
    observations: Observations = ()
    links: Links = ()
    linked: tuple[str, ...] = ()
    peers: Peers = ()
    domains: Domains = ()
    gaps: tuple[Gap, ...] = ()
    seconds: float | None = None
