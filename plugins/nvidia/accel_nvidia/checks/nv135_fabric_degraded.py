from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel_nvidia import around


@check(
    code="NV135",
    name="fabric-degraded",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    needs=("nvidia.devices",),
    explained_by=("nvlink-down", "nvswitch-fault", "gpu-xid", "gpu-lost", "fabric-not-ready"),
)
def fabric_degraded(facts: Facts, specs: Specs) -> Problems:
    """A GPU is registered in the NVLink fabric, but the driver reports it as degraded or unhealthy.

    Why it matters   Traffic between GPUs is slow, or fails under load, without an error at startup.
    What to do       Check for links that are down and for switch errors; restart the fabric manager; then service.
    Looks at         fabric_health of each GPU
    Silent when      it is healthy, the driver is older than 555, or there is no such fabric
    Source           NVML API: NVML_GPU_FABRIC_HEALTH_MASK_*, nvmlGpuFabricInfo_v3_t
    """
    ill = [device for device in around.gpus(facts) if device.fabric_health not in (None, "healthy")]
    for device in ill:
        yield Problem(
            title=f"{device.id} is not healthy in the NVLink fabric: {device.fabric_health}",
            devices=(device.id,),
            evidence=(Evidence(fact="fabric_health", value=device.fabric_health or ""),),
            remedies=(
                Remedy(
                    text="Check which links are down, and what the switches report.",
                    command="nvidia-smi nvlink --status; sudo dmesg -T | grep -i sxid",
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="Restart the fabric manager when no job is running.",
                    command="sudo systemctl restart nvidia-fabricmanager",
                    action="admin",
                ),
                Remedy(text="If it persists, have the board or the switch replaced.", action="service", kind="ask"),
            ),
        )
    if not ill:
        around.must_know(facts, "fabric_health")
