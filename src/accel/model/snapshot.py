"""A whole machine at one moment."""

from dataclasses import field

from accel.model.device import Gap
from accel.model.environment import Environment
from accel.model.report import Report
from accel.record import record

SNAPSHOT_SCHEMA = "accel.snapshot/1"


@record
class Host:
    """What any machine has. system: "linux", "windows", "macos"; container: "docker", "podman", "kubernetes", …

    container None: not known; "" is never used: a host that is certainly no container has containerized False.
    """

    name: str | None = None
    system: str | None = None
    distribution: str | None = None
    kernel: str | None = None
    machine: str | None = None
    libc: str | None = None
    wsl: bool | None = None
    containerized: bool | None = None
    container: str | None = None
    virtualization: str | None = None
    secure_boot: bool | None = None
    memory_total_bytes: int | None = None
    shm_bytes: int | None = None
    gaps: tuple[Gap, ...] = ()


@record
class Snapshot:
    """Everything known about a machine (or a pasted report of one) at one time.

    taken_at  ISO 8601 in UTC; None for texts, which do not say when
    origin    "live", or the names of the files read
    """

    schema: str = SNAPSHOT_SCHEMA
    taken_at: str | None = None
    origin: str = "live"
    host: Host = field(default_factory=Host)
    environments: tuple[Environment, ...] = ()
    reports: tuple[Report, ...] = ()
    gaps: tuple[Gap, ...] = ()
