"""A compiled add-on that was built for another torch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.checks.ac001_torchvision_torch_mismatch import of_torchvision
from accel.checks.said import quoted
from accel.contract.check import Evidence, Problem, Remedy, check
from accel.resolver.remedies import install

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs

_CERTAIN: Final = (
    "xformers-built-for-other-torch",
    "add-on-symbol-missing",
    "add-on-procedure-missing",
    "torch-symbol-missing",
    "triton-name-missing",
    "add-on-lacks-cuda-library",
    "torch-library-missing",
    "add-on-operator-missing",
)
_LIKELY: Final = ("add-on-without-cuda", "bitsandbytes-binary-missing")
_PINNED: Final = ("xformers", "triton", "flash-attn", "vllm")
_PAIRED: Final = ("xformers", "triton", "vllm")  # flash-attn of one version is compiled for each torch
_COMPANIONS: Final = ("torchvision", "torchaudio")
_PROJECTS: Final = {
    "flash_attn": "flash-attn",
    "_C_flashattention": "xformers",
    "xformers": "xformers",
    "triton": "triton",
    "torch_scatter": "torch-scatter",
    "_scatter": "torch-scatter",
    "_sparse": "torch-sparse",
    "_convert": "torch-sparse",
    "detectron2": "detectron2",
    "mmcv": "mmcv",
    "_ext": "mmcv",
    "amp_C": "apex",
    "fused_layer_norm": "apex",
    "exllama": "exllama",
    "bitsandbytes": "bitsandbytes",
    "deform_conv": "detectron2",
}


@check(
    code="AC002",
    name="extension-built-for-other-torch",
    layer="framework",
    requires=("windows-specific", "torch-xla-torch-mismatch"),
    explained_by=(
        "torch-cpu-build-on-gpu-machine",
        "cuda-libs-conflict",
        "driver-too-old",
        "driver-not-loaded",
        "container-without-gpu",
        "rocm-torch-on-nvidia",
        "cuda-torch-on-amd-machine",
    ),
)
def extension_built_for_other_torch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A compiled add-on (flash-attn, xFormers, Triton, torch-scatter, mmcv …) was built for another torch.

    Why it matters   Its import fails with an undefined symbol, or it leaves its kernels out with a warning.
    What to do       Reinstall the add-on for this torch, or the torch that the add-on was built for.
    Looks at         undefined symbols of torch in an add-on's file; xFormers' list; names that Triton lacks; libraries
                     of other torch builds; add-ons without CUDA; declared requirements on torch
    Silent when      the file is torch's, torchvision's or a CUDA library's own: other checks speak
    Source           the GNU loader; xFormers: _cpp_lib.py; requirements as cited in specs/frameworks/companions.yaml
    """
    certain = [e for e in facts.events(*_CERTAIN) if _counts(e)]
    certain += [e for e in facts.events("built-for-other-cuda") if _plain(e.value("package")) not in _COMPANIONS]
    newer = facts.events("torchvision-newer-than-torch")
    if not any(of_torchvision(e, facts) for e in newer):
        certain += newer
    likely = facts.events(*_LIKELY)
    pins = tuple(_unmet(facts, specs))
    conflicts = [e for e in facts.events("pip-conflict") if _is_add_on(e)]
    if certain or likely:
        first = (*certain, *likely)[0]
        evidence = (*quoted((*certain, *likely)), *pins)
        yield Problem(
            title=_title(first),
            evidence=evidence,
            remedies=_remedies(facts, specs, _project(first)),
            severity=None if certain else "warning",
        )
    elif pins or conflicts:
        name = pins[0].fact.split()[0] if pins else conflicts[0].value("package") or "an add-on"
        yield Problem(
            title=f"{name} declares another torch than the one installed",
            evidence=(*quoted(conflicts), *pins),
            remedies=_remedies(facts, specs, name),
            severity="warning" if conflicts else "info",
        )


def _counts(event: "Event") -> bool:
    """Leave out an xFormers list that names only its own Python patch, and libraries that torchvision's image wants."""
    if event.name == "xformers-built-for-other-torch":
        return event.value("built") != event.value("have")
    return True


def _plain(name: str | None) -> str:
    return (name or "").lower().replace("_", "-")


def _is_add_on(event: "Event") -> bool:
    return event.value("wanted") in ("torch", "triton") and _plain(event.value("package")) in (*_PINNED, "torch")


def _project(event: "Event") -> str:
    known = event.value("package")
    if known:
        return _plain(known)
    if event.name.startswith(("xformers", "triton", "bitsandbytes")):
        return event.name.split("-")[0]
    file = (event.value("file") or "").replace("\\", "/").rsplit("/", 1)[-1]
    known = next((name for start, name in _PROJECTS.items() if file.startswith(start)), file.split(".")[0])
    return known if len(known) > 2 else "the add-on"


def _title(event: "Event") -> str:
    name = _project(event)
    if event.name == "xformers-built-for-other-torch":
        return f"xFormers was built for torch {event.value('built')}, and torch {event.value('have')} is installed"
    if event.name == "triton-name-missing":
        return "This Triton does not belong to this torch"
    if event.name == "built-for-other-cuda" and event.value("other"):
        return f"torch was compiled for CUDA {event.value('torch')}, {name} for CUDA {event.value('other')}"
    if event.name in _LIKELY:
        return f"{name if name != 'the add-on' else 'An add-on'} has no binary for this torch's CUDA"
    return f"{name[:1].upper() + name[1:] if name == 'the add-on' else name} was built for another torch"


def _unmet(facts: "Facts", specs: "Specs") -> Iterator[Evidence]:
    """Yield the declared requirements on torch that the installed torch does not meet."""
    versions = {p.version for p in facts.packages("torch")}
    version = next(iter(versions)) if len(versions) == 1 else None
    if version is None:
        return
    for package in facts.packages(*_PINNED):
        known = specs.companion(package.name, package.version) if package.version else None
        if known is None or known.torch is None or ("," in known.torch and package.name == "triton"):
            continue
        from packaging.requirements import InvalidRequirement, Requirement  # 12 ms that most reports need not pay

        try:
            met = Requirement(f"torch{known.torch}").specifier.contains(version, prereleases=True)
        except InvalidRequirement:
            continue
        if not met and not known.torch.startswith("==" + ".".join(version.split(".")[:2])):
            yield Evidence(
                fact=f"{package.name} {package.version}", value=f"requires torch{known.torch}; {version} is installed"
            )


def _remedies(facts: "Facts", specs: "Specs", name: str) -> tuple[Remedy, ...]:
    if name in ("the add-on", ""):
        return (Remedy(text="Reinstall the add-on for this torch, or install the torch that it was built for."),)
    torch = facts.framework("torch") or facts.package("torch")
    if name in _PAIRED and torch is not None and torch.version is not None:
        text = f"Install the {name} that goes with this torch"
        paired = install(facts, specs, "torch", text=text, again=True, beside=(name,))
        if paired.command is not None and name in paired.command:
            return (paired,)
    return (
        Remedy(
            text=f"Reinstall {name} for this torch: a wheel for its version, or built against it.",
            command=f"pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation {name}",
        ),
    )
