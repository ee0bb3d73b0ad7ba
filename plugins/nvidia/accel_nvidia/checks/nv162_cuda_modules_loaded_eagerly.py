"""CUDA is told to load every kernel of a program when it starts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Problem, Remedy, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_VARIABLE: Final = "CUDA_MODULE_LOADING"


@check(
    code="NV162",
    name="cuda-modules-loaded-eagerly",
    layer="application",
    severity="info",
    needs=("nvidia.devices", "environment.variables"),
    asks=("environment.variables",),
)
def cuda_modules_loaded_eagerly(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """CUDA_MODULE_LOADING is EAGER: a program loads all its kernels before the first one runs.

    Why it matters   Starts take longer, and hundreds of MiB of device memory hold kernels that never run.
    What to do       Unset it; LAZY is CUDA's own choice since 12.2. For steady latency from the first request, keep it.
    Looks at         CUDA_MODULE_LOADING
    Silent when      it is unset or LAZY
    Source           CUDA C++ programming guide: lazy loading
    """
    value = facts.variable(_VARIABLE)
    if value is not None and value.strip().upper() == "EAGER":
        yield Problem(
            title="CUDA loads every kernel at the start: CUDA_MODULE_LOADING is EAGER",
            evidence=(Evidence(fact=_VARIABLE, value=value),),
            remedies=(
                Remedy(
                    text="Unset it, unless the first requests must be as fast as the later ones.",
                    command="unset CUDA_MODULE_LOADING",
                    action="env",
                ),
            ),
        )
