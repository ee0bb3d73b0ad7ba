from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around, xid


@check(
    code="NV073",
    name="inforom-corrupted",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("inforom-corrupt",),
    needs=("nvidia.devices",),
)
def inforom_corrupted(facts: Facts, specs: Specs) -> Problems:
    """The board's InfoROM, which stores its serial number, settings and error counts, is corrupted.

    Why it matters   The GPU still works, but error and retirement counts are no longer stored reliably.
    What to do       Power the machine off and on once; if the warning remains, send the board to service.
    Looks at         NVML's check of its checksums; nvidia-smi's warning below its table; NVML error 14; DCGM's message
    Silent when      the checksums are valid, or were not checked and no tool reports an error
    Source           NVML API: NVML_ERROR_CORRUPTED_INFOROM, nvmlDeviceValidateInforom
    """
    found = facts.stated("inforom-corrupt")
    failed = tuple(device.id for device in around.gpus(facts) if device.inforom_valid is False)
    if not found and not failed:
        around.must_know(facts, "inforom_valid")
    else:
        yield Problem(
            title=f"The InfoROM of a GPU is corrupted{xid.where(found)}",
            devices=tuple(sorted({*xid.gpus_at(facts, found), *(f.device for f in found if f.device), *failed})),
            evidence=(*quoted(found), *(Evidence(fact=f"{name} inforom_valid", value="no") for name in failed[:4])),
            remedies=(
                Remedy(
                    text="If the warning stays after a power cycle, collect the report and have the board "
                    "replaced: no tool can repair it on site. The GPU keeps working until then.",
                    command="sudo nvidia-bug-report.sh",
                    action="service",
                    kind="ask",
                ),
                Remedy(text="Power cycle: switch the machine off and on once.", action="reboot"),
            ),
        )
