from accel.facts.makers import makers_shown
from accel.resolver.hosts import is_jetson
from accel.resolver.typed import is_typed
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Specs, applies, check, need, quoted
from accel_nvidia import around


@check(
    code="NV050",
    name="torch-cpu-build-on-gpu-machine",
    layer="framework",
    reads=(
        "add-on-built-for-other-torch",
        "torch-from-public-index",
        "torch-not-compiled-with-cuda",
        "torch-cuda-none",
        "no-kernel-image",
        "smi-works-said",
        "torch-build-asked",
        *("cuda-only-said", "nvidia-gpu-named", "nvidia-module-absent"),
        around.BRAND,
        *around.NO_GPU,
        *around.AROUND,
    ),
    needs=("framework.torch.built_for",),
)
def torch_cpu_build(facts: Facts, specs: Specs) -> Problems:
    """The machine has an NVIDIA GPU, but the installed PyTorch was built without CUDA.

    Why it matters   Everything runs on the CPU, or stops with "Torch not compiled with CUDA enabled".
    What to do       Reinstall PyTorch from the index of a CUDA version that the driver supports.
    Looks at         what torch was built for: its version (+cpu), its CUDA version, conda's build string; messages of
                     torch and xFormers; the build that the install command requested; the GPU and the driver
    Silent when      torch is a CUDA, ROCm or other GPU build; macOS; an AMD machine. Undecided if torch is a CPU build
                     and nothing shows a GPU
    Source           PyTorch: torch/cuda/__init__.py; wheel variants on PyTorch's index
    """
    torch = facts.framework("torch")
    jetson = _of_public_index(facts, specs)
    if jetson is not None:
        yield jetson
        return
    if torch is None or torch.built_for != "cuda":
        from accel_nvidia.conda_pairs import pair_without_build

        if (unbuilt := pair_without_build(facts, specs)) is not None:
            yield unbuilt
            return
    if torch is not None and torch.built_for == "rocm":
        return  # it also prints "not compiled with CUDA"
    asked = facts.stated("torch-not-compiled-with-cuda")
    versions = facts.stated("torch-cuda-none") + _asked_for(facts)
    add_on = [
        f for f in facts.stated("add-on-built-for-other-torch") if _moved_to_cpu(f.value("wants"), f.value("has"))
    ]
    if (wrong := _of_other_vendor(facts, specs)) is not None:
        yield wrong
        return
    if torch is not None and torch.built_for not in (None, "cpu") and not asked:
        return
    is_cpu = bool(add_on) or (torch is not None and torch.built_for == "cpu") or bool(asked)
    if not is_cpu and not (torch is None or torch.built_for is None):
        return
    if not is_cpu and not versions:
        applies(torch is not None, "no torch found")
        need(torch.built_for if torch else None, "what torch was built for")
    applies(facts.host.system != "macos", "macOS has no CUDA")
    nvidia = facts.seen("nvidia")
    nvidia = nvidia or bool(facts.stated("no-kernel-image", "smi-works-said", around.BRAND))
    applies(nvidia or not around.amd_seen(facts), "the GPU is from AMD")
    others = any(d.backend != "nvidia" for d in facts.accelerators)
    others = others or any(f.built_for not in (None, "cpu", "cuda") for f in facts.environment.frameworks)
    others = others or (bool(facts.stated("cuda-only-said")) and bool(makers_shown(facts, specs) - {"nvidia"}))
    applies(nvidia or not others, "the accelerator is from another vendor")
    if not (nvidia or add_on or asked):
        need(None, "whether this machine has an NVIDIA GPU")
    evidence = quoted((*asked, *versions, *add_on))
    if torch is not None and torch.built_for == "cpu":
        built = f"torch {torch.version or '?'}" + (f"+{torch.variant}" if torch.variant else ", no CUDA")
        evidence = (Evidence(fact="torch's build", value=built), *evidence)
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title="PyTorch is a CPU build, but this machine has an NVIDIA GPU"
        if nvidia
        else "PyTorch is a CPU build, but the program requests CUDA",
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=evidence,
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Install the CUDA build that this driver and GPU support",
                on=machine_of(facts, specs, "nvidia"),
                build="cpu" if is_cpu and (torch is None or torch.built_for in (None, "cpu")) else None,
            ),
        ),
        severity=None if nvidia or add_on else "warning",
    )


def _of_other_vendor(facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem of a torch built for another vendor's devices, where only NVIDIA's driver or GPU is shown."""
    torch = facts.framework("torch")
    maker = specs.hints.builds.get(torch.built_for or "") if torch is not None else None
    if torch is None or maker is None or torch.available:
        return None
    shown = facts.of("nvidia") or facts.stated("nvidia-gpu-named", "nvidia-module-absent", around.BRAND)
    others = facts.of(maker) or facts.stated(*specs.hints.named_by.get(maker, ()))
    if not shown or others or not (facts.stated(*around.NO_GPU) or torch.available is False):
        return None
    from accel.resolver.remedies import install, machine_of

    built = f"{torch.version or '?'}{f'+{torch.variant}' if torch.variant else ''}"
    on = machine_of(facts, specs, "nvidia")
    text = "Once nvidia-smi lists the GPU, replace it by the CUDA build that the driver and the GPU support"
    return Problem(
        title=f"PyTorch {built} is a build for another vendor's GPUs: it has no CUDA, whatever the driver does",
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=(Evidence(fact="torch's build", value=built), *quoted(facts.stated(*around.NO_GPU)[:1])),
        remedies=(install(facts, specs, "torch", text=text, on=on),),
        severity="warning",
    )


def _asked_for(facts: Facts) -> tuple[Fact, ...]:
    """Return what requested the CPU build, an index or plain pip on Windows, if the driver works and torch does not."""
    torch = facts.framework("torch")
    known = torch is not None and torch.built_for is not None
    unseen = around.sees_no_gpu(facts) or (torch is not None and torch.available is False)
    if known or not unseen or not (around.driver_version(facts) or facts.stated("smi-works-said")):
        return ()
    asked = facts.stated("torch-build-asked")
    plain = facts.stated("torch-from-public-index") if around.on_windows(facts) and not asked else ()
    return (*(fact for fact in asked if fact.value("kind") == "cpu"), *plain)  # PyPI has no CUDA build for Windows


def _of_public_index(facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem of a Jetson with torch from PyPI, whose wheels have no code for its GPU.

    Thor is excluded: from CUDA 13 on the standard aarch64 wheels support it.
    """
    boards = [d for d in facts.of("nvidia") if "Thor" not in (d.name or "")]
    torch = facts.framework("torch")
    told = facts.stated("torch-from-public-index")
    unseen = (torch is not None and torch.available is False) or (not boards and around.sees_no_gpu(facts))
    if not is_jetson(facts, specs) or not unseen or (torch is not None and ".nv" in (torch.variant or "")):
        return None
    if not told and not is_typed(facts, "torch") and (torch is None or torch.built_for != "cpu"):
        return None
    from accel.resolver.jetson import torch_of_jetson  # few machines are Jetsons

    board = (boards[0].name if boards else None) or "Jetson"
    evidence: tuple[Evidence, ...] = (
        Evidence(fact="torch.cuda.is_available()", value="False"),
        Evidence(fact="board", value=board),
    )
    return Problem(
        title=f"PyTorch is a build from the public index, which has no code for the GPU of a {board}",
        devices=tuple(d.id for d in boards),
        evidence=(*quoted(told), *evidence),
        remedies=(torch_of_jetson(facts, specs),),
    )


def _moved_to_cpu(built: str | None, have: str | None) -> bool:
    return "+cu" in (built or "") and "+cpu" in (have or "")
