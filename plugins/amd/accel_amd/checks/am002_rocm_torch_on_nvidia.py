from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, quoted
from accel_amd import signs


@check(
    code="AM002",
    name="rocm-torch-on-nvidia",
    layer="framework",
    reads=("rocm-torch-named", "hip-no-code", *signs.AMD_NAMED, *signs.NVIDIA_NAMED),
    needs=("nvidia.devices", "framework.torch"),
)
def rocm_torch_on_nvidia(facts: Facts, specs: Specs) -> Problems:
    """torch is a ROCm build, but this machine's GPU is NVIDIA's.

    Why it matters   A ROCm build cannot use an NVIDIA GPU. Installers choose it when they find an AMD processor's
                     integrated graphics first.
    What to do       Install the CUDA build of the same torch.
    Looks at         torch's build; AMD and NVIDIA GPUs listed or named
    Silent when      an AMD card in the same machine may be meant, or torch finds a GPU
    Source           PyTorch: get started
    """
    torch = signs.torch(facts)
    named = facts.stated("rocm-torch-named")
    applies(signs.is_rocm(torch) or (bool(named) and not signs.is_cuda(torch)), "torch is not a ROCm build")
    if torch is not None and torch.available is True:
        return
    if not facts.seen("nvidia") or signs.amd_card_seen(facts) or facts.stated("hip-no-code"):
        return
    version = torch.version if torch is not None and torch.version else "a ROCm build"
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title="torch is a ROCm build, but this machine's GPU is from NVIDIA",
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=(
            Evidence(fact="torch", value=version),
            *quoted(named, most=1),
            *quoted(facts.stated("nvidia-gpu-named"), most=1),
        ),
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Replace it with the CUDA build",
                on=machine_of(facts, specs, "nvidia", name=next(iter(_named_gpus(facts)), None)),
            ),
        ),
    )


def _named_gpus(facts: Facts) -> list[str]:
    return [name for fact in facts.stated("nvidia-gpu-named") if (name := fact.value("name"))]
