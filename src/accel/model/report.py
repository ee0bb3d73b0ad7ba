"""What one backend learnt from one source."""

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
    """The kernel driver and its user-space half.

    version          of the loaded kernel module, or what the vendor's tool calls the driver version
    library_version  of the user-space library or tool, where it is told apart
    toolkit_version  the newest toolkit the driver serves: CUDA "12.4", CANN "8.0"
    flavor           "open" or "proprietary", where known
    firmware_version of the device's firmware, where the vendor ships it with the driver
    """

    version: str | None = None
    library_version: str | None = None
    toolkit_version: str | None = None
    flavor: str | None = None
    firmware_version: str | None = None

    @property
    def branch(self) -> str | None:
        """The number that its version begins with, by which makers name branches: "570" of "570.124.06"."""
        return self.version.partition(".")[0] if self.version else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one backend learnt from one source.

    source  "nvml", "nvidia-smi table", "sysfs", …; trust orders sources when they disagree, higher wins
    grade   on what it rests: "said" where a person wrote it; of a live machine everything else is measured
    status  ok: everything asked was answered; partial: see gaps; absent: no such hardware or software;
            failed: the source itself could not be read
    links   how its devices are joined, as the source tells it (accel.model.wiring)
    linked  the ids of the devices all of whose links to each other it tells: two of them without one have none
    peers   which of its devices may reach each other's memory, as the driver says
    domains which fabrics beyond this machine they belong to
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
