"""Releases with a known fault: specs/<domain>/known_faults*.yaml; `when` and `shows` are queries of accel.facts.query.

products:                                 # once for all tables
  - name: "nccl"
    title: "NCCL"                         # as it appears in sentences
    layer: "framework"                    # "driver" for a driver, a kernel or firmware
    read_from: ["package.nvidia-nccl-cu*"]    # readings that give its version: accel.facts.readings
    also: ["nccl2"]                       # other names that `accel explain` accepts
    resolves: true                        # `accel resolve` knows it
faults:
  - id: "nccl-imbalanced-send-receive"    # never reused
    product: "nccl"
    versions: [">=2.7,<2.8.4"]            # any of these
    when: ["@linux", "host.machine=aarch64", "accelerators.compute_capability=9.0|gfx942", "variable.NCCL_ALGO"]
    with: {kernel: ">=6.8"}               # another product's version, or a list of such bounds
    fault: "imbalanced send and receive hangs"
    shows: ["collective-timeout", "fact.xid.code=119", "error.cuda:700"]   # facts and errors that are its symptoms
    decisive: true                        # if the rest matches, the symptoms have no other cause
    alone: false                          # reported only if a symptom is seen
    fixed: "2.8.4"                        # or fixed_by, in words
    fixes: […]                            # what else helps, as in inference tables
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from accel.model.dataclass import dataclass
from accel.specs.load import Specs
from accel.text.versions import relation


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFault:
    """A row, with its product's fields and the address of its source."""

    row: Mapping[str, Any]
    product: Mapping[str, Any]
    source: str | None = None

    @property
    def ranges(self) -> str:
        """Return the affected versions in readable form: "2.7 to before 2.8.4"."""
        return " or ".join(_said(one) for one in self.row["versions"])


class KnownFaults:
    """All rows of all tables, in table order."""

    def __init__(self, specs: Specs) -> None:
        tables = [table for _, table in specs.tables("", "/known_faults", 1)]
        self.products: dict[str, Mapping[str, Any]] = {p["name"]: p for t in tables for p in t.get("products") or ()}
        self.rows: tuple[KnownFault, ...] = tuple(
            KnownFault(row=row, product=self.products[row["product"]], source=_address(row, table))
            for table in tables
            for row in table.get("faults") or ()
            if row["product"] in self.products
        )

    @cached_property
    def _by_id(self) -> dict[str, KnownFault]:
        return {fault.row["id"]: fault for fault in self.rows}

    def named(self, key: str | None) -> KnownFault | None:
        """Return the fault with this id; None if there is none."""
        return self._by_id.get(key or "")

    def product(self, words: str) -> str | None:
        """Return the product that the words refer to: "NCCL", "the NVIDIA driver"; None if none."""
        wanted = " ".join(words.lower().replace("_", "-").removeprefix("the ").split())
        for name, product in self.products.items():
            if wanted in (name, product["title"].lower().removeprefix("the "), *product.get("also", ())):
                return name
        return None


def known_faults_of(specs: Specs) -> KnownFaults:
    """Return the rows of a database, read on first use."""
    return specs.cached("known_faults", lambda: KnownFaults(specs))


def is_in(version: str, ranges: "list[str]") -> bool:
    """Return whether a version is in any of the ranges.

    >>> is_in("2.18.1", [">=2.7,<2.8.4", "==2.18.1"]), is_in("2.18.2", ["==2.18.1"]), is_in("main", [">=1"])
    (True, False, False)
    """
    return any(relation(version, bounds) == "same" for bounds in ranges)


def may_be_in(version: str, ranges: "list[str]") -> bool:
    """Return whether a version, or any version that it is a prefix of, is in any of the ranges.

    >>> may_be_in("555.42", ["==555.42.02"]), may_be_in("555", [">=555.42,<=555.85"]), may_be_in("2.1", ["==2.10"])
    (True, True, False)
    """
    begun = (
        v for one in ranges for v in (bound.lstrip("<>=!~") for bound in one.split(",")) if v.startswith(f"{version}.")
    )
    return is_in(version, ranges) or any(is_in(one, ranges) for one in begun)


def _said(bounds: str) -> str:
    words = {">=": "{} and later", ">": "after {}", "<=": "to {}", "<": "before {}", "==": "{}"}
    parts = []
    for one in bounds.split(","):
        sign = one[: len(one) - len(one.lstrip("<>=!~"))]
        parts.append(words.get(sign, f"{sign}{{}}").format(one.lstrip("<>=!~")))
    return ", ".join(parts)


def _address(row: Mapping[str, Any], table: Mapping[str, Any]) -> str | None:
    sources = table.get("sources") or {}
    return next((sources[key]["url"] for key in row["sources"] if "url" in sources.get(key, {})), None)
