"""Whether the loaded kind of kernel module, open or proprietary, supports the GPUs present."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.observation import Fact
from accel.vendors.contract.rule import Seen, rule
from accel_nvidia.architecture_fit import capability_of

if TYPE_CHECKING:
    from accel.specs import Specs

_TURING: Final = (7, 5)  # the oldest that the open modules support
_BLACKWELL: Final = (10, 0)  # the oldest that the proprietary modules no longer support
_FAILED: Final = ("gpu-bring-up-failed", "driver-probed-nothing", "no-devices-found", "nvidia-module-absent")


@rule(
    gives={"gpu-needs-other-module": "the loaded module is of the kind that does not support this GPU"},
    triggers=_FAILED,
)
def module_kind(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if the driver cannot initialize a GPU, the module type is known, and it supports none of the named GPUs."""
    failed = seen.facts(*_FAILED)
    kinds = {r.driver.flavor for r in seen.snapshot.reports if r.backend == "nvidia" and r.driver} - {None}
    kinds |= {fact.value("kind") for fact in seen.facts("module-kind-said")}
    named = {d.name for r in seen.snapshot.reports if r.backend == "nvidia" for d in r.devices if d.name}
    known = [c for name in sorted(named) if (c := capability_of(specs.compute_capability(name) or "")) is not None]
    if not failed or len(kinds) != 1 or not known:
        return
    wants = None
    if kinds == {"proprietary"} and min(known) >= _BLACKWELL:
        wants = "open"
    elif kinds == {"open"} and max(known) < _TURING:
        wants = "proprietary"
    if wants:
        shown = (*failed[:1], *seen.facts("module-kind-said")[:1])
        yield from (replace(f, name="gpu-needs-other-module", values=(("wants", wants),)) for f in shown)
