import re
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia.cudnn import OF_WHEEL, cudnn_command

if TYPE_CHECKING:
    from accel.model.diagnosis import Severity


@check(
    code="NV064",
    name="jax-cudnn-too-old",
    layer="framework",
    reads=(
        "cudnn-unlike-build",
        "xla-without-dnn-library",
        "tensorflow-named",
        "math-library-not-started",
        "cudnn-wheel-shown",
    ),
    needs=("run.program",),
    requires=("tensorflow-cuda-mismatch",),
    explained_by=("driver-too-old", "driver-not-loaded", "driver-library-mismatch"),
)
def jax_cudnn_too_old(facts: Facts, specs: Specs) -> Problems:
    """JAX loads a cuDNN that is older than the one jaxlib was compiled with.

    Why it matters   JAX fails at the first convolution ("DNN library is not found"), or falls back to the CPU, even
                     though jax.devices() lists the GPU.
    What to do       Upgrade the cuDNN wheel, or remove the older copy from LD_LIBRARY_PATH.
    Looks at         XLA's and JAX's messages with both versions
    Silent when      there is no such message: cuDNN files on the disk do not show what is loaded; the message is
                     TensorFlow's; the line above shows that cuDNN was loaded but could not start
    Source           XLA: stream_executor/cuda/cuda_dnn.cc; JAX: jax/_src/xla_bridge.py
    """
    older = [fact for fact in of_xla(facts) if not is_tensorflows(fact, facts)]
    bare = () if facts.first("math-library-not-started") else facts.stated("xla-without-dnn-library")
    if not older and not (bare and _is_jax(facts)):
        return
    title = "JAX cannot use any cuDNN; the reason is given above this error in its log"
    if older:
        jaxs = _is_jax(facts) or older[0].value("by") == "jax" or "external/" in older[0].text
        who = "JAX" if jaxs else "XLA (JAX or TensorFlow)"
        needs = "needs at least" if "minimum supported" in older[0].text.lower() else "was compiled with"
        title = f"{who} finds cuDNN {older[0].value('has')} and {needs} {older[0].value('wants')}"
    evidence = quoted((*older, *bare))
    if path := facts.variable("LD_LIBRARY_PATH"):
        evidence = (*evidence, Evidence(fact="LD_LIBRARY_PATH", value=path))
    severity: Severity | None = None if older else "warning"
    yield Problem(title=title, evidence=evidence, remedies=_remedies(facts, specs, older), severity=severity)


def of_xla(facts: Facts) -> tuple[Fact, ...]:
    """Return the messages of XLA and JAX about an outdated cuDNN; torch's message differs."""
    told = [fact for fact in facts.stated("cudnn-unlike-build") if fact.value("has") and fact.value("wants")]
    return tuple(fact for fact in told if fact.value("by") == "jax" or "source was compiled" in fact.text.lower())


def is_tensorflows(fact: Fact, facts: Facts) -> bool:
    """Return whether TensorFlow printed XLA's message: by its path, or if the text mentions TensorFlow and not JAX."""
    if fact.value("by") == "jax" or "external/org_tensorflow" in fact.text or "external/xla" in fact.text:
        return False
    return bool(facts.framework("tensorflow") or facts.first("tensorflow-named")) and not _is_jax(facts)


def _is_jax(facts: Facts) -> bool:
    return any(facts.framework(n) is not None for n in ("jax", "jaxlib"))


def _remedies(facts: Facts, specs: Specs, older: list[Fact]) -> tuple[Remedy, ...]:
    compiled = (older[0].value("wants") or "?") if older else "?"
    major = compiled.split(".")[0]
    cuda = _cuda(facts, compiled) if major in ("8", "9") else None
    torch = facts.framework("torch")
    pinned = (
        f" pip will say that torch {torch.version} asks for another one: it runs with a newer one of the same major, "
        "and an environment for each of the two keeps both as they ask."
        if torch is not None and torch.version and torch.built_for in ("cuda", None)
        else ""
    )
    bounds = f">={compiled},<{int(major) + 1}" if major.isdecimal() else ""
    upgrade = Remedy(
        text=f"Install cuDNN {compiled} or newer in the same major version.{pinned}"
        if older
        else "Install the cuDNN that jaxlib requires.",
        command=_shown(cudnn_command(facts, cuda, bounds), facts) if cuda and older else None,
    )
    path = fix(specs, "nvidia", "without-older-cudnn")
    loaded = ((older[0].value("has") or "") if older else "").split(".")[0]
    if older and loaded != major and facts.stated("cudnn-wheel-shown"):  # what it wants is installed, and not found
        return fixes(specs, "nvidia", "own-cudnn-first")
    return (upgrade, path)


def _shown(command: str | None, facts: Facts) -> str | None:
    """Return the command for a wheel followed by what makes the loader find it before an older copy."""
    from accel.remedies.environment import in_notebook  # whose shells end with their line

    return chained(command, OF_WHEEL) if (command or "").startswith("pip ") and not in_notebook(facts) else command


def _cuda(facts: Facts, compiled: str) -> str:
    """Return the CUDA of the cuDNN wheel: that of JAX's plugin, else of the jaxlib builds with this cuDNN."""
    for package in facts.packages():
        if found := re.fullmatch(r"(?:jax-cuda|nvidia-cudnn-cu)(\d+)(?:-plugin)?", package.name):
            return str(found[1])
    jaxlib = facts.framework("jaxlib")
    if jaxlib is not None and (found := re.match(r"cuda(\d\d)", jaxlib.variant or "")):
        return str(found[1])
    return "11" if [int(n) for n in compiled.split(".")[:2]] < [8, 8] else "12"
