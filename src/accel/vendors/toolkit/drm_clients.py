"""What processes do on GPUs of DRM drivers (amdgpu, i915, xe, …), as the kernel counts it for each open file.

/proc/<pid>/fdinfo/<n>   drm-pdev:	0000:03:00.0
                         drm-client-id:	17                   two files of one client are counted once
                         drm-resident-vram0:	512 MiB          what lies in memory now; shared buffers count twice
                         drm-memory-vram:	524288 KiB       amdgpu's older name for the same
                         drm-engine-gfx:	9288864723 ns        amdgpu, i915: time that the engines of a class worked
                         drm-cycles-ccs:	28257900             xe: cycles, of drm-total-cycles-ccs that went by
                         drm-engine-capacity-ccs:	4            engines of that class, where there are several
Source  Linux: Documentation/gpu/drm-usage-stats.rst, Documentation/gpu/xe/xe-drm-usage-stats.rst. Regions of system
        memory ("gtt", "cpu", "system") do not count
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass
from accel.vendors.toolkit.open_files import open_paths, process_ids

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_LINE: Final = re.compile(r"^drm-([a-z0-9-]{1,60}):[ \t]{1,8}(\S{1,60})(?: (KiB|MiB|GiB|ns))?$", re.MULTILINE)
_UNITS: Final = {"": 1, "ns": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_OWN_MEMORY: Final = ("vram", "lmem", "local")
_NODES: Final = "/dev/dri/"
_MOST_FILES: Final = 512
_LOOK_SECONDS: Final = 5.0  # between two looks at all processes for new ones
_LONGEST_LOOK_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Client:
    """A client of a driver. memory_bytes: None if it reports no device memory.

    worked  by engine class: (work done, total that elapsed in the same unit; None: the work is in nanoseconds)
    """

    address: str
    number: str
    memory_bytes: int | None
    worked: Mapping[str, tuple[int, int | None]]
    capacity: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Use:
    """A process on a device. busy_percent: of its busiest engine class, since the previous sample."""

    memory_bytes: int | None
    busy_percent: float | None


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """The processes on a device, by process id. busy_percent: over all of them; None until there are two samples."""

    processes: Mapping[int, Use]
    busy_percent: float | None


def parsed(text: str) -> Client | None:
    """Parse one file; None if it does not belong to a driver with counters.

    >>> parsed("drm-pdev:\\t0000:03:00.0\\ndrm-client-id:\\t17\\ndrm-engine-gfx:\\t9 ns\\n").worked
    {'gfx': (9, None)}
    """
    lines = {key: (value, unit) for key, value, unit in _LINE.findall(text)}
    address = lines.get("pdev", ("", ""))[0].lower()
    if not address:
        return None
    amounts = {key: int(value) * _UNITS[unit] for key, (value, unit) in lines.items() if value.isdecimal()}
    sizes: list[int] = []
    for way in ("resident", "memory"):
        found = tuple(f"{way}-{region}" for region in _OWN_MEMORY)
        sizes = sizes or [amount for key, amount in amounts.items() if key.startswith(found)]
    capacity = {k.removeprefix("engine-capacity-"): n for k, n in amounts.items() if k.startswith("engine-capacity-")}
    worked: dict[str, tuple[int, int | None]] = {}
    for key, amount in amounts.items():
        kind, _, name = key.partition("-")
        if kind == "engine" and not name.startswith("capacity-"):
            worked[name] = amount, None
        elif kind == "cycles" and f"total-cycles-{name}" in amounts:
            worked[name] = amount, amounts[f"total-cycles-{name}"]
    number = lines.get("client-id", ("", ""))[0]
    return Client(address, number, sum(sizes) if sizes else None, worked, capacity)


def clients_of(machine: "Machine", pid: int) -> Iterator[Client]:
    """Yield the clients of a process, each once."""
    seen: set[tuple[str, str]] = set()
    folder = f"/proc/{pid}/fd"
    for name in names_in(machine, folder)[:_MOST_FILES]:
        if _NODES in (machine.link(f"{folder}/{name}") or ""):
            client = parsed(file_text(machine, f"/proc/{pid}/fdinfo/{name}") or "")
            if client is not None and (client.address, client.number) not in seen:
                seen.add((client.address, client.number))
                yield client


def memory_by_address(machine: "Machine", pid: int) -> dict[str, int]:
    """Return the bytes of device memory by PCI address, without devices whose driver reports none."""
    sums: dict[str, int] = {}
    for client in clients_of(machine, pid):
        if client.memory_bytes is not None:
            sums[client.address] = sums.get(client.address, 0) + client.memory_bytes
    return sums


class DrmClients:
    """Takes repeated samples; engine work is known from a client's second sample on.

    complete  whether every process of this system could be inspected in the last sample, so that none is missing
    """

    def __init__(self) -> None:
        self.complete = False
        self._pids: tuple[int, ...] = ()
        self._looked_at: float | None = None
        self._before: dict[tuple[int, str, str], tuple[float, Client]] = {}

    def now(self, machine: "Machine", addresses: Collection[str]) -> dict[str, DeviceUse]:
        """Return the use of these devices, by PCI address."""
        seconds, is_first = machine.seconds(), self._looked_at is None
        self._look(machine, seconds)
        processes: dict[str, dict[int, Use]] = {address: {} for address in addresses}
        whole: dict[str, dict[str, float]] = {address: {} for address in addresses}
        current: dict[tuple[int, str, str], tuple[float, Client]] = {}
        for pid in self._pids:
            sizes: dict[str, list[int]] = {}
            shares: dict[str, dict[str, float]] = {}
            for client in clients_of(machine, pid):
                if client.address not in processes:
                    continue
                key = pid, client.address, client.number
                current[key] = seconds, client
                sizes.setdefault(client.address, []).extend(
                    () if client.memory_bytes is None else (client.memory_bytes,)
                )
                own = shares.setdefault(client.address, {})
                for name, share in _shares(client, self._before.get(key), seconds).items():
                    own[name] = own.get(name, 0.0) + share
                    whole[client.address][name] = whole[client.address].get(name, 0.0) + share
            for address, held in sizes.items():
                processes[address][pid] = Use(sum(held) if held else None, _percent(shares[address]))
        self._before = current
        return {
            address: DeviceUse(on_it, None if is_first else _percent(whole[address]) if on_it else 0.0)
            for address, on_it in processes.items()
        }

    def _look(self, machine: "Machine", seconds: float) -> None:
        """Find processes that have a node open. Done rarely, because it inspects every process."""
        if self._looked_at is not None and seconds - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = seconds
        seen = open_paths(
            machine, process_ids(machine), lambda path: path if _NODES in path else None, _LONGEST_LOOK_SECONDS
        )
        self._pids = tuple(seen.by_pid)
        self.complete = not seen.closed and not seen.unread and bool(seen.looked_into)


def _shares(client: Client, before: tuple[float, Client] | None, seconds: float) -> dict[str, float]:
    """Return the share of each engine class that a client used since the previous sample, 0 to 1."""
    if before is None:
        return {}
    found: dict[str, float] = {}
    for name, (worked, went_by) in client.worked.items():
        then = before[1].worked.get(name)
        if then is None or worked < then[0]:
            continue
        if went_by is not None and then[1] is not None:
            whole: float = went_by - then[1]
        else:
            whole = (seconds - before[0]) * 1e9
        if whole > 0:
            found[name] = (worked - then[0]) / whole / max(1, client.capacity.get(name, 1))
    return found


def _percent(shares: Mapping[str, float]) -> float | None:
    """Return the share of the busiest engine class; None if none has two samples."""
    return round(min(100.0, 100 * max(shares.values())), 1) if shares else None
