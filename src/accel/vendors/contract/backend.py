"""What a vendor implements: a Backend, and Readers for the texts that its tools print.

A backend is an object with the members of the Backend protocol; subclassing is not needed.
The smallest useful one has `name`, `vendor`, `detect` and `probe`; see docs/add-a-backend.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from accel.model.dataclass import dataclass, field
from accel.model.device import Device, Memory, Process
from accel.model.report import Report

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.environment import Environment
    from accel.model.observation import Observation
    from accel.model.snapshot import Host
    from accel.model.wiring import Wiring

Depth = Literal["devices", "health", "deep"]


class Progress(Protocol):
    """Told what a probe is doing, so that a hang or an abort costs one call of one device.

    A probe calls `calling` before each call into a vendor library, and `found` as soon as a
    device's record is complete. Both are cheap. A backend that never calls them still works:
    after a hang its whole report is then missing.
    """

    def calling(self, call: str, device: str | None = None) -> None: ...

    def found(self, device: Device) -> None: ...


class Silent:
    """The Progress of a probe that nobody watches."""

    def calling(self, call: str, device: str | None = None) -> None:
        pass

    def found(self, device: Device) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a probe.

    depth  "devices": what `accel devices` shows; "health": all that checks look at;
           "deep": also what needs the framework itself (a child that imports jax)
    skip   (call, device id or None) that hung or crashed in an earlier attempt: do not make these
           calls again, leave their facts None. None: of no device, or of none any more, since it hung on several
    links_only  of depth "health" only who the devices are and how they are joined is wanted: the devices with what
           tells them apart, links and peers. What else is asked for may be left out, and need not be
    seconds  left for all of it, None without a limit: who reads device by device leaves out what would take longer, and
           returns what it has
    """

    depth: Depth = "devices"
    skip: frozenset[tuple[str, str | None]] = frozenset()
    progress: Progress = field(default_factory=Silent)
    seconds: float | None = None
    links_only: bool = False


class Probed(Protocol):
    """What is probed in a child process: a backend, or another source of facts."""

    name: str

    def detect(self, machine: "Machine") -> bool: ...

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """What a new process must be given to be shown certain devices, and no others of their vendor.

    environment  variables to set, over those that are set; {} where nothing has to be
    refused      why its runtime cannot be told so, for people: "ROCR_VISIBLE_DEVICES=0 hides it"; None where it can
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None


class Backend(Protocol):
    """One vendor's hardware on a live machine.

    name    the first half of every device id: "nvidia"
    vendor  as people write it: "NVIDIA"
    No method raises for an absent device, library or permission: that is a Gap in the Report.
    """

    name: str
    vendor: str

    @property
    def device_type(self) -> type[Device]:
        """The record of its devices: Device, or the vendor's own subclass of it."""
        ...

    def detect(self, machine: "Machine") -> bool:
        """Say cheaply whether such hardware, or its driver, may be here.

        PCI ids, device nodes, or a library that the loader would find: any one of them, since WSL
        and containers show no PCI device. Loads nothing, runs nothing, takes under 5 ms.
        """
        ...

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]:
        """Read the devices: one Report per source tried, the more trusted first."""
        ...

    def memory(self, machine: "Machine", device_id: str) -> Memory | None:
        """Read one device's memory; None if it cannot be read."""
        ...

    def sample(self, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
        """Return the same devices with their changing readings taken afresh, over kept handles."""
        ...

    def processes(self, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
        """Return the processes on each device, by device id; None where they cannot be listed."""
        ...

    def visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        """Return the devices with `visible` and `runtime_names` set as the vendor's runtime reads its masks."""
        ...

    def mask(self, chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
        """Return what shows a new process the chosen ones of its devices, in this order, within the masks that are set.

        devices  all that the backend listed. A plugin without this member has its devices listed, and never picked.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found in a text: any of these, never an invented one.

    reports      with devices and driver of one vendor
    observations what it recognised beyond records (accel.model.observation)
    environment  packages, frameworks, toolkits, variables
    host         whatever it says of the machine
    wiring       ports, PCI functions, NUMA nodes (accel.model.wiring)
    first_line, last_line   where in the text it stood, from 1; None if spread over it
    """

    source: str
    reports: tuple[Report, ...] = ()
    environment: "Environment | None" = None
    host: "Host | None" = None
    observations: "tuple[Observation, ...]" = ()
    wiring: "Wiring | None" = None
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Recognises one format in any text. Pure: no files, no commands, no clock.

    name   the format, for people: "nvidia-smi table"
    signs  at least one of these must be in the text, in any case, for `read` to be called at all: keep them few
           and telling. Empty: always called
    read   gets the whole cleaned text (no ANSI codes, prompts' noise, quote marks, CRs) and yields what it
           recognises; it finds its own block or blocks, tolerates cut and interleaved ones, and never raises
    """

    name: str
    signs: tuple[str, ...]
    read: Callable[[str], Iterable[Reading]]


def has_sign(reader: Reader, lower: str) -> bool:
    """Say whether a text, given in lower case, holds one of a reader's signs; without signs it reads every text."""
    for sign in _lowered(reader.signs):
        if sign in lower:
            return True
    return not reader.signs


@lru_cache(maxsize=1000)
def _lowered(signs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sign.lower() for sign in signs)
