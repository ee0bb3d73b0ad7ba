"""Composes a machine document from parts, each written by its vendor's recipe.

A recipe (data/recipes/<name>.yaml) has the keys of a recorded machine (accel.machine.recorded), with placeholders for
values (accel.testing.template), in these sections:

    backend   the backend of the devices; also: further recipes, whose sections are added
              lists_lost: a lost device keeps the data in `each`; tells_use: false if no driver reports its usage
    values    defaults, in order: each may refer to earlier ones
    lookups   further values, looked up by a known one: {by: architecture, rows: {hopper: {…}}, otherwise: {…}};
              required: a product without a row cannot be composed
    machine   once per machine
    each      once per device present; pair: once per pair of devices; lost: once per lost device
    process   once per process on a device

NVML's values are under the key `nvml` of `machine` and `each` (accel_nvidia.stand_in).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.testing.state import State
from accel.testing.template import filled

Document = dict[str, Any]

_OURS: Final = UUID("6f1a7e0c-9b1d-4a53-8f0e-2f6f0b6f5a10")  # namespace for the UUIDs of simulated devices
_MIB: Final = 1 << 20
_CPUS: Final = ("0-47,96-143", "48-95,144-191")  # the two sockets in recipes/linux.yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A group of identical devices in a machine.

    recipe   the parsed file; values: from the machine's entry; chip: the product, None if the recipe needs none
    first    number of the first device; slots: bus slot of the first device
    """

    recipe: Mapping[str, Any]
    count: int
    values: Mapping[str, Any]
    chip: Chip | None = None
    slots: int = 0

    @property
    def backend(self) -> str | None:
        """Return the backend that lists the devices; None for a part without devices."""
        name: str | None = self.recipe.get("backend")
        return name

    def ids(self) -> tuple[str, ...]:
        """Return accel's ids of the devices, each followed by its slices."""
        found = []
        for number in range(self.count):
            found.append(f"{self.backend}:{number}")
            found += [f"{self.backend}:{number}/mig{place}" for place in range(len(self._slices(number)))]
        return tuple(found)

    def _slices(self, number: int) -> Sequence[Mapping[str, Any]]:
        return self.values.get("slices", ()) if number in self.values.get("sliced", range(self.count)) else ()

    def addresses(self) -> dict[str, str]:
        """Return the bus address of each whole device."""
        return {
            f"{self.backend}:{number}": _place(self.slots + number, number, self.count)["pci"]
            for number in range(self.count)
        }

    def document(self, name: str, states: Mapping[str, State], shared_bytes: int = 0) -> Document:
        """Return this part's contribution to the machine document.

        name          of the machine; identifiers are derived from it
        shared_bytes  system memory used by devices that have no memory of their own
        """
        known = self._known(shared_bytes >> 10)
        rows = [self._device(name, number, known, states) for number in range(self.count)]
        here = [row for row in rows if not row["lost"]]
        for row in here:
            row["cells"] = "".join(f"{_joined(known, row['n'], other['n']):<11}" for other in here)
        whole = {
            **known,
            "devices": here,
            "processes": [process for row in here for process in row["processes"]],
            "heads": "".join(f"{known.get('label')}{row['n']}".ljust(11) for row in here),
        }
        recipe = self.recipe
        made: Document = {}
        add(made, filled(recipe.get("machine", {}), whole))
        gone = [row for row in rows if row["lost"]]
        for row in rows if recipe.get("lists_lost") else here:
            add(made, filled(recipe.get("each", {}), {**whole, **row}))
        for row in gone:
            add(made, filled(recipe.get("lost", {}), {**whole, **row}))
        for row in here:
            for process in (*row["processes"], *(one for part in row["slices"] for one in part["processes"])):
                add(made, filled(recipe.get("process", {}), {**whole, **row, **process}))
            if "pair" in recipe and known.get("joined", True):
                for place, other in enumerate(other for other in here if other is not row):
                    pair = {**whole, **row, **{f"other_{key}": value for key, value in other.items()}, "place": place}
                    add(made, filled(recipe["pair"], pair))
        return made

    def _known(self, taken_kib: int = 0) -> dict[str, Any]:
        """Return the values common to all devices: from the product, the recipe, its lookups and the entry."""
        known: dict[str, Any] = {"count": self.count, "shared_kib": taken_kib, "tab": "\t", **_of_chip(self.chip)}
        own = {key: value for key, value in self.values.items() if key not in ("slices", "sliced")}
        for key, value in {**self.recipe.get("values", {}), **own}.items():
            known[key] = filled(value, known)
        for lookup in self.recipe.get("lookups", ()):
            found = lookup["rows"].get(known.get(lookup["by"]), lookup.get("otherwise", {}))
            known.update((key, filled(value, known)) for key, value in found.items() if key not in own)
        return known

    @property
    def lacks(self) -> str | None:
        """Return which fact of the product is missing for the recipe; None if nothing is missing."""
        known = self._known()
        for name in ("total_bytes", "pci_id"):
            if self.chip is not None and known.get(name) is None and name not in self.values:
                return name
        needed = (one for one in self.recipe.get("lookups", ()) if one.get("required"))
        return next((one["by"] for one in needed if known.get(one["by"]) not in one["rows"]), None)

    def _device(self, name: str, number: int, known: Mapping[str, Any], states: Mapping[str, State]) -> dict[str, Any]:
        device = f"{self.backend}:{number}"
        state = states.get(device, State())
        slices = [
            self._slice(name, device, place, one, known, states) for place, one in enumerate(self._slices(number))
        ]
        unique = uuid5(_OURS, f"{name}/{device}").int % 2**62
        held = sum(use.bytes for use in state.uses) + sum(one["taken_bytes"] for one in slices)
        row = {
            **_place(self.slots + number, number, self.count),
            **_memory(known, held),
            **_effort(known, number, state),
            "uuid": str(uuid5(_OURS, f"{name}/{device}")),
            "unique": f"{unique:016x}",
            "unique_number": unique,
            "serial": 1_320_000_000_000 + uuid5(_OURS, f"{name}/{device}").int % 10_000_000,
            "lost": state.lost,
            "slices": slices,
        }
        row["processes"] = [
            {"pid": use.pid, "process": use.process, "bytes": use.bytes, "process_mib": use.bytes // _MIB, "n": number}
            for use in state.uses
        ]
        return row

    def _slice(
        self, name: str, device: str, place: int, told: Mapping[str, Any], known: Mapping[str, Any],
        states: Mapping[str, State],
    ) -> dict[str, Any]:  # fmt: skip
        state = states.get(f"{device}/mig{place}", State())
        taken = sum(use.bytes for use in state.uses)
        return {
            **filled(told, known),
            "uuid": f"MIG-{uuid5(_OURS, f'{name}/{device}/{place}')}",
            "used_bytes": taken + told.get("used_bytes", 0),
            "taken_bytes": taken,
            "gpu_instance": place + 1,
            "compute_instance": 0,
            "processes": [{"pid": use.pid, "process": use.process, "bytes": use.bytes} for use in state.uses],
        }


def add(made: Document, more: Mapping[str, Any]) -> None:
    """Merge one document into another: extend mappings and lists, replace anything else."""
    for key, value in more.items():
        if isinstance(value, Mapping):
            add(made.setdefault(key, {}), value)
        elif isinstance(value, list):
            made.setdefault(key, []).extend(value)
        else:
            made[key] = value


def _of_chip(chip: Chip | None) -> dict[str, Any]:
    if chip is None:
        return {}
    names = [name for name in chip.aliases if name.lower().startswith(("nvidia ", "amd ", "intel"))]
    capability = (chip.compute_capability or "").split(".")
    pci = (chip.pci_ids or (None,))[0]
    return {
        "name": names[0] if names else chip.name,
        "chip": chip.name,
        "architecture": chip.architecture,
        "segment": chip.segment,
        "total_bytes": chip.memory_bytes,
        "capability": chip.compute_capability,
        "units": chip.multiprocessors,
        "capability_major": int(capability[0]) if capability[0] else None,
        "capability_minor": int(capability[1]) if len(capability) > 1 else None,
        "target": chip.compute_target,
        "pci_id": pci,
        "pci_vendor": pci.partition(":")[0] if pci else None,
        "pci_device": pci.partition(":")[2] if pci else None,
        "pci_device_number": int(pci.partition(":")[2], 16) if pci else None,
        "limit_watts": chip.tdp_watts,
        "slowdown_celsius": chip.slowdown_celsius,
        "link_bytes_per_second": chip.link_bytes_per_second,
        "link_type": chip.link_type,
        "nvswitch": chip.nvswitch,
        "pcie_generation": chip.pcie_generation,
        "pcie_width": chip.pcie_lanes,
    }


def _joined(known: Mapping[str, Any], one: int, other: int) -> str:
    """Return the link-matrix entry for two devices: linked if in the same group, or always if there are no groups."""
    group = known.get("link_group") or known["count"]
    word: str = known.get("link_word", "") if one // group == other // group else known["far_word"]
    return "X" if one == other else word


def _place(slot: int, number: int, count: int) -> dict[str, Any]:
    """Return a device's place on the bus: below its own root port, on the second socket for the second half."""
    root = 0x10 + 8 * slot
    numa = int(count > 1 and number >= (count + 1) // 2)
    return {
        "n": number,
        "root": f"{root:02x}",
        "bus": f"{root + 1:02x}",
        "bus_number": root + 1,
        "pci": f"0000:{root + 1:02x}:00.0",
        "pci_upper": f"0000:{root + 1:02X}:00.0",
        "pci_slot": f"0000:{root + 1:02x}:00",
        "nic": f"0000:{root + 2:02x}:00.0",
        "numa": numa,
        "cpus": _CPUS[numa],
    }


def _memory(known: Mapping[str, Any], held: int) -> dict[str, Any]:
    total = known.get("total_bytes")
    used = (known.get("idle_bytes") or 0) + held
    free = None if total is None else max(0, total - used - (known.get("reserved_bytes") or 0))
    sizes = {"total": total, "used": used, "free": free}
    return {
        **{f"{key}_bytes": value for key, value in sizes.items()},
        **{f"{key}_mib": None if value is None else value // _MIB for key, value in sizes.items()},
    }


def _effort(known: Mapping[str, Any], number: int, state: State) -> dict[str, Any]:
    limit = known.get("limit_watts")
    watts = None if limit is None else round(limit * (0.1 + 0.8 * state.busy_percent / 100), 1)
    return {
        "busy": state.busy_percent,
        "busy_text": f"{state.busy_percent}%",
        "celsius": 32 + number % 4 + state.busy_percent // 3,
        "watts": watts,
        "milliwatts": None if watts is None else int(watts * 1000),
    }


def merged(documents: Iterable[Document]) -> Document:
    """Return the documents of all parts merged into one."""
    made: Document = {}
    for document in documents:
        add(made, document)
    return made
