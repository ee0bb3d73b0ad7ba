from collections.abc import Iterator

from accel.resolver.torch_here import torch_here
from accel.resolver.wheel_pages import ready_wheels
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia.toolkit_install import toolkit_of
from accel_nvidia.version import cuda_of_variant


@check(
    code="NV060",
    name="nvcc-torch-cuda-mismatch",
    layer="toolkit",
    reads=(
        "nvcc-unlike-torch",
        "nvcc-too-old-for-add-on",
        "nvcc-minor-unlike-torch",
        "cuda-extension-build-failed",
        "toolkit-shown",
    ),
    needs=("run.build",),
    requires=("mac-without-cuda",),
)
def nvcc_torch_cuda_mismatch(facts: Facts, specs: Specs) -> Problems:
    """An extension is being compiled with an nvcc of another CUDA version than torch was built with.

    Why it matters   torch refuses to build the extension.
    What to do       Set CUDA_HOME to a toolkit of torch's CUDA version, or install a torch for the toolkit's version.
    Looks at         error messages of torch's extension builder, apex, DeepSpeed and FlashAttention; if the build of an
                     extension failed, the majors of nvcc and of torch's CUDA
    Silent when      nothing is being compiled, since the toolkit is then unused. A minor difference that torch only
                     warns about is information
    Source           PyTorch: torch/utils/cpp_extension.py
    """
    refused = facts.stated("nvcc-unlike-torch", "nvcc-too-old-for-add-on")
    if not refused and (unlike := _unlike(facts)):
        stopped, compiler, wanted = unlike
        yield Problem(
            title=f"nvcc is of CUDA {compiler}, torch was built with CUDA {wanted}, and an extension does not compile",
            evidence=(
                *quoted(stopped),
                Evidence(fact="CUDA toolkit", value=compiler),
                Evidence(fact="torch.version.cuda", value=wanted),
            ),
            remedies=_remedies(facts, specs, wanted, compiler),
        )
        return
    if not refused:
        noted = facts.stated("nvcc-minor-unlike-torch")
        if noted:
            yield Problem(
                title="nvcc and torch differ in the minor CUDA version, which seldom matters",
                evidence=quoted(noted),
                severity="info",
            )
        return
    torch_cuda = next((v for fact in refused if (v := fact.value("wants"))), None) or _cuda_of_torch(facts, specs)
    nvcc = next((v for fact in refused if (v := fact.value("has"))), None) or (
        toolkit.version if (toolkit := facts.toolkit("cuda")) else None
    )
    title = "The CUDA toolkit used for compiling does not match the one that torch was built with"
    if nvcc and torch_cuda:
        title = f"nvcc is of CUDA {nvcc}, and torch was built with CUDA {torch_cuda}"
    evidence = quoted(refused)
    if home := facts.variable("CUDA_HOME"):
        evidence = (*evidence, Evidence(fact="CUDA_HOME", value=home))
    yield Problem(title=title, evidence=evidence, remedies=_remedies(facts, specs, torch_cuda, nvcc))


def _unlike(facts: Facts) -> tuple[tuple[Fact, ...], str, str] | None:
    """Return the failed build, the CUDA of nvcc and that of torch, if their majors differ."""
    stopped, toolkit, torch = (
        facts.stated("cuda-extension-build-failed"),
        facts.toolkit("cuda"),
        facts.framework("torch"),
    )
    if not stopped or toolkit is None or torch is None or not toolkit.version or not torch.cuda_version:
        return None
    nvcc, wanted = (".".join(version.split(".")[:2]) for version in (toolkit.version, torch.cuda_version))
    return (stopped, nvcc, wanted) if nvcc.partition(".")[0] != wanted.partition(".")[0] else None


def _cuda_of_torch(facts: Facts, specs: Specs) -> str | None:
    """Return the CUDA version of the installed torch, from torch or its version label."""
    torch = facts.framework("torch")
    told = torch.cuda_version if torch is not None else None
    return told or cuda_of_variant(torch_here(facts, specs).label or "")


def _remedies(facts: Facts, specs: Specs, torch_cuda: str | None, nvcc: str | None) -> tuple[Remedy, ...]:
    found = list(_ready(facts, specs))
    if torch_cuda:
        found.append(toolkit_of(facts, specs, torch_cuda))
    torch = torch_here(facts, specs)
    if nvcc and torch.version:
        variant = f"cu{nvcc.replace('.', '')}"
        from accel.resolver.remedies import install, machine_of

        machine = machine_of(facts, specs, "nvidia")
        text = f"Install this torch in its build for CUDA {nvcc}"
        of_nvcc = install(facts, specs, "torch", text=text, on=machine, variant=variant)
        same = of_nvcc.command is not None and f"torch=={torch.version} " in f"{of_nvcc.command} "
        found += [of_nvcc] if same else []  # an older torch would break packages built for this one
    return tuple(found) or (Remedy(text="Build with the toolkit whose version torch.version.cuda prints."),)


def _ready(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield prebuilt wheels of the package that does not build."""
    names = dict.fromkeys(name for fact in facts.stated("package-build-failed") if (name := fact.value("package")))
    for name in names:
        ready = ready_wheels(facts, specs, name.lower().replace("_", "-"))
        if ready is not None and ready.command is not None:
            yield ready
