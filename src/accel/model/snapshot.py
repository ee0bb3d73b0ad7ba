"""A whole machine at one moment."""

from typing import TYPE_CHECKING

from accel.model.dataclass import dataclass, field, replace
from accel.model.device import Gap
from accel.model.environment import Environment
from accel.model.report import Report

if TYPE_CHECKING:
    import accel
    from accel.model.device import Device
    from accel.model.holding import Holdings as Held
    from accel.model.observation import Observation
    from accel.model.report import Driver
    from accel.model.wiring import Wiring as Wires

    Observations = tuple[Observation, ...]
else:
    Observations = tuple  # the classes load when there are observations: a list of devices does without
    Wires = dict
    Held = dict

SNAPSHOT_SCHEMA = "accel.snapshot/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The machine itself. system: "linux", "windows", "macos"; container: "docker", "podman", "kubernetes", …

    container None means unknown; "" is never used: a host that is certainly not a container has containerized False.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of several machines, systems, runs or environments that a text describes.

    says      how findings refer to it: "on gpu01", "in the environment tf", "before the reboot"
    kinds     what kind of part it is, and which: ("machine", "gpu01"); () for a label
    lines     the (first, last) lines that belong to it
    apart     whether host, environments, observations and reports describe it, so that it is diagnosed separately;
              otherwise it is a label for its lines
    """

    says: str
    kinds: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    apart: bool = True
    host: Host = field(default_factory=Host)
    environments: tuple[Environment, ...] = ()
    observations: Observations = ()
    reports: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything known about a machine, or a pasted report about one, at one time.

    taken_at  ISO 8601, UTC; None for texts, which do not say when
    origin    "live", or the names of the files read
    observations   what was recognised beyond the records: errors, conflicts, commands, … (accel.model.observation)
    wiring    how the machine is wired (accel.model.wiring); None if unknown
    holdings  which processes use the devices; None: not read
    parts     the machines, systems, runs and environments that a text distinguishes; () if it describes only one. The
              other fields then combine all of them
    """

    schema: str = SNAPSHOT_SCHEMA
    taken_at: str | None = None
    origin: str = "live"
    host: Host = field(default_factory=Host)
    environments: tuple[Environment, ...] = ()
    observations: Observations = ()
    wiring: Wires | None = None
    holdings: Held | None = None
    reports: tuple[Report, ...] = ()
    gaps: tuple[Gap, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def devices(self) -> "tuple[Device, ...]":
        """Every device once, merged from all sources; partitions after their device, the CPU last."""
        from accel.model.merge import merged_devices

        return merged_devices(self.reports)[0]

    @property
    def drivers(self) -> "dict[str, Driver]":
        """The driver of each backend that has one, by the backend's name."""
        from accel.model.merge import merged_driver

        found = {name: merged_driver(r for r in self.reports if r.backend == name) for name in self._backends()}
        return {name: driver for name, driver in found.items() if driver is not None}

    def _backends(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(report.backend for report in self.reports))

    @property
    def topology(self) -> "accel.Topology":
        """How its devices are connected, as `accel.topology` returns it."""
        import accel  # its lazy door: nothing below the applications knows what is behind it

        return accel.topology(self)


def present(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot without statements that do not hold now: those that are past, quoted, hypothetical and so on.

    Past commands, installations and experiments are kept, because they were done all the same.
    """
    return replace(
        snapshot,
        observations=_present(snapshot.observations),
        reports=tuple(_without_mentions(report) for report in snapshot.reports),
        parts=tuple(
            replace(
                part,
                observations=_present(part.observations),
                reports=tuple(_without_mentions(report) for report in part.reports),
            )
            for part in snapshot.parts
        ),
    )


def _present(observations: Observations) -> Observations:
    if all(one.status == "present" for one in observations):
        return observations
    return tuple(one for one in observations if one.status == "present")


def _without_mentions(report: Report) -> Report:
    now = _present(report.observations)
    return report if now is report.observations else replace(report, observations=now)


def is_empty(snapshot: Snapshot) -> bool:
    """Return whether nothing is known at all."""
    known = snapshot.reports or snapshot.environments or snapshot.observations or snapshot.wiring
    return not (known or snapshot.host != Host())
