"""Releases with a known fault in a snapshot, with or without signs of the fault."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.facts.query import holds, witnesses
from accel.facts.questions import Facts
from accel.facts.readings import versions_of
from accel.model.observation import Fact, Observation
from accel.specs import Specs
from accel.specs.known_faults import KnownFault, KnownFaults, is_in, known_faults_of
from accel.vendors.contract.rule import Seen, rule

_SHOWN: Final = {"driver": "known-driver-fault", "framework": "known-library-fault"}


@rule(
    gives={
        "known-driver-fault": "a fault of this release of a driver, a kernel or firmware is known, and it shows",
        "known-library-fault": "a fault of this release of a library is known, and it shows",
        "release-without-this-gpu": "this release of a driver or runtime is known not to serve this GPU or system",
        "kernel-newer-than-driver": "this release of a driver is known not to compile for this kernel, and did not",
        "known-fault-possible": "a fault of a release that is installed here is known",
    },
)
def known_faults(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a version is in a range of specs/*/known_faults and all conditions of the row are known to hold."""
    known = known_faults_of(specs)
    told = _Told(Facts(seen.snapshot, seen.facts()), known)
    for fault in known.rows:
        if not told.versions(fault.row["product"]):
            continue
        version = told.version_in(fault.row["product"], fault.row["versions"])
        if version is None or not told.holds(fault.row):
            continue
        shown = told.shown(fault.row)
        if shown is not None:
            yield _fact(fault.row.get("states") or _SHOWN[fault.product["layer"]], shown, fault, version)
        elif fault.row.get("alone", True):
            where = told.where(fault.row["product"], version)
            said = Fact(name="", text=f"{fault.product['title']} {version} ({where})")
            yield _fact("known-fault-possible", said, fault, version)


class _Told:
    """A snapshot's facts, computed once per product."""

    def __init__(self, facts: Facts, known: KnownFaults) -> None:
        self._facts, self._known = facts, known
        self._versions: dict[str, dict[str, str]] = {}

    def versions(self, product: str) -> dict[str, str]:
        if product not in self._versions:
            paths = self._known.products[product]["read_from"] if product in self._known.products else []
            self._versions[product] = versions_of(paths, self._facts)
        return self._versions[product]

    def version_in(self, product: str, ranges: list[str]) -> str | None:
        return next((version for version in self.versions(product) if is_in(version, ranges)), None)

    def where(self, product: str, version: str) -> str:
        return self.versions(product)[version]

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Return whether all conditions of a row are known to hold."""
        return holds(row.get("when", ()), self._facts) and all(
            self.version_in(product, [bounds] if isinstance(bounds, str) else bounds) is not None
            for product, bounds in row.get("with", {}).items()
        )

    def shown(self, row: Mapping[str, Any]) -> "Fact | Observation | None":
        """Return the first sign of the fault that is present."""
        return next((one for sign in row.get("shows", ()) for one in witnesses(sign, self._facts)), None)


def _fact(name: str, rests_on: "Fact | Observation", fault: KnownFault, version: str) -> Fact:
    return Fact(
        name=name,
        text=rests_on.text,
        values=(("fault", fault.row["id"]), ("version", version)),
        grade=rests_on.grade,
        source=rests_on.source,
        line=rests_on.line,
        last_line=rests_on.last_line,
        scope=rests_on.scope,
        device=rests_on.device,
    )
