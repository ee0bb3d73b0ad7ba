"""The torch wheel for a Mac with an Apple chip: MPS is in every one for arm64. Pure."""

from dataclasses import replace
from typing import TYPE_CHECKING

from accel.resolver.remedies import install, machine_of

if TYPE_CHECKING:
    from accel.contract.check import Remedy
    from accel.facts.questions import Facts
    from accel.specs import Specs


def torch_for_mac(facts: "Facts", specs: "Specs", *, text: str, again: bool = False) -> "Remedy":
    """Return the remedy, for an arm64 Python: one for x86_64, which runs by Rosetta, has no MPS."""
    machine = replace(machine_of(facts, specs, "apple"), system="macos", machine="aarch64", installed={})
    return install(facts, specs, "torch", text=text, on=machine, newest=not again, again=again)
