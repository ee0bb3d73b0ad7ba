"""Whether the driver's branch and the loaded kind of kernel module, open or proprietary, support the GPUs present."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Fact, Product
from accel.vendors.contract.rule import Seen, Specs, rule
from accel_nvidia.architecture_fit import capability_of

_TURING: Final = (7, 5)  # the oldest that the open modules support
_BLACKWELL: Final = (10, 0)  # the oldest that the proprietary modules no longer support
_FAILED: Final = (
    *("gpu-bring-up-failed", "driver-probed-nothing", "no-devices-found", "nvidia-module-absent"),
    "gpu-unsupported-said",
)
_DROPPED: Final = "generation-dropped-said"
_RELEASE: Final = "driver-version-named"


@rule(
    gives={"gpu-needs-other-module": "the loaded module is of the kind that does not support this GPU"},
    triggers=_FAILED,
)
def module_kind(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the driver cannot initialize a GPU, and its branch or its type of module supports none of the named
    GPUs: specs/nvidia/architectures.yaml has each generation's last branch.
    """
    failed = seen.facts(*_FAILED)
    kinds = {r.driver.flavor for r in seen.snapshot.reports if r.backend == "nvidia" and r.driver} - {None}
    kinds |= {fact.value("kind") for fact in seen.facts("module-kind-said")}
    named = {d.name for r in seen.snapshot.reports if r.backend == "nvidia" for d in r.devices if d.name}
    named = named or {one.name for one in seen.of(Product) if one.vendor == "nvidia" and one.name}
    codes = [code for name in sorted(named) if (code := specs.compute_capability(name)) is not None]
    known = [number for code in codes if (number := capability_of(code)) is not None]
    if not failed or not known:
        return
    has, wants = _last_branch(codes, seen, specs)
    if wants is None and kinds == {"proprietary"} and min(known) >= _BLACKWELL:
        wants = "open"
    elif wants is None and kinds == {"open"} and max(known) < _TURING:
        wants = "proprietary"
    if wants:
        shown = (*failed[:1], *(() if has else seen.facts("module-kind-said", _DROPPED)[:1]))
        values = (("wants", wants), *((("has", has),) if has else ()))
        yield from (replace(f, name="gpu-needs-other-module", values=values) for f in shown)


def _last_branch(codes: list[str], seen: Seen, specs: Specs) -> tuple[str | None, str | None]:
    """Return the only driver in the text, and the last branch that supports any of the GPUs, if that is older.

    Without a driver's version in the text, the writer may say that the new driver dropped these GPUs.
    """
    found = {r.driver.version for r in seen.snapshot.reports if r.backend == "nvidia" and r.driver} - {None}
    found |= {fact.value("driver") for fact in seen.facts(_RELEASE)}
    found |= {fact.value("branch") for fact in seen.facts("module-kind-said")}
    versions = {branch: one for one in found if one and (branch := one.partition(".")[0]).isdecimal()}
    generations = [specs.architecture("nvidia", compute_capability=code) for code in codes]
    lasts = [one.last_driver for one in generations if one is not None and one.last_driver is not None]
    if len(versions) > 1 or not lasts or len(lasts) < len(codes):
        return None, None
    last = max(lasts, key=int)
    for branch, version in versions.items():
        return (version, last) if int(branch) > int(last) else (None, None)
    return None, last if seen.facts(_DROPPED) else None
