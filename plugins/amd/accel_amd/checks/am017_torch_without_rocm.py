from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, need, quoted
from accel_amd import signs


@check(
    code="AM017",
    name="torch-without-rocm",
    layer="framework",
    family="torch-cpu-build-on-gpu-machine",
    reads=("no-gpu-usable", "no-gpu-seen", "torch-not-compiled-with-cuda", *signs.AMD_NAMED, *signs.NVIDIA_NAMED),
    needs=("amd.devices", "framework.torch.built_for"),
    requires=("rocm-on-wsl",),
)
def torch_without_rocm(facts: Facts, specs: Specs) -> Problems:
    """torch is a CPU build, but the machine has an AMD graphics card and no NVIDIA one.

    Why it matters   Everything runs on the CPU, or stops with "Torch not compiled with CUDA enabled". If the index has
                     no folder for the requested ROCm, pip installs the CPU build from PyPI.
    What to do       Install the ROCm build of the same torch from an index that has it.
    Looks at         torch's build; whether it finds a GPU; the cards listed or named
    Silent when      torch is a ROCm build; there is only integrated graphics, or an NVIDIA GPU; nothing needs a GPU
    Source           PyTorch: get started; torch/cuda/__init__.py
    """
    target = _target(facts)
    applies(signs.amd_card_seen(facts) or target is not None, "no AMD GPU is listed or mentioned")
    torch = signs.torch(facts)
    refused = facts.stated("torch-not-compiled-with-cuda")  # a ROCm build of torch does not say so
    if facts.seen("nvidia") or (torch is None and not refused) or facts.host.system == "macos":
        return
    built_for = torch.built_for if torch is not None else None
    if torch is not None and torch.available is False and not refused:
        need(built_for, "what torch was built for")
    if (built_for or ("cpu" if refused else None)) != "cpu":
        return
    wanted = facts.stated("torch-not-compiled-with-cuda", "no-gpu-usable", "no-gpu-seen")
    if not wanted and (torch is None or torch.available is not False):
        return
    name = next(iter(signs.cards(facts)), None)
    built = f"torch {torch.version or '?'}" + (f"+{torch.variant}" if torch.variant else "") if torch else None
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title=f"PyTorch is a CPU build, but this machine has a {name or f'GPU of the target {target}'}",
        devices=tuple(device.id for device in facts.of("amd")),
        evidence=(
            *((Evidence(fact="torch's build", value=built),) if built else ()),
            *quoted(wanted, most=2),
            *(quoted(facts.stated("gfx-named"), most=1) if name is None else ()),
        ),
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Replace it with the ROCm build",
                on=machine_of(facts, specs, "amd", name=name, code=target if name is None else None),
                build="cpu",
            ),
        ),
    )


def _target(facts: Facts) -> str | None:
    """Return the target of the text's GPU; None if it names none, or several."""
    named = {fact.value("target") for fact in facts.stated("gfx-named")}
    return named.pop() if len(named) == 1 else None
