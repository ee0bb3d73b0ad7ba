from typing import Final

from accel.resolver.programs import program_of, system_of
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_amd import signs

_FINDS_NONE: Final = ("no-gpu-usable", "no-gpu-seen", "torch-takes-no-gpu")
_EXTRA: Final = (
    "With --extra-index-url pip also searches PyPI, and takes its newer CUDA build instead of the ROCm index's: use "
    "--index-url, also in the program's own start command (TORCH_COMMAND)."
)


@check(
    code="AM001",
    name="cuda-torch-on-amd-machine",
    layer="framework",
    reads=(
        "cuda-build-finds-no-driver",
        *_FINDS_NONE,
        "torch-not-compiled-with-cuda",
        "rocm-in-use",
        "amd-brand-named",
        *("cuda-wheels-fetched", "rocm-index-as-extra"),
        *signs.AMD_NAMED,
        *signs.NVIDIA_NAMED,
    ),
    needs=("amd.devices", "framework.torch"),
)
def cuda_torch_on_amd_machine(facts: Facts, specs: Specs) -> Problems:
    """torch is a CUDA build, but this machine's only GPU is AMD's.

    Why it matters   A CUDA build cannot use an AMD GPU and reports "Found no NVIDIA driver". Often another package's
                     installation replaced the ROCm build with the default one.
    What to do       Install the ROCm build of the same torch; on Windows the ROCm or DirectML build.
    Looks at         torch's build, the message that only a CUDA build prints, or NVIDIA's libraries fetched with it;
                     AMD and NVIDIA GPUs listed or named
    Silent when      an NVIDIA GPU is listed or named, or the program finds a GPU
    Source           PyTorch: get started; torch/cuda/__init__.py
    """
    here = signs.amd_seen(facts) or (facts.stated("cuda-build-finds-no-driver") and facts.stated("amd-brand-named"))
    applies(bool(here), "no AMD GPU is listed or mentioned")
    torch = signs.torch(facts)
    if facts.seen("nvidia") or signs.is_rocm(torch) or (torch is not None and torch.available is True):
        return
    said = facts.stated("cuda-build-finds-no-driver")
    compiled = facts.stated("torch-not-compiled-with-cuda") if facts.host.system != "macos" else ()
    fails = bool(said or compiled or facts.stated(*_FINDS_NONE)) or (torch is not None and torch.available is False)
    unknown = torch is None or (torch.built_for is None and torch.cuda_version is None)
    # PyPI's Windows builds are for the CPU or for NVIDIA GPUs.
    plain = unknown and facts.first("rocm-in-use") is None and bool(compiled or facts.host.system == "windows")
    fetched = facts.stated("cuda-wheels-fetched") if not signs.is_cuda(torch) and not said else ()
    if not said and not ((signs.is_cuda(torch) or plain or fetched) and fails):
        return
    names = signs.amd_names(facts)
    version = torch.version if torch is not None and torch.version else None
    from accel.resolver.remedies import install, machine_of

    target = machine_of(facts, specs, "amd", name=names[0] if names else None)
    rocm = install(facts, specs, "torch", text="Replace it with the ROCm build", on=target)
    program = program_of(facts, specs)
    system = target.system or (system_of(facts, program) if program is not None else None)
    build = "a CUDA" if said or fetched or signs.is_cuda(torch) else "no ROCm"
    yield Problem(
        title=f"torch is {build} build, but this machine's GPU is from AMD" + (f" ({names[0]})" if names else ""),
        detail=_EXTRA if facts.stated("rocm-index-as-extra") else None,
        evidence=(
            *quoted(said or fetched or compiled, most=2),
            *quoted(facts.stated("amd-gpu-named", "amd-machine"), most=2),
            *((Evidence(fact="torch", value=version),) if version else ()),
        ),
        remedies=(
            *(fixes(specs, "amd", "directml") if rocm.command is None and system == "windows" else ()),
            rocm,
            *(fixes(specs, "amd", "torch-on-windows") if facts.host.system in (None, "windows") else ()),
        ),
    )
