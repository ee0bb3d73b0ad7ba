from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word


@check(
    code="IN005",
    name="intel-gpu-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("intel-gpu-part",),
    needs=("intel.devices", "source.kernel log"),
)
def intel_gpu_unhealthy(facts: Facts, specs: Specs) -> Problems:
    """xpu-smi reports a part of a GPU (memory, temperature, power, Xe Link, frequency) as warning or critical.

    Why it matters   Memory errors corrupt results or end programs; heat and power limits cost speed without an error.
    What to do       Read the part's description; for heat check the airflow, for memory run a diagnosis; then service.
    Looks at         the status of each part: xpu-smi health
    Silent when      every part is Ok or Unknown, or xpu-smi was not run
    Source           github.com/intel/xpumanager: xpu-smi user guide, "health"
    """
    events = facts.stated("intel-gpu-part")
    for status in ("critical", "warning"):
        bad = [event for event in events if event.value("status") == status]
        if not bad:
            continue
        devices = tuple(dict.fromkeys(event.device for event in bad if event.device))
        parts = ", ".join(dict.fromkeys(event.value("part") or "" for event in bad))
        number = devices[0].rpartition(":")[2] if devices else "0"
        yield Problem(
            title=f"{', '.join(devices[:4])}: xpu-smi reports {status} ({parts})",
            devices=devices,
            evidence=quoted(bad),
            remedies=(
                Remedy(
                    text="Run the quick diagnosis when nothing runs on it, and read the kernel's log.",
                    command=command_line("sudo xpu-smi diag -d", number_word(number), "-l 1"),
                    action="admin",
                ),
            ),
            severity="error" if status == "critical" else "warning",
        )
