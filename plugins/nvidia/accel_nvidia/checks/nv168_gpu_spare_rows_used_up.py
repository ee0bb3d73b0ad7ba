from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around

_MOST_ROWS: Final = 512
_SERVICE: Final = Remedy(
    text="Plan to have the board replaced, and keep its row counts for the request.", action="service", kind="ask"
)


@check(
    code="NV168",
    name="gpu-spare-rows-used-up",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("gpu-spare-rows",),
    needs=("nvidia.devices",),
    explained_by=("gpu-row-remap-failed",),
)
def gpu_spare_rows_used_up(facts: Facts, specs: Specs) -> Problems:
    """A GPU memory bank has no or few spare rows left, or 512 or more rows of the board were remapped.

    Why it matters   The memory works until another row fails; the board then needs service at once.
    What to do       Plan its service; move long jobs to other GPUs.
    Looks at         the histogram of banks by spare rows, as nvidia-smi -q -d ROW_REMAPPER prints it; the number of
                     rows remapped for uncorrectable errors
    Silent when      every bank has spare rows, and fewer rows were remapped; the board does not remap rows
    Source           NVIDIA: GPU memory error management, row remapping; DCGM: its limit of 512 rows
    """
    for fact in facts.stated("gpu-spare-rows"):
        none, low = fact.number("none") or 0, fact.number("low") or 0
        if none or low:
            yield Problem(
                title=f"Banks of a GPU's memory have no spare rows left: {none}"
                if none
                else f"Banks of a GPU's memory have few spare rows left: {low}",
                severity=None if none else "info",
                devices=(fact.device,) if fact.device else (),
                evidence=quoted([fact]),
                remedies=(_SERVICE,),
            )
    if not facts.stated("gpu-spare-rows"):
        around.must_know(facts, "remapped_rows_uncorrected")
    for device in around.gpus(facts):
        rows = device.remapped_rows_uncorrected
        if rows is not None and rows >= _MOST_ROWS:
            yield Problem(
                title=f"{rows} rows of {device.id}'s memory were remapped because of uncorrectable errors",
                devices=(device.id,),
                evidence=(Evidence(fact="remapped_rows_uncorrected", value=str(rows)),),
                remedies=(_SERVICE,),
            )
