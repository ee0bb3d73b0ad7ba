from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, applies, check, need, quoted
from accel_amd import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AM017",
    name="torch-without-rocm",
    layer="framework",
    family="torch-cpu-build-on-gpu-machine",
    reads=("no-gpu-usable", "no-gpu-seen", "torch-not-compiled-with-cuda", *signs.AMD_NAMED, *signs.NVIDIA_NAMED),
    needs=("amd.devices", "framework.torch.built_for"),
    requires=("rocm-on-wsl",),
)
def torch_without_rocm(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """torch is a CPU build, but the machine has an AMD graphics card and no NVIDIA one.

    Why it matters   Everything runs on the CPU, or stops with "Torch not compiled with CUDA enabled". If the index has
                     no folder for the requested ROCm, pip installs the CPU build from PyPI.
    What to do       Install the ROCm build of the same torch from an index that has it.
    Looks at         torch's build; whether it finds a GPU; the cards listed or named
    Silent when      torch is a ROCm build; there is only integrated graphics, or an NVIDIA GPU; nothing needs a GPU
    Source           PyTorch: get started; torch/cuda/__init__.py
    """
    applies(signs.amd_card_seen(facts), "no AMD GPU is listed or mentioned")
    torch = signs.torch(facts)
    if facts.seen("nvidia") or torch is None or facts.host.system == "macos":
        return
    if torch.available is False:
        need(torch.built_for, "what torch was built for")
    if torch.built_for != "cpu":
        return
    wanted = facts.stated("torch-not-compiled-with-cuda", "no-gpu-usable", "no-gpu-seen")
    if not wanted and torch.available is not False:
        return
    name = signs.cards(facts)[0]
    built = f"torch {torch.version or '?'}" + (f"+{torch.variant}" if torch.variant else "")
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title=f"PyTorch is a CPU build, but this machine has a {name}",
        devices=tuple(device.id for device in facts.of("amd")),
        evidence=(Evidence(fact="torch's build", value=built), *quoted(wanted, most=2)),
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Replace it with the ROCm build",
                on=machine_of(facts, specs, "amd", name=name),
                build="cpu",
            ),
        ),
    )
