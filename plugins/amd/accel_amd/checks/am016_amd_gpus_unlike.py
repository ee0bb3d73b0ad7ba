from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need
from accel_amd.gpu_remedies import gpus

if TYPE_CHECKING:
    from accel_amd.model import AmdDevice

_FIELDS: Final = {"compute_partition": "compute partitions", "memory_partition": "memory partitions"}
_VBIOS: Final = "VBIOS versions"


@check(
    code="AM016",
    name="amd-gpus-unlike",
    layer="hardware",
    severity="info",
    needs=("amd.devices",),
)
def amd_gpus_unlike(facts: Facts, specs: Specs) -> Problems:
    """GPUs of one model in one machine have different partition modes or VBIOS versions.

    Why it matters   A job over all of them gets devices of different size and number; VBIOS versions differ in power
                     and temperature limits. Often one is a replaced board.
    What to do       If it is not intended, set all to one mode; update the VBIOS of equal boards to one version.
    Looks at         compute and memory partition mode, VBIOS version, by model
    Silent when      all GPUs of a model match, or each model has one; undecided if two of a model report none of it
    Source           AMD: Instinct accelerator partitioning; amd-smi static
    """
    by_model: dict[str, list[AmdDevice]] = {}
    for device in gpus(facts.of("amd")):
        if device.name:
            by_model.setdefault(device.name, []).append(device)
    for model, devices in by_model.items():
        told = False
        for field, what in {**_FIELDS, "vbios_version": _VBIOS}.items():
            values = {device.id: value for device in devices if (value := getattr(device, field))}
            told = told or len(values) > 1
            if len(set(values.values())) > 1:
                yield _unlike(model, what, values)
        if len(devices) > 1:
            need(told or None, "partition mode or VBIOS version of two GPUs of the same model")


def _unlike(model: str, what: str, values: Mapping[str, str]) -> Problem:
    (usual, most), (_, second) = Counter(values.values()).most_common(2)
    odd = tuple(device for device, value in values.items() if value != usual or most == second)
    vbios = what == _VBIOS
    return Problem(
        title=f"GPUs of the same model ({model}) differ in {what}: {', '.join(sorted(set(values.values())))}",
        devices=odd,
        evidence=tuple(Evidence(fact=f"{what} of {device}", value=value) for device, value in list(values.items())[:8]),
        remedies=(
            Remedy(
                text=(
                    "If the part numbers are the same, update all boards to one VBIOS, which the machine's "
                    "manufacturer provides."
                )
                if vbios
                else (
                    "Check how each one is set. If the difference is unintended, stop what runs there and set "
                    "all to one mode."
                ),
                command="amd-smi static --vbios --board" if vbios else "amd-smi static --partition",
                action="admin",
            ),
        ),
    )
