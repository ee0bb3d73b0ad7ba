from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around, xid

_REMEDIES = (
    Remedy(
        text="Take the GPU out of service (a reset does not fix this), collect the report and have the board replaced.",
        command="sudo nvidia-bug-report.sh",
        action="service",
        kind="ask",
    ),
)


@check(
    code="NV024",
    name="gpu-row-remap-failed",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("xid-row-failed", "row-remap-failure"),
    needs=("nvidia.devices",),
)
def gpu_row_remap_failed(facts: Facts, specs: Specs) -> Problems:
    """Remapping a bad memory row failed: no spare row is left.

    Why it matters   The bad row stays in use, so errors will return.
    What to do       Replace the board; a reset does not help.
    Looks at         remap_failed; Xid 64; DCGM field 395
    Silent when      the flag is not set, blank, N/A or unknown
    Source           NVIDIA: GPU memory error management, row remapping; DCGM fields
    """
    found = facts.stated("xid-row-failed", "row-remap-failure")
    flagged = [device for device in around.gpus(facts) if device.remap_failed]
    devices = sorted(
        {*xid.gpus_at(facts, found), *(d.id for d in flagged), *(fact.device for fact in found if fact.device)}
    )
    if found or flagged:
        yield Problem(
            title=(
                f"{', '.join(devices)} could not remap a bad memory row"
                if devices
                else f"A GPU could not remap a bad memory row{xid.where(found)}"
            ),
            devices=tuple(devices),
            evidence=(*quoted(found), *(Evidence(fact=f"{d.id} remap_failed", value="yes") for d in flagged[:4])),
            remedies=_REMEDIES,
        )
    else:
        around.must_know(facts, "remap_failed")
