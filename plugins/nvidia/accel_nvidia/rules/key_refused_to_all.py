"""Secure Boot rejects an unnamed module, or all DKMS modules, and the text is about NVIDIA's."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.vendors.contract.rule import Fact, Seen, Specs, rule

_GIVES: Final = "module-key-refused"
_ABOUT_NVIDIA: Final = ("nvidia-module-absent", "nvidia-gpu-named", "nvidia-dkms-named", "module-not-inserted")


@rule(
    gives={_GIVES: "Secure Boot rejects the module: it is not signed with a key that the firmware knows"},
    triggers=("module-signature-refused",),
)
def key_refused_to_all(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if all modules are rejected and the text includes NVIDIA's, or an unnamed one in a text about NVIDIA."""
    if seen.facts(_GIVES):
        return
    together = bool(seen.facts("nvidia-among-modules"))
    about = any(seen.facts(name) for name in _ABOUT_NVIDIA)
    for fact in seen.facts("module-signature-refused"):
        if together or (about and not fact.value("module")):
            yield replace(fact, name=_GIVES)
