"""Secure Boot refuses a module that DKMS built, and NVIDIA's is one of those that the text counts with it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import ErrorSeen, Fact
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_REFUSALS: Final = ("126", "129")  # ENOKEY, EKEYREJECTED


@rule(
    gives={"module-key-refused": "Secure Boot refuses the module: it is not signed by a key that the firmware knows"},
    triggers=("error.errno",),
)
def key_refused_to_all(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for "Key was rejected by service" of any module, where the text counts NVIDIA's among DKMS's modules."""
    if seen.facts("module-key-refused") or not seen.facts("nvidia-among-modules"):
        return
    for error in seen.of(ErrorSeen):
        if error.domain == "errno" and error.code in _REFUSALS:
            yield fact_from("module-key-refused", error)
