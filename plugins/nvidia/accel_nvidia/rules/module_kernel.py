"""Whether a driver module is installed for the running kernel."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.vendors.contract.rule import Fact, Seen, Specs, rule


@rule(
    gives={"module-for-other-kernels": "NVIDIA's module is installed for other kernels than the one that runs"},
    triggers=("module-kept-for",),
)
def module_kernel(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the running kernel is named and every named module is for another one."""
    running = seen.snapshot.host.kernel
    kept = tuple(fact for fact in seen.facts("module-kept-for") if "nvidia" in fact.text.lower())
    kernels = [fact.value("kernel") or "" for fact in kept]
    if running and kept and not any(running in kernel for kernel in kernels):
        yield from (replace(fact, name="module-for-other-kernels") for fact in kept)
