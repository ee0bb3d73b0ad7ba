from typing import Final

from accel.resolver.programs import foreign_device
from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted

_FOR_CUDA: Final = ("torch-not-compiled-with-cuda", "cuda-build-finds-no-driver", "no-cuda-gpus")


@check(
    code="IN003",
    name="torch-without-xpu",
    layer="framework",
    family="torch-cpu-build-on-gpu-machine",
    reads=("torch-without-xpu", "xpu-not-found", "intel-named", "nvidia-gpu-named", "cuda-only-said", *_FOR_CUDA),
    needs=("use.torch",),
)
def torch_without_xpu(facts: Facts, specs: Specs) -> Problems:
    """A program requested Intel's GPU, but torch is built for something else.

    Why it matters   The default wheel is for CUDA or the CPU; only the XPU wheel supports Intel GPUs.
    What to do       Install torch from the XPU index.
    Looks at         "Torch not compiled with XPU enabled", torch.xpu._is_compiled(), a torch without the module xpu; a
                     torch whose label names CUDA, ROCm or the CPU and that finds no XPU
    Silent when      there is no such message, and torch's build is unknown; the program is written for CUDA alone
    Source           PyTorch: torch/xpu/__init__.py; notes/get_start_xpu
    """
    said = facts.stated("torch-without-xpu")
    torch = facts.framework("torch")
    other = torch is not None and torch.built_for in ("cuda", "rocm", "cpu")
    if not said and other and facts.stated("intel-named", "xpu-not-found") and not facts.of("nvidia"):
        said = tuple(fact for fact in facts.stated("xpu-not-found") if "torch" in fact.text.lower())
    asked = () if facts.stated("cuda-only-said") else facts.stated(*_FOR_CUDA)
    device = foreign_device(facts, specs) if asked and not said else None
    if device is not None and device.backend == "intel" and (torch is None or other):
        said = asked  # the program would use a GPU, but torch is built for none of this vendor's
    if not said:
        return
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title="This PyTorch was built without XPU",
        devices=tuple(device.id for device in facts.of("intel")),
        evidence=quoted(said),
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Install the build for Intel GPUs",
                on=machine_of(facts, specs, "intel"),
            ),
        ),
    )
