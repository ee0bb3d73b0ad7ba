from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_amd.gpu_remedies import reset
from accel_amd.model import AmdDevice

_HIGHEST: Final = 110.0  # °C at the junction: no AMD board has a higher limit (RDNA 110, Instinct 100 to 105)


@check(
    code="AM008",
    name="amd-gpu-unhealthy",
    layer="hardware",
    reads=("amd-uncorrectable-error",),
    needs=("amd.devices",),
)
def amd_gpu_unhealthy(facts: Facts, specs: Specs) -> Problems:
    """A GPU counts uncorrectable memory errors, or has reached its slowdown temperature.

    Why it matters   Uncorrected errors end programs or corrupt results; a hot GPU slows down without an error.
    What to do       Reset the GPU, and contact service if errors return; for heat check the airflow.
    Looks at         RAS counts since the driver was loaded; kernel messages about such errors; junction and memory
                     temperatures and their limits
    Silent when      counts are unknown, or no limit is reached; where a board's limit is unknown, the highest counts
    Source           Linux amdgpu: RAS support; amd-smi: metric, static
    """
    told = facts.stated("amd-uncorrectable-error")
    if told:
        where = next((address for fact in told if (address := fact.value("pci"))), None)
        yield Problem(
            title=f"The AMD GPU{f' {where}' if where else ''} reports an uncorrectable error",
            detail="Other GPUs that log errors at the same time are reporting the reset that follows.",
            evidence=quoted(told),
            remedies=fixes(specs, "amd", "reset-gpu", "replace-if-same-address"),
        )
    for device in facts.of("amd"):
        if not isinstance(device, AmdDevice):
            continue
        if device.ecc_uncorrected:
            count = str(device.ecc_uncorrected)
            yield Problem(
                title=f"{device.id} has {count} uncorrectable memory errors",
                devices=(device.id,),
                evidence=(Evidence(fact="ecc_uncorrected", value=_by_block(device, count)),),
                remedies=(reset(device),),
            )
        for name, now, limit in (
            ("junction", device.junction_temperature_celsius, device.slowdown_celsius or _HIGHEST),
            ("memory", device.memory_temperature_celsius, device.memory_slowdown_celsius),
        ):
            if now is not None and limit and now >= limit:
                yield Problem(
                    title=f"{device.id} is at {now:.0f} °C ({name}), the temperature at which it throttles",
                    devices=(device.id,),
                    evidence=(Evidence(fact=f"{name}_temperature_celsius", value=f"{now:.0f} (limit {limit:.0f})"),),
                    remedies=fixes(specs, "amd", "fan-stands-still")
                    if device.fan_percent == 0 or device.fan_rpm == 0
                    else fixes(specs, "amd", "compare-neighbours", "clean-fans"),
                    severity="warning",
                    verification={
                        "text": "Under load, the temperature stays below the limit, and the clock stays up.",
                        "command": "amd-smi metric --temperature --clock --fan",
                    },
                )


def _by_block(device: AmdDevice, count: str) -> str:
    return f"{count}: {', '.join(device.ecc_uncorrected_in)}" if device.ecc_uncorrected_in else count
