from collections import Counter
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel_nvidia import around

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice


@check(
    code="NV163",
    name="gpu-firmware-unlike-siblings",
    layer="hardware",
    severity="info",
    needs=("nvidia.devices.vbios_version",),
)
def gpu_firmware_unlike_siblings(facts: Facts, specs: Specs) -> Problems:
    """GPUs of the same model in one machine have different VBIOS versions.

    Why it matters   The VBIOS sets power, temperature and clock limits: such a GPU may be slower or hotter than the
                     others. Often it is a replaced board.
    What to do       Compare the boards' part numbers; update equal boards to one version with the vendor's tool.
    Looks at         vbios_version, by model
    Silent when      there is one GPU of a model, or its VBIOS is unknown; only the last part of the version differs,
                     which distinguishes board variants. A difference between boards of different makers is normal
    Source           NVML API: nvmlDeviceGetVbiosVersion
    """
    by_model: dict[str, list[NvidiaDevice]] = {}
    for device in around.gpus(facts):
        if device.name and device.vbios_version:
            by_model.setdefault(device.name, []).append(device)
    found = False
    for model, devices in by_model.items():
        counted = Counter(_release(device) for device in devices)
        usual, most = counted.most_common(1)[0]
        odd = tuple(device for device in devices if _release(device) != usual)
        if not odd:
            continue
        found = True
        named = odd if most > len(odd) or most > 1 else devices
        yield Problem(
            title=f"GPUs of the same model ({model}) run different VBIOS versions: {', '.join(sorted(counted))}",
            devices=tuple(device.id for device in named),
            evidence=tuple(
                Evidence(fact=f"vbios_version of {device.id}", value=device.vbios_version or "")
                for device in devices[:8]
            ),
            remedies=(
                Remedy(
                    text="Compare the boards' part numbers: equal ones should run one VBIOS. The machine's "
                    "manufacturer has the tool and the image.",
                    command="nvidia-smi --query-gpu=index,name,vbios_version,serial --format=csv",
                    action="admin",
                    kind="look",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "vbios_version")


def _release(device: "NvidiaDevice") -> str:
    """Return the version without its last part, which distinguishes board variants."""
    return (device.vbios_version or "").rpartition(".")[0]
