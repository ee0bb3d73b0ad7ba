from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel_nvidia import around


@check(
    code="NV013",
    name="device-busy",
    layer="access",
    family="gpu-memory-taken-by-other-process",
    reads=("gpu-busy", "busy-and-held", "compute-mode-said"),
    needs=("use.torch|jax|tensorflow",),
    requires=("gpu-lost", "gpu-xid", "gpu-recovery-needed", "gpu-lost-after-suspend"),
)
def device_busy(facts: Facts, specs: Specs) -> Problems:
    """CUDA says "busy or unavailable": the compute mode admits one process or none, or another process uses the GPU.

    Why it matters   In exclusive-process mode the first process owns the GPU; in prohibited mode no process may use it.
    What to do       Choose a free GPU, end the process that holds it, or set the compute mode to default.
    Looks at         error 46; compute_mode; the processes on the job's GPU
    Silent when      CUDA reports no such error; undecided if neither the mode nor the processes are known. A GPU that
                     waits for a reset gives the same message
    Source           NVML API: nvmlComputeMode_t; CUDA runtime API: cudaErrorDevicesUnavailable
    """
    busy = facts.stated("gpu-busy")
    applies(bool(busy), "nothing that it looks for was seen")
    known = [device for device in around.gpus(facts) if device.compute_mode is not None]
    closed = [device for device in known if device.compute_mode != "default"]
    held = facts.stated("busy-and-held")
    said = facts.stated("compute-mode-said")
    if not closed and not held and not said:
        need(known or None, "compute_mode")
        need(None, "the kernel log: what else makes the GPU unavailable")
    gpu = next((fact.value("gpu") for fact in held if fact.value("gpu")), None)
    if closed or said or gpu is None:
        title = "The GPU's compute mode blocks this program" if closed or said else "Another process blocks the GPU"
    else:
        title = f"Another process uses GPU {gpu}, which was assigned to this job, and blocks it"
    yield Problem(
        title=title,
        devices=tuple(device.id for device in closed),
        evidence=(
            *(Evidence(fact=f"{device.id} compute_mode", value=str(device.compute_mode)) for device in closed[:4]),
            *quoted((*busy, *said)),
        ),
        remedies=(
            Remedy(
                text="Check the mode and the processes of each GPU; use a free one, or stop the process that blocks "
                "it.",
                command="nvidia-smi --query-gpu=index,compute_mode,memory.used --format=csv",
                action="admin",
            ),
            Remedy(text="Allow all processes to use the GPUs.", command="sudo nvidia-smi -c 0", action="admin"),
        ),
    )
