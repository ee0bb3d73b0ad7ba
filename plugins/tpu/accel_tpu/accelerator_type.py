"""Accelerator types, "v4-32", "v5litepod-16": their chips and hosts, and the software for them.

The number counts TensorCores up to v4 and for v5p and tpu7x, chips for v5e and v6e: specs/tpu/accelerator_types.yaml.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from accel.specs import Specs

_TABLE: Final = "tpu/accelerator_types"
_TYPE: Final = pattern(r"(?P<prefix>[a-z0-9]+)-(?P<number>\d{1,5})", exact_case=True)


@dataclass(frozen=True, slots=True)
class AcceleratorType:
    """hosts: None if a slice of this size can have VMs of different sizes; it is then more than one."""

    name: str
    generation: str
    chips: int
    hosts: int | None

    @property
    def one_host(self) -> bool:
        return self.hosts == 1


def accelerator_type(name: str, specs: "Specs") -> AcceleratorType | None:
    """Return an accelerator type by its name; None if there is no such type."""
    found = _TYPE.fullmatch(name.lower())
    row = _row(found["prefix"], specs) if found else None
    if found is None or row is None:
        return None
    number = int(found["number"])
    if row["suffix"] == "cores" and number % 2:
        return None
    chips = number // 2 if row["suffix"] == "cores" else number
    if chips < 1:
        return None
    return AcceleratorType(name.lower(), row["generation"], chips, _hosts(chips, row))


def runtime_fits(version: str, generation: str, specs: "Specs") -> bool | None:
    """Return whether a TPU VM's software version supports a generation; None if the tables do not say."""
    row = _runtimes(generation, specs)
    if row is None:
        return None
    if _among(version.lower(), row["good"]):
        return True
    return False if _among(version.lower(), row["foreign"]) else None


def runtime_of(generation: str, specs: "Specs") -> str | None:
    """Return the recommended software version for a generation."""
    row = _runtimes(generation, specs)
    return str(row["good"][0]) if row else None


def nodes_of(generation: str, specs: "Specs") -> str | None:
    """Return the pattern of a generation's device nodes: "/dev/accel*" or "/dev/vfio/*"."""
    table = specs.table(_TABLE) or {"types": []}
    return next((str(row["nodes"]) for row in table["types"] if row["generation"] == generation), None)


def _hosts(chips: int, row: "dict[str, Any]") -> int | None:
    if chips <= max(row["host_chips"]):
        return 1
    each = row["slice_host_chips"]
    return -(-chips // each) if each else None


def _row(prefix: str, specs: "Specs") -> "dict[str, Any] | None":
    table = specs.table(_TABLE) or {"types": []}
    return next((row for row in table["types"] if prefix in row["prefixes"]), None)


def _runtimes(generation: str, specs: "Specs") -> "dict[str, Any] | None":
    table = specs.table(_TABLE) or {"runtimes": []}
    return next((row for row in table["runtimes"] if generation in row["generations"]), None)


def _among(version: str, patterns: "Iterable[str]") -> bool:
    return any(version.startswith(p[:-1]) if p.endswith("*") else version == p for p in patterns)
