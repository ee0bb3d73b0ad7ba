from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel.vendors.contract.command import command_line, number_word
from accel_nvidia import around


@check(code="NV035", name="ecc-off", layer="hardware", severity="info", needs=("nvidia.devices",))
def ecc_off(facts: Facts, specs: Specs) -> Problems:
    """ECC is off on a data-center GPU.

    Why it matters   A flipped memory bit goes unnoticed into results.
    What to do       Enable it, then reset the GPU; it may be off on purpose.
    Looks at         ecc_enabled; whether the spec markets the model for data centers
    Silent when      the model is not for data centers, or either fact is unknown
    Source           NVML API: nvmlDeviceGetEccMode
    """
    found = False
    for device in around.gpus(facts):
        if device.ecc_enabled is not False or not (device.name or device.pci_id):
            continue
        chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id)
        if chip is None or not chip.marketed_for_datacenter:
            continue
        found = True
        yield Problem(
            title=f"Error correction is off on {device.id}",
            devices=(device.id,),
            evidence=(Evidence(fact="ecc_enabled", value="no"),),
            remedies=(
                Remedy(
                    text="Turn it on; this takes effect after a reset.",
                    command=command_line(
                        *("sudo nvidia-smi -i", number_word(device.index), "-e 1 &&"),
                        *("sudo nvidia-smi --gpu-reset -i", number_word(device.index)),
                    ),
                    action="reset",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "ecc_enabled")
