from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import bounded_word, chained, package_word, requirement_word

_OF_LINUX: Final = "linux-library-on-windows"


@check(
    code="AC004",
    name="no-windows-build",
    layer="framework",
    family="windows-specific",
    reads=(
        "wheel-without-windows",
        _OF_LINUX,
        "windows-without-feature",
        "torch-without-nccl",
        "triton-needed",
        "triton-absent",
        "triton-optional",
        "spoken-of",
        "tensorflow-in-use",
        "program-without-gpu",
    ),
    needs=("run.installation",),
)
def no_windows_build(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A package or a feature of torch without a Windows build is used on Windows.

    Why it matters   pip finds no distribution, or the program stops at the missing feature.
    What to do       Use WSL2, or an option of the program that avoids it (for torch.distributed: gloo).
    Looks at         TensorFlow's releases; installers' answers about packages without Windows wheels; torch's messages
                     about NCCL, libuv and torch.compile; Triton that is not found
    Silent when      the text does not come from Windows; a missing Triton that nothing needs is only noted
    Source           the packages' lists of wheels; JAX installation guide; PyTorch on Windows
    """
    wheels, features = facts.stated("wheel-without-windows"), facts.stated("windows-without-feature")
    if facts.host.system == "windows":
        wheels += facts.stated(_OF_LINUX)
    nccl, triton = facts.stated("torch-without-nccl"), facts.stated("triton-absent")
    needed = facts.stated("triton-needed") or (() if facts.stated("triton-optional") else triton)
    tensorflow = _tensorflow_without_gpu(facts, specs)
    if tensorflow is not None:
        yield tensorflow
        return
    if not (wheels or features or nccl or triton or needed):
        return
    spoken = any(fact.value("subject") == "windows" for fact in facts.stated("spoken-of"))
    on_windows = facts.host.system == "windows" or (facts.host.system is None and spoken and bool(triton))
    features = tuple(fact for fact in features if on_windows or fact.value("mild") is None)
    applies(facts.host.system in ("windows", None), "this is not Windows")
    applies(on_windows or bool(features), "nothing shows that this is Windows")
    from accel.resolver.tritons import triton_of  # few builds are none for Windows

    hard = tuple(fact for fact in features if fact.value("mild") is None)
    told = (*wheels, *nccl, *hard, *needed)
    if told:
        first = told[0]
        name = first.value("package") if wheels else None
        name = name or first.value("feature") or ("NCCL" if nccl and first in nccl else "Triton")
        by_pip = pip_install(facts, package_word(first.value("package"))) if wheels else None
        from accel.resolver.wsl import in_wsl  # few builds are none for Windows

        remedies = [in_wsl(facts, "Run its Linux build", by_pip)]
        if nccl:
            remedies.insert(0, Remedy(text='Use backend="gloo" in torch.distributed.', action="app"))
        if name.startswith("bitsandbytes"):
            remedies.insert(0, _bitsandbytes(facts))
        if first.value("feature") == "use_libuv":
            remedies.insert(0, Remedy(text="Switch libuv off.", command="set USE_LIBUV=0", action="app"))
        if name.lower() == "triton":
            remedies.insert(0, triton_of(facts, specs, on_windows=True))
        has_none = "has no Windows build" if first.name != _OF_LINUX else "has no library for Windows in this release"
        yield Problem(title=f"{name} {has_none}", evidence=quoted(told), remedies=tuple(remedies))
    elif triton:
        yield Problem(
            title="Triton is not installed; it has no official Windows build",
            evidence=quoted(triton),
            remedies=(triton_of(facts, specs, on_windows=True),),
            severity="info",
        )
    elif features:
        yield Problem(
            title=f"{features[0].value('feature')} is not supported on Windows, and was left out",
            evidence=quoted(features),
            severity="info",
        )


def _bitsandbytes(facts: Facts) -> Remedy:
    """Return the Windows release that keeps the installed torch: newer ones pull a CPU build of torch from PyPI."""
    torch, python = facts.framework("torch"), numbers(facts.environment.python_version or "3.9")
    newest = torch is not None and numbers(torch.version or "0") >= (2, 4)
    last = "0.44.1" if python[:2] < (3, 9) else "0.45.5"
    word = bounded_word("bitsandbytes", ">=0.43") if newest else requirement_word("bitsandbytes", last)
    kept = "" if newest else f" {last} supports torch 2.0 and newer and this Python, so it does not replace torch."
    return Remedy(
        text=f"From 0.43 on there are wheels for Windows, and no fork of another name is needed.{kept}",
        command=chained("pip uninstall -y bitsandbytes bitsandbytes-windows", pip_install(facts, word)),
    )


def _tensorflow_without_gpu(facts: Facts, specs: Specs) -> Problem | None:
    """Judge a TensorFlow that sees no GPU on native Windows by its release's builds."""
    here = facts.framework("tensorflow")
    if here is None or here.version is None:
        return None
    told = facts.stated("program-without-gpu")
    if here.available is not False and not told:
        return None
    if facts.host.system != "windows" or facts.on_wsl:
        return None
    release = specs.framework("tensorflow", here.version) or specs.framework("tensorflow", f"{here.version}.0")
    if release is None or any(b.platform == "windows_x86_64" and b.variant != "cpu" for b in release.builds):
        return None
    from accel.resolver.wsl import tensorflow_of_windows

    return Problem(
        title=f"TensorFlow {here.version} does not support GPUs on Windows: the last release that did is 2.10",
        evidence=(
            Evidence(fact="tensorflow", value=here.version),
            *(quoted(told[:2]) or (Evidence(fact="GPUs that it sees", value="none"),)),
        ),
        remedies=tensorflow_of_windows(facts),
    )
