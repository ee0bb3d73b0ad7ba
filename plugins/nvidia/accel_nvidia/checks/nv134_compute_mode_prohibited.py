from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel.vendors.contract.command import command_line
from accel_nvidia import around


@check(code="NV134", name="compute-mode-prohibited", layer="access", severity="warning", needs=("nvidia.devices",))
def compute_mode_prohibited(facts: Facts, specs: Specs) -> Problems:
    """A GPU is in compute mode "prohibited": no CUDA program may use it.

    Why it matters   Every program reports that all devices are busy or unavailable, although nothing runs on them.
    What to do       Set the mode to default, unless the GPU is reserved on purpose.
    Looks at         compute_mode of each GPU
    Silent when      another mode is set (exclusive ones included), or it is unknown
    Source           NVML API: nvmlComputeMode_t
    """
    closed = [device for device in around.gpus(facts) if device.compute_mode == "prohibited"]
    if closed:
        ids = ", ".join(device.id for device in closed)
        yield Problem(
            title=f"{ids}: no program may use it, the compute mode is prohibited",
            devices=tuple(device.id for device in closed),
            evidence=(Evidence(fact="compute_mode", value="prohibited"),),
            remedies=(
                Remedy(
                    text="Allow all processes.",
                    command=command_line("sudo nvidia-smi", around.gpu_option(closed), "-c DEFAULT"),
                    action="admin",
                ),
            ),
        )
    if not closed:
        around.must_know(facts, "compute_mode")
