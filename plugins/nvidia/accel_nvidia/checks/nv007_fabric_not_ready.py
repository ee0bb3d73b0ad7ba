from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around
from accel_nvidia.health import fabric_trouble
from accel_nvidia.model import NvidiaDevice


@check(
    code="NV007",
    name="fabric-not-ready",
    layer="driver",
    family="fabric-manager-not-running",
    needs=("nvidia.devices",),
)
def fabric_not_ready(facts: Facts, specs: Specs) -> Problems:
    """A GPU of an NVSwitch system reports that its fabric registration is incomplete or failed.

    Why it matters   CUDA programs on this GPU fail with error 802 until the registration completes.
    What to do       Wait a minute after boot; then restart the fabric manager and read its log.
    Looks at         fabric_state and fabric_status of each GPU
    Silent when      the state is completed, not supported, or unknown
    Source           NVML API: nvmlGpuFabricInfo_t
    """
    waiting: list[NvidiaDevice] = []
    failed: list[NvidiaDevice] = []
    for device in facts.of("nvidia"):
        if not isinstance(device, NvidiaDevice) or device.fabric_state is None:
            continue
        trouble = fabric_trouble(device.fabric_state, device.fabric_status)
        if trouble is not None:
            (waiting if trouble == "waiting" else failed).append(device)
    for devices, words in (
        (waiting, "is not registered in the NVLink fabric"),
        (failed, "failed to register in the fabric"),
    ):
        if not devices:
            continue
        yield Problem(
            title=f"{len(devices)} of {len(facts.of('nvidia'))} GPUs: the GPU {words}",
            devices=tuple(d.id for d in devices),
            evidence=tuple(
                Evidence(fact=f"{d.id} fabric", value=f"{d.fabric_state}, {d.fabric_status or 'no status'}")
                for d in devices[:4]
            ),
            remedies=fixes(specs, "nvidia", "restart-fabric-manager"),
        )
    if not waiting and not failed:
        around.must_know(facts, "fabric_state")
