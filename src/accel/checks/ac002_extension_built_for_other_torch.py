from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Command, Fact
from accel.resolver.torch_here import group
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted

_PINNED: Final = ("xformers", "triton", "flash-attn", "vllm")
_WITH_PLUGINS: Final = ("vllm", "sglang")  # other vendors' plugins run these without the parts compiled for CUDA
_UNNAMED: Final = "the add-on"
_GPU_VENDORS: Final = ("nvidia", "amd")
_COMPANIONS: Final = ("torchvision", "torchaudio")
_TAG: Final = pattern(r"torch(?P<torch>[12]\.\d{1,2})(?:\.\d)?(?:cxx11abi(?P<abi>TRUE|FALSE))?")  # of a ready build


@check(
    code="AC002",
    name="extension-built-for-other-torch",
    layer="framework",
    severity="warning",
    reads=(
        "add-on-built-for-other-torch",
        "compiled-for-other-cuda",
        "add-on-without-cuda",
        "compiled-add-on-named",
        "add-on-procedure-missing",
        "other-torch-declared",
    ),
    needs=("package.torch", "package.xformers|triton|flash-attn|vllm"),
    requires=("windows-specific", "torch-xla-torch-mismatch"),
    explained_by=(
        *("torch-cpu-build-on-gpu-machine", "cuda-libs-conflict", "driver-too-old", "driver-not-loaded"),
        *("container-without-gpu", "rocm-torch-on-nvidia", "cuda-torch-on-amd-machine", "npu-triton-conflict"),
    ),
)
def extension_built_for_other_torch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A compiled add-on (flash-attn, xFormers, Triton, torch-scatter, mmcv …) was built for another torch.

    Why it matters   Its import fails with an undefined symbol, or it disables its kernels with a warning.
    What to do       Reinstall the add-on for this torch, or the torch that the add-on was built for.
    Looks at         undefined torch symbols in an add-on's file; xFormers' list; names that Triton lacks; libraries of
                     other torch builds; add-ons without CUDA; declared requirements on torch
    Silent when      the file is torch's, torchvision's or a CUDA library's own: other checks cover these
    Source           the GNU loader; xFormers: _cpp_lib.py; requirements as cited in specs/frameworks/companions.yaml
    """
    certain = [
        *facts.stated("add-on-built-for-other-torch"),
        *(f for f in facts.stated("compiled-for-other-cuda") if _plain(f.value("package")) not in _COMPANIONS),
    ]
    likely = facts.stated("add-on-without-cuda")
    pins = tuple(_unmet(facts, specs))
    conflicts = [f for f in facts.stated("other-torch-declared") if f.value("package") not in _COMPANIONS]
    if certain or likely:
        told = (*certain, *likely)
        yield Problem(
            title=(_both_sides(facts, specs, _project(told)) if certain else None)
            or _title(next((f for f in told if f.value("package")), told[0]), bool(certain), specs),
            detail=(
                "Windows found both files, but one lacks a function that the other needs: they come from "
                "different builds."
            )
            if facts.first("add-on-procedure-missing")
            else None,
            evidence=(*quoted(told), *pins),
            remedies=_remedies(facts, specs, told, pins),
        )
    elif pins or conflicts:
        from accel.resolver.add_ons import add_on_remedies  # what most reports need not load

        name = pins[0].fact.split()[0] if pins else conflicts[0].value("package") or "an add-on"
        yield Problem(
            title=f"{name} requires a torch other than the installed one",
            evidence=(*quoted(conflicts), *pins),
            remedies=add_on_remedies(facts, specs, name),
            severity="warning" if conflicts and not _may_be_unused(facts, name) else "info",
        )


def _may_be_unused(facts: Facts, name: str) -> bool:
    """Return whether no GPU is mentioned, so that a plugin for other devices may replace the compiled part."""
    built = facts.framework("torch")
    seen = facts.accelerators or any(facts.driver(vendor) for vendor in _GPU_VENDORS)
    return name in _WITH_PLUGINS and not seen and (built is None or built.built_for not in ("cuda", "rocm"))


def _plain(name: str | None) -> str:
    return (name or "").lower().replace("_", "-").strip("-")


def _project(told: tuple[Fact, ...]) -> str:
    return next((_plain(fact.value("package")) for fact in told if fact.value("package")), _UNNAMED)


def _both_sides(facts: Facts, specs: Specs, name: str) -> str | None:
    """Return for which torch an add-on was built, by its file's name or its release, beside the installed one."""
    from accel.resolver.add_ons import of_other_abi
    from accel.resolver.torch_here import torch_here

    torch = torch_here(facts, specs)
    if torch.version is None or name in group(specs, "own-binaries"):
        return None
    typed = [c for c in facts.snapshot.observations if isinstance(c, Command) and c.verb == "install" and not c.advice]
    words = [word for one in typed for word in one.operands if _plain(word.rpartition("/")[2]).startswith(name)]
    tags = (
        found for word in (*words, *(p.variant or "" for p in facts.packages(name))) if (found := _TAG.search(word))
    )
    tag = next(tags, None)
    if tag is not None and tag["torch"] != torch.minor:
        return f"{name} is a build for torch {tag['torch']}, and torch {torch.version} is installed"
    if tag is not None and tag["abi"] and of_other_abi(facts, torch) is not None:
        return f"{name} is the build with cxx11abi{tag['abi']}, and torch {torch.version} has the other C++ ABI"
    asked = next((word.partition("==")[2] for word in words if "==" in word), None)
    known = specs.companion(name, asked) if asked else None
    if known is None or known.torch is None or known.torch == f"=={torch.version}" or "," in known.torch:
        return None
    exact = known.torch.startswith("==") and "*" not in known.torch
    return (
        f"{name} {asked} is built for torch {known.torch[2:]}, and torch {torch.version} is installed"
        if exact
        else None
    )


def _title(fact: Fact, certain: bool, specs: Specs) -> str:
    name = _project((fact,))
    if fact.value("compiled"):
        subject = "The add-on" if name == _UNNAMED else name
        return f"{subject} was compiled without CUDA: its setup found no nvcc, or no GPU"
    component = fact.value("component")
    plugin = component if component in group(specs, "torch-plugins") else None
    if name == "xformers" and fact.value("wants") and fact.value("has"):
        return f"xFormers was built for torch {fact.value('wants')}, but torch {fact.value('has')} is installed"
    if name == "triton":
        return "This Triton does not match this torch"
    if fact.value("torch") and fact.value("other"):
        return f"torch was compiled for CUDA {fact.value('torch')}, but {name} for CUDA {fact.value('other')}"
    if not certain:
        return f"{name if name != 'the add-on' else 'An add-on'} has no binary for this torch's CUDA"
    other = specs.components.title(plugin) if plugin else "torch"
    return f"{name[:1].upper() + name[1:] if name == 'the add-on' else name} was built for a different {other}"


def _unmet(facts: Facts, specs: Specs) -> Iterator[Evidence]:
    """Yield the declared requirements on torch that the installed torch does not meet."""
    versions = {p.version for p in facts.packages("torch")}
    version = next(iter(versions)) if len(versions) == 1 else None
    if version is None:
        return
    seen = {(p.name, p.version): p for p in facts.packages(*_PINNED)}
    for package in seen.values():
        if package.name in _WITH_PLUGINS and any(p.name.startswith(f"{package.name}-") for p in facts.packages()):
            continue  # the plugin for another vendor's devices installs the torch that it needs
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


def _remedies(facts: Facts, specs: Specs, told: tuple[Fact, ...], pins: tuple[Evidence, ...]) -> tuple[Remedy, ...]:
    has, wants, file = (
        next((value for fact in told if (value := fact.value(name))), None) for name in ("has", "wants", "file")
    )
    plugin = any(fact.value("component") in group(specs, "torch-plugins") for fact in told)
    from accel.resolver.add_ons import add_on_remedies

    named = _project(told)
    if any(fact.value("compiled") for fact in told):
        from accel.resolver.add_ons import with_cuda

        return (
            with_cuda(facts, specs, named if named != _UNNAMED else _project(facts.stated("compiled-add-on-named"))),
        )
    if named == _UNNAMED and len(pins) == 1:  # the one whose requirement is not met
        named = pins[0].fact.split()[0]
    return add_on_remedies(facts, specs, named, has, wants, file, plugin)
