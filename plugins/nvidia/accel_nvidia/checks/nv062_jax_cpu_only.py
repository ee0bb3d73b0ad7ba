from collections.abc import Sequence
from typing import Final

from accel.facts.questions import texts
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Specs, applies, check, need, quoted
from accel_nvidia import around

_SAID: Final = ("jax-cuda-jaxlib-missing", "jax-no-cuda-platform")
_HINTED: Final = ("jax-fell-back", "jax-found-no-gpu", "jax-no-cuda-platform-noted", "jax-default-backend-cpu")
_OF_A_TPU: Final = ("tpu-in-use", "tpu-seen-without-libtpu", "tpu-type", "tpu-topology-unknown", "tpu-hosts-awaited")
_WORKS: Final = "jax-lists-cuda-device"
_HAS_CUDA: Final = (  # and fails for another reason
    "cudnn-unlike-build",
    "xla-without-dnn-library",
    "cuda-library-older-than-jax",
    "cuda-library-unloadable",
    "jax-plugin-unlike-jaxlib",
    "pjrt-plugin-twice",
    "pjrt-api-unlike",
    "pjrt-size-unlike",
)


@check(
    code="NV062",
    name="jax-cpu-only-with-gpu",
    layer="framework",
    reads=(*_SAID, *_HINTED, *_HAS_CUDA, *_OF_A_TPU, _WORKS, around.BRAND),
    needs=("framework.jax|jaxlib.available",),
    requires=("jax-cudnn-too-old", "jax-cuda-plugin-mismatch", "jax-jaxlib-mismatch", "cuda-torch-on-amd-machine"),
    explained_by=(
        "windows-specific",
        "cuda-libs-conflict",
        "driver-too-old",
        "driver-library-mismatch",
        "driver-not-loaded",
        "container-without-gpu",
        "container-lost-gpu",
        "device-permission",
        "fabric-manager-not-running",
        "wsl-driver-libs",
        "devices-hidden",
    ),
)
def jax_cpu_only(facts: Facts, specs: Specs) -> Problems:
    """JAX runs on the CPU although there is an NVIDIA GPU: its CUDA plugin is not installed.

    Why it matters   Programs run many times slower; a plain "pip install jax" installs CPU support only.
    What to do       Install JAX with the extra of the CUDA major that the driver supports.
    Looks at         JAX's message; its device list; the installed plugins; JAX_PLATFORMS
    Silent when      JAX_PLATFORMS requests the CPU; the accelerator is a TPU; JAX lists a GPU after the message; a CUDA
                     build is installed and fails for another reason
    Source           JAX: jax/_src/xla_bridge.py; installation guide
    """
    platforms = (facts.variable("JAX_PLATFORMS") or facts.variable("JAX_PLATFORM_NAME") or "").lower()
    applies(platforms not in ("cpu", "cpu,"), "JAX_PLATFORMS asks for the CPU")
    said = facts.stated(*_SAID)
    hinted = facts.stated(*_HINTED)
    jax = facts.framework("jax")
    jaxlib = facts.framework("jaxlib")
    listed = [f for f in (jax, jaxlib) if f is not None and f.available is not None]
    applies(bool(said or hinted or jax or jaxlib), "JAX is not mentioned")
    if any(f.available for f in listed) and not said:
        return
    applies(facts.first(*_HAS_CUDA) is None, "JAX has CUDA but fails for another reason")
    applies(not _works_in_the_end(facts, (*said, *hinted)), "JAX lists a CUDA device")
    plugins = [p.name for p in facts.packages() if p.name.startswith("jax-cuda")]
    has_cuda = bool(plugins) or (jaxlib is not None and jaxlib.built_for == "cuda")
    gpu = facts.seen("nvidia") or bool(facts.stated(around.BRAND))
    applies(gpu or not facts.stated(*_OF_A_TPU), "the machine has a TPU, and no GPU is visible")
    lacks = not has_cuda and gpu and jax is not None and jaxlib is not None and _whole_list(facts)
    if not said and (has_cuda or not (hinted or listed or lacks)):
        need(True if has_cuda or not (facts.environment.complete and gpu) else None, "what devices JAX lists")
        return
    if not said:
        applies(gpu or not around.amd_seen(facts), "the GPU is from AMD")
        need(True if gpu else None, "whether this machine has an NVIDIA GPU")
    applies(facts.host.system != "macos", "macOS has no CUDA")
    evidence = quoted((*said, *hinted))
    if listed and listed[0].devices:
        evidence = (*evidence, Evidence(fact="jax.devices()", value=texts(listed[0].devices)))
    beside = None
    if jaxlib is not None and not (said or hinted or listed):
        there = [f"{p.name} {p.version}" for p in facts.packages() if p.name.startswith("jax")]
        evidence = (Evidence(fact="packages", value=f"{texts(there)}; no jax-cuda plugin"),)
        others = [f for f in facts.environment.frameworks if f.built_for == "cuda" and not f.name.startswith("jax")]
        beside = others[0].name if others else None
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title="JAX runs on the CPU: it has no CUDA plugin",
        detail=f"{beside} is built for CUDA; JAX may be installed for another purpose." if beside else None,
        severity="info" if beside else None,
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=evidence,
        remedies=(
            install(
                facts,
                specs,
                "jax",
                text="Install JAX with its CUDA plugin",
                on=machine_of(facts, specs, "nvidia"),
                again=True,
            ),
        ),
    )


def _whole_list(facts: Facts) -> bool:
    """Return whether the package list is complete: read from the environment, not from a report."""
    return facts.environment.complete and facts.environment.requirements_read is not None


def _works_in_the_end(facts: Facts, told: Sequence[Fact]) -> bool:
    """Return whether JAX lists a CUDA device after its message about the CPU, so that the problem is solved."""
    listed = [fact.line or 0 for fact in facts.stated(_WORKS)]
    return bool(listed) and max(listed) >= max((fact.line or 0 for fact in told), default=0)
