from typing import Final

from accel.facts.containers import in_container
from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

_NO_LIBRARY: Final = ("torch-found-no-driver", "libcuda-missing", "driver-insufficient", "cuda-stub-loaded")


@check(
    code="NV097",
    name="driver-capabilities-missing",
    layer="access",
    family="container-without-gpu",
    reads=(
        *("driver-capabilities-set", "driver-capabilities-unset", "driver-capabilities-helped"),
        *("smi-without-cuda", "smi-works-said", *_NO_LIBRARY, *around.NO_GPU, *around.AROUND),
        *("container-started-without-gpu", "gpu-option-behind-image"),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("cuda-torch-on-amd-machine", "torch-cpu-build-on-gpu-machine", "k8s-nvidia-runtime-missing"),
)
def driver_capabilities_missing(facts: Facts, specs: Specs) -> Problems:
    """The container has the driver's files for nvidia-smi (utility) but not those for CUDA (compute).

    Why it matters   nvidia-smi works inside, but CUDA programs find no driver.
    What to do       Set NVIDIA_DRIVER_CAPABILITIES=compute,utility for the container.
    Looks at         the variable; "CUDA Version: N/A" in nvidia-smi; a working nvidia-smi where libcuda is missing
    Silent when      no container is involved, or the container was started without the GPU
    Source           NVIDIA container toolkit: driver capabilities
    """
    fails = around.inside(facts.stated(*_NO_LIBRARY, *around.NO_GPU))
    unseen = any(f.available is False for f in facts.environment.frameworks)
    helped = facts.stated("driver-capabilities-helped")
    lacking = tuple(fact for fact in facts.stated("driver-capabilities-set") if _lacks_compute(fact.value("value")))
    value = facts.variable("NVIDIA_DRIVER_CAPABILITIES")
    container = in_container(facts)
    no_cuda = facts.stated("smi-without-cuda") if container and not facts.on_wsl else ()
    unset = facts.stated("driver-capabilities-unset") if container else ()
    no_library = around.inside(facts.stated("torch-found-no-driver", "libcuda-missing"))
    said = facts.stated("smi-works-said") if container and no_library else ()
    by_variable = value is not None and _lacks_compute(value)
    if facts.stated("container-started-without-gpu", "gpu-option-behind-image") and not (helped or lacking):
        return
    if not helped and not ((lacking or by_variable or no_cuda or unset or _only_inside(said)) and (fails or unseen)):
        return
    yield Problem(
        title="The container lacks CUDA's driver library: NVIDIA_DRIVER_CAPABILITIES does not include compute",
        evidence=quoted((*helped[:1], *lacking[:1], *unset[:1], *no_cuda[:1], *said[:1], *fails[:2])),
        remedies=fixes(specs, "nvidia", "driver-capabilities-missing"),
    )


def _lacks_compute(value: str | None) -> bool:
    parts = {part.strip().lower() for part in (value or "").split(",")}
    return bool(parts & {"utility", "video", "graphics", "display", "ngx"}) and not parts & {"compute", "all"}


def _only_inside(said: tuple[object, ...]) -> bool:
    """Return whether the text says that nvidia-smi works inside the container, not only on the host."""
    return any(
        getattr(fact, "scope", None) == "container" or "container" in str(getattr(fact, "text", "")).lower()
        for fact in said
    )
