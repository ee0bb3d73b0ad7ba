"""What a program needs of the machine, checked at its start: `accel.require`."""

from typing import TYPE_CHECKING

from accel.apps import api

if TYPE_CHECKING:
    from accel.model.device import Device


def require(
    *,
    vendor: str | None = None,
    kind: str | None = None,
    count: int = 1,
    memory_bytes: int | None = None,
    compute_capability: str | None = None,
    dtype: str | None = None,
) -> "tuple[Device, ...]":
    """Return the visible accelerators that meet all of these; raise RequirementUnmet if too few do.

    vendor              a backend or vendor name, in any case: "nvidia"
    kind                "gpu", "npu" or "tpu"
    memory_bytes        at least so much in total
    compute_capability  at least this: "8.0"
    dtype               a type that the architecture computes in: "bf16", "fp8"
    A device of which a wanted fact is unknown does not count. Raises BadInput for a vendor, kind or dtype that accel
    does not know.
    """
    from accel.resolver.requirement import Requirement, check_names, check_requirement

    wanted = Requirement(
        vendor=vendor,
        kind=kind,
        count=count,
        memory_bytes=memory_bytes,
        compute_capability=compute_capability,
        dtype=dtype,
    )
    check_names(wanted, sorted({*api._registry().backend_names.values(), *api._specs().vendors}))
    return check_requirement(wanted, api.accelerators(), api._specs, api.doctor)
