from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around


@check(
    code="NV140",
    name="gpu-sram-worn",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    needs=("nvidia.devices",),
)
def gpu_sram_worn(facts: Facts, specs: Specs) -> Problems:
    """The driver reports more lifetime errors in the GPU's SRAM than the board's limit.

    Why it matters   SRAM has no spare rows: errors continue, and each one ends the program that hits it.
    What to do       Do not use the GPU for important jobs, and have the board replaced.
    Looks at         "SRAM Threshold Exceeded" in NVML or nvidia-smi -q
    Silent when      the driver says No; it is older than 550, or the board has no such count
    Source           NVML API: nvmlEccSramErrorStatus_t; NVIDIA: GPU debug guidelines, SRAM errors
    """
    worn = [device for device in around.gpus(facts) if device.sram_threshold_exceeded]
    for device in worn:
        counts = [count for count in device.ecc_counts or () if count.memory == "sram"]
        yield Problem(
            title=f"{device.id} has exceeded the limit of uncorrected SRAM errors",
            devices=(device.id,),
            evidence=(
                Evidence(fact="sram_threshold_exceeded", value="yes"),
                *(
                    Evidence(fact="uncorrected SRAM errors in its lifetime", value=str(count.uncorrected_aggregate))
                    for count in counts
                    if count.uncorrected_aggregate is not None
                ),
            ),
            remedies=fixes(specs, "nvidia", "bug-report-and-replace"),
        )
    if not worn:
        around.must_know(facts, "sram_threshold_exceeded")
