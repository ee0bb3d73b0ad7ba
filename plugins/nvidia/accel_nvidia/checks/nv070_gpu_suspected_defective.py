from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import xid


@check(
    code="NV070",
    name="gpu-suspected-defective",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("xid-one-unit",),
    needs=("nvidia.devices", "source.kernel log"),
)
def gpu_suspected_defective(facts: Facts, specs: Specs) -> Problems:
    """Xid codes that usually mean a program fault (13, 31) come from one unit of one GPU, whatever the program.

    Why it matters   Time is lost looking for a bug that the program does not have.
    What to do       Run the same job on another GPU, and DCGM's diagnosis on this one; then contact service.
    Looks at         address, unit and process of each Xid 13 and 31; whether the job works on all other GPUs
    Silent when      there are fewer than three processes, or the units differ: a single line is no proof
    Source           NVIDIA: Xid errors, on 13 and 31
    """
    found = facts.stated("xid-one-unit")
    if found:
        unit = found[0].value("unit")
        processes = len({fact.value("pid") for fact in found})
        yield Problem(
            title=f"{processes} processes failed on one GPU{xid.where(found)}" + (f", all in {unit}" if unit else ""),
            devices=xid.gpus_at(facts, found),
            evidence=quoted(found),
            remedies=(
                Remedy(
                    text="If the same job works on another GPU: take this one out of service and have it "
                    "replaced; include this log.",
                    command="sudo nvidia-bug-report.sh",
                    action="service",
                    kind="ask",
                ),
                Remedy(
                    text="Test it first, with nothing else running on it.",
                    command="dcgmi diag -r 3",
                    action="admin",
                    kind="look",
                ),
            ),
        )
