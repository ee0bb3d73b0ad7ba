from typing import Final

from accel.facts.containers import CONTAINER, container_options, in_container
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_intel.runtime_install import of_runtime

_INSIDE: Final = (
    Remedy(
        text="Pass the render nodes and their group to the container.",
        command='docker run --device /dev/dri --group-add "$(stat -c %g /dev/dri/renderD128)" IMAGE sycl-ls',
        action="env",
    ),
    Remedy(
        text="If the render nodes are in the container, its compute runtime is older than the GPU or the host's "
        "kernel driver: use a newer image, or install a newer compute runtime in it.",
        command="dpkg -l | grep -E 'libze-intel-gpu1|intel-level-zero-gpu|intel-opencl-icd'; uname -r",
        action="env",
    ),
)
_LOOK: Final = Remedy(
    text="Check what SYCL sees, and whether the nodes can be opened.",
    command="sycl-ls; ls -l /dev/dri",
    action="env",
    kind="look",
)


@check(
    code="IN004",
    name="xpu-not-found",
    layer="toolkit",
    reads=(
        "xpu-not-found",
        "sycl-lists-processors",
        "works-on-host-alone",
        "intel-named",
        "intel-npu-named",
        *CONTAINER,
    ),
    needs=("use.torch",),
    requires=("torch-without-xpu", "level-zero-missing", "oneapi-version-mismatch"),
)
def xpu_not_found(facts: Facts, specs: Specs) -> Problems:
    """PyTorch has XPU support, but its runtime lists no GPU.

    Why it matters   The kernel driver is not enough: compute also needs the compute runtime and the Level Zero loader.
    What to do       Install both; check that the render nodes open and that no variable hides the GPU.
    Looks at         "No XPU devices are available", "device not found" of SYCL and OpenCL, Level Zero without a driver;
                     sycl-ls lists with only CPUs, in texts about Intel's GPU runtime
    Silent when      there is no such message; the Level Zero loader or a oneAPI library is missing, which comes first
    Source           PyTorch: c10/xpu/XPUFunctions.cpp; github.com/intel/compute-runtime
    """
    said, listed = facts.stated("xpu-not-found"), facts.stated("sycl-lists-processors")
    if facts.stated("intel-npu-named"):  # whose Level Zero gives the same number
        said = tuple(fact for fact in said if "xpu" in fact.text.lower() or "sycl" in fact.text.lower())
    if not facts.stated("intel-named"):  # no OpenCL driver of any vendor is registered
        said = tuple(fact for fact in said if fact.value("code") != "-1001" and "1001" not in fact.text)
    on_host_alone = bool(facts.stated("works-on-host-alone"))
    inside = bool(listed) and (on_host_alone or all(fact.scope == "container" for fact in listed))
    if not said and (not listed or (facts.accelerators and not inside) or not facts.stated("intel-named")):
        return
    if inside and facts.of("intel"):
        yield Problem(
            title="SYCL lists processors in the container, but no GPU, although the host has one",
            evidence=quoted((*said, *listed)),
            remedies=_INSIDE,
        )
        return
    late, is_late, _ = of_runtime(facts, specs).text.partition(" is older than this GPU")
    yield Problem(
        title=(_title(facts) if said else "SYCL lists processors, but no GPU")
        + (f": {late}{is_late}" if is_late else ""),
        devices=tuple(device.id for device in facts.of("intel")),
        evidence=quoted((*said, *listed)),
        remedies=_remedies(facts, specs),
    )


def _of_openvino(facts: Facts) -> bool:
    words = ("[GPU]", "m_device_map", "OpenVINO")
    return any(word in fact.text for fact in facts.stated("xpu-not-found") for word in words)


def _title(facts: Facts) -> str:
    if _of_openvino(facts):
        return "OpenVINO's GPU plugin finds no Intel GPU"
    return "PyTorch's XPU runtime finds no GPU"


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    given = container_options(facts)
    if given is not None and "/dev/dri" not in given and "privileged" not in given:
        return _INSIDE
    if given is None and in_container(facts) and _of_openvino(facts) and not facts.stated("sycl-lists-processors"):
        return _INSIDE
    install = of_runtime(facts, specs)
    if facts.stated("sycl-lists-processors"):  # checked
        return (_INSIDE[1], _LOOK) if in_container(facts) else (install, _LOOK)
    return (_LOOK, install)
