"""The torch wheel for a Mac with an Apple chip: every arm64 wheel has MPS. Pure."""

from typing import TYPE_CHECKING

from accel.model.dataclass import replace
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
    from accel.vendors.contract.check import Remedy


def torch_for_mac(facts: "Facts", specs: "Specs", *, text: str, again: bool = False) -> "Remedy":
    """Return the remedy, for an arm64 Python: an x86_64 one, which runs under Rosetta, has no MPS."""
    from accel.resolver.remedies import install, machine_of

    machine = replace(machine_of(facts, specs, "apple"), system="macos", machine="aarch64", installed={})
    return install(facts, specs, "torch", text=text, on=machine, newest=not again, again=again)


def torch_of(facts: "Facts") -> str | None:
    """Return torch's version, "2.5.1"; None if unknown."""
    framework, package = facts.framework("torch"), facts.package("torch")
    return (framework.version if framework else None) or (package.version if package else None)


def macos_for_torch(version: str, specs: "Specs") -> str | None:
    """Return the first macOS on which this release of torch has MPS, "13.0"; None for one that never had it."""
    rows = (specs.table("apple/torch_macos") or {"releases": []})["releases"]
    fits = [row for row in rows if numbers(version) >= numbers(row["torch"])]
    return str(max(fits, key=lambda row: numbers(row["torch"]))["macos"]) if fits else None
