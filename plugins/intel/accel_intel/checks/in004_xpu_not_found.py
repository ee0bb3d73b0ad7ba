"""No XPU is found by PyTorch's XPU build."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="IN004",
    name="xpu-not-found",
    layer="toolkit",
    reads=("xpu-not-found", "sycl-lists-processors", "intel-named"),
    needs=("use.torch",),
    requires=("torch-without-xpu", "level-zero-missing", "oneapi-version-mismatch"),
    explained_by=("intel-gpu-without-driver", "intel-gpu-permission"),
)
def xpu_not_found(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """PyTorch has XPU, and its runtime lists no GPU.

    Why it matters   Without the compute runtime and the Level Zero loader the driver alone serves no computation.
    What to do       Install both; see that the render nodes open and that no mask hides the GPU.
    Looks at         "No XPU devices are available", SYCL's and OpenCL's "device not found", Level Zero without a
                     driver; lists of sycl-ls that hold processors alone, where Intel's GPU runtime is spoken of
    Silent when      it was not said; the loader of Level Zero or a library of oneAPI is missing: that comes first
    Source           PyTorch: c10/xpu/XPUFunctions.cpp; github.com/intel/compute-runtime
    """
    said, listed = facts.stated("xpu-not-found"), facts.stated("sycl-lists-processors")
    if not said and (not listed or facts.accelerators or not facts.stated("intel-named")):
        return
    yield Problem(
        title="PyTorch's XPU runtime finds no GPU" if said else "SYCL lists processors, and no GPU",
        devices=tuple(device.id for device in facts.of("intel")),
        evidence=quoted((*said, *listed)),
        remedies=(
            Remedy(
                text="See what SYCL sees, and whether the nodes open.",
                command="sycl-ls; ls -l /dev/dri",
                action="env",
            ),
            Remedy(
                text="Install the compute runtime and the Level Zero loader.",
                command="sudo apt-get install -y libze1 libze-intel-gpu1 intel-opencl-icd",
                action="admin",
            ),
        ),
    )
