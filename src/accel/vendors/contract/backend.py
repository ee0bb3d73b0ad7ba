"""What a vendor implements: a Backend, and Readers for the output of its tools.

A backend is any object with the members of the Backend protocol; it need not subclass it.
The smallest useful one has `name`, `vendor`, `detect` and `probe`; see docs/add-a-backend.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
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
    """Progress reports of a probe, so that a hang or a crash costs only one call on one device.

    A probe calls `calling` before each call into a vendor library, and `found` as soon as a device's record is
    complete. Both are cheap. A backend that never calls them still works, but a hang then loses its whole report.
    """

    def calling(self, call: str, device: str | None = None) -> None: ...

    def found(self, device: Device) -> None: ...


class Silent:
    """A Progress that ignores everything, for a probe that nobody watches."""

    def calling(self, call: str, device: str | None = None) -> None:
        pass

    def found(self, device: Device) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a probe is asked to do.

    depth       "devices": what `accel devices` shows; "health": everything that checks use;
                "deep": also what needs the framework itself (a child process that imports jax)
    skip        calls, as (call, device id or None), that hung or crashed in an earlier attempt. Do not make them again;
                leave their values None. A device id of None means the call for every device
    links_only  with depth "health": only the devices' identity and how they are connected is needed. Everything else
                may be left out
    seconds     time left for the whole probe, None for no limit. A probe that reads device by device should stop in
                time and return what it has
    """

    depth: Depth = "devices"
    skip: frozenset[tuple[str, str | None]] = frozenset()
    progress: Progress = field(default_factory=Silent)
    seconds: float | None = None
    links_only: bool = False


class Probed(Protocol):
    """Something that is probed in a child process: a backend, or another source of facts."""

    name: str

    def detect(self, machine: "Machine") -> bool: ...

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """What a new process needs so that it sees certain devices and no others of their vendor.

    environment  environment variables to set, on top of those that are set; {} if none are needed
    refused      why the runtime cannot be restricted to these devices, as a message for people, such as
                 "ROCR_VISIBLE_DEVICES=0 hides it"; None if it can
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None


class Backend(Protocol):
    """One vendor's hardware on a live machine.

    name    the first part of every device id: "nvidia"
    vendor  the vendor's name for people: "NVIDIA"

    No method raises because a device, a library or a permission is missing: that is a Gap in the Report.
    """

    name: str
    vendor: str

    @property
    def device_type(self) -> type[Device]:
        """The class of its device records: Device, or the vendor's own subclass."""
        ...

    def detect(self, machine: "Machine") -> bool:
        """Return whether such hardware, or its driver, may be present.

        Look for PCI ids, device nodes, or a library that the loader would find. Any one of these is enough, because WSL
        and containers show no PCI devices. Must not load or run anything, and must return within 5 ms.
        """
        ...

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]:
        """Read the devices. Returns one Report per source that was tried, the most trusted first."""
        ...

    def memory(self, machine: "Machine", device_id: str) -> Memory | None:
        """Return one device's memory, or None if it cannot be read."""
        ...

    def sample(self, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
        """Return the same devices with fresh values for everything that changes, reusing open handles."""
        ...

    def processes(self, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
        """Return the processes on each device, by device id; None if they cannot be listed."""
        ...

    def visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        """Return the devices with `visible` and `runtime_names` set according to the vendor's visibility variables."""
        ...

    def mask(self, chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
        """Return the Mask that restricts a new process to the chosen devices, in this order, respecting masks already
        set.

        devices  all devices that the backend listed

        Devices of a backend without this method are listed but never picked.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found in a text. Every field is optional; nothing is guessed.

    reports                devices and driver of one vendor
    observations           what it recognised that is not a record (accel.model.observation)
    environment            packages, frameworks, toolkits, variables
    host                   what the text says about the machine
    wiring                 ports, PCI functions, NUMA nodes (accel.model.wiring)
    first_line, last_line  where it was in the text, counted from 1; None if it was spread over the text
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
    """Recognises one format in any text. Pure: it reads no files, runs no commands and uses no clock.

    name   the format's name for people: "nvidia-smi table"
    signs  strings of which at least one must occur in the text, ignoring case, before `read` is called. Use few and
           distinctive ones. Empty: `read` is always called
    read   gets the whole cleaned text (without ANSI codes, prompts, quote marks and carriage returns) and yields what
           it recognises. It finds its own blocks, tolerates truncated and interleaved ones, and never raises
    """

    name: str
    signs: tuple[str, ...]
    read: Callable[[str], Iterable[Reading]]


class Readers(tuple[Reader, ...]):
    """Readers in their order, found by their signs."""

    _begun: tuple[str, list[Reader]] | None = None  # the last answer: a text is asked about when measured and when read

    def begun(self, lower: str) -> list[Reader]:
        """Return the readers with a sign in a lower-case text, and those without signs."""
        last = self._begun
        if last is None or last[0] != lower:
            signs = [sign for sign in self._by_sign if sign in lower]
            places = sorted({place for sign in signs for place in self._by_sign[sign]})
            last = self._begun = lower, [self[place] for place in places]
        return last[1]

    @cached_property
    def _by_sign(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, reader in enumerate(self):
            for sign in reader.signs or ("",):  # which is in every text
                found.setdefault(sign.lower(), []).append(place)
        return found


def has_sign(reader: Reader, lower: str) -> bool:
    """Return whether a lower-case text contains one of the reader's signs; always True for a reader without signs."""
    for sign in _lowered(reader.signs):
        if sign in lower:
            return True
    return not reader.signs


@lru_cache(maxsize=1000)
def _lowered(signs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sign.lower() for sign in signs)
