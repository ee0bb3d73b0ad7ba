from accel.facts.containers import in_container
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around


@check(
    code="NV041",
    name="nvml-library-not-found",
    layer="driver",
    severity="warning",
    reads=("nvml-library-absent", *around.AROUND),
    needs=("use.torch|jax|tensorflow",),
    requires=("container-without-gpu", "wsl-driver-libs", "driver-not-loaded", "k8s-nvidia-runtime-missing"),
)
def nvml_library_not_found(facts: Facts, specs: Specs) -> Problems:
    """nvidia-smi or the kernel module answers, but libnvidia-ml.so.1 is not where the loader looks.

    Why it matters   Programs that use the library (monitors, vLLM, container hooks) see no GPU.
    What to do       Reinstall the driver libraries of the same version, or run ldconfig.
    Looks at         what the probe of this machine or a program found of the library, and other signs of the driver
    Silent when      there is no other sign of the driver, or a container is involved
    Source           NVML API: nvmlInit; ld.so(8)
    """
    stated = facts.stated("nvml-library-absent")
    if not stated or not around.driver_version(facts) or (in_container(facts) and not facts.live):
        return
    if facts.host.system == "windows":
        title = "The driver works, but nvml.dll is not found"
        remedy = Remedy(
            text="Find out where the driver installed nvml.dll; add that folder to PATH, or reinstall the driver.",
            command="where /R C:\\Windows\\System32 nvml.dll",
            action="env",
        )
    else:
        title = "The driver works, but the loader does not find libnvidia-ml.so.1"
        remedy = Remedy(
            text="Check whether the library exists; then rebuild the loader's cache, or reinstall the driver.",
            command="sudo ldconfig && ldconfig -p | grep libnvidia-ml",
            action="admin",
        )
    driver = Evidence(fact="driver", value=around.driver_version(facts) or "")
    yield Problem(title=title, evidence=(*quoted(stated), driver), remedies=(remedy,))
