import re
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.environment import Package
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import chained, command_line, package_word

_PARTS: Final = ("torchvision", "torchaudio")
_PIN_TORCH: Final = ("vllm", "sglang", "lmdeploy", "xformers", "xinference", "unsloth")
_THIS_TORCH: Final = """"torch==$(python -c 'import torch; print(torch.__version__.split("+")[0])')\""""
_INDEX_OF_TORCH: Final = (
    "--index-url https://download.pytorch.org/whl/"
    '$(python -c \'import torch; c = torch.version.cuda; print("cu" + c.replace(".", "") if c else "cpu")\')'
)
_RELEASE: Final = pattern(r"\d+(\.\d+)*(\.post\d+)?", exact_case=True)


@check(
    code="AC001",
    name="torchvision-torch-mismatch",
    layer="framework",
    reads=(
        *("torchvision-operator-missing", "companion-built-for-other-torch", "companion-of-another-build"),
        *("companion-library-unloadable", "compiled-for-other-cuda", "other-torch-declared"),
        *("torchvision-image-unloaded", "torch-build-asked"),
    ),
    needs=("package.torch", "package.torchvision|torchaudio"),
    explained_by=("torch-cpu-build-on-gpu-machine",),
)
def torchvision_torch_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """torchvision or torchaudio was built for another version or another build of torch.

    Why it matters   Their compiled parts fail: "operator torchvision::nms does not exist", undefined symbols.
    What to do       Install the pair in one command, from one index.
    Looks at         error messages of torchvision and torchaudio; their versions against torch's, by the release table;
                     their builds (+cu121 next to +cu118); in a live environment the builds stated in their files
    Silent when      development builds and builds from source, whose versions do not pair; a missing image reader is
                     only noted
    Source           PyTorch's table of versions, as cited in specs/frameworks/torch.yaml
    """
    compiled = tuple(f for f in facts.stated("compiled-for-other-cuda") if _plain(f.value("package")) in _PARTS)
    unlike = facts.stated("companion-of-another-build")
    said = (
        *facts.stated("torchvision-operator-missing"),
        *facts.stated("companion-built-for-other-torch"),
        *facts.stated("companion-library-unloadable"),
        *compiled,
    )
    conflicts = [
        f
        for f in facts.stated("other-torch-declared")
        if f.value("package") in _PARTS and f.value("component") == "torch"
    ]
    pairs = tuple(_unlike(facts, specs))
    if said:
        name = _plain(said[0].value("package")) or ("torchaudio" if "audio" in said[0].text.lower() else "torchvision")
        evidence = (*quoted(said), *(Evidence(fact=a, value=f"{b}; {c}") for a, b, c in pairs))
        yield Problem(
            title=_title(name, said, pairs),
            evidence=evidence,
            remedies=(_remedy(facts, specs, name, compiled, lacks=any(fact.value("lacks") for fact in said)),),
        )
    elif unlike:
        yield Problem(
            title=_title_of_build(unlike[0]),
            evidence=quoted(unlike),
            remedies=(_remedy(facts, specs, _plain(unlike[0].value("package")), ()),),
            severity="warning" if all(fact.value("loads") for fact in unlike) else "error",
        )
    elif pairs or conflicts:
        name, have, why = pairs[0] if pairs else _declared(facts, conflicts[0])
        yield Problem(
            title=f"{name} {have} does not match this torch",
            detail=why,
            evidence=(*quoted(conflicts), *(Evidence(fact=a, value=b) for a, b, _ in pairs)),
            remedies=(_remedy(facts, specs, name, ()),),
            severity="warning",
        )
    elif image := facts.stated("torchvision-image-unloaded"):
        yield Problem(
            title="torchvision's image reader was not loaded; nothing else depends on it",
            evidence=quoted(image),
            severity="info",
        )


def _declared(facts: Facts, conflict: Fact) -> tuple[str, str, str]:
    """Return (package, its version, why) of a package that declares the torch it needs."""
    wants = conflict.value("wants")
    why = "pip says so" if wants is None else f"it requires torch{'' if wants[:1] in '<>=!~' else ' '}{wants}"
    name = conflict.value("package") or "torchvision"
    installed = _only(facts, name)
    have = conflict.value("by_version") or (installed.version if installed is not None else None) or "?"
    return name, have, why


def _plain(name: str | None) -> str:
    return (name or "").lower().replace("_", "-")


def _title(name: str, said: tuple[Fact, ...], pairs: tuple[tuple[str, str, str], ...]) -> str:
    told = next((fact for fact in said if fact.value("torch") and fact.value("other")), None)
    if told is not None:
        return f"torch was compiled for CUDA {told.value('torch')}, but {name} for CUDA {told.value('other')}"
    if pairs:
        return f"{pairs[0][0]} {pairs[0][1]} does not match this torch: {pairs[0][2]}"
    if any(fact.value("lacks") for fact in said):
        return f"{name} is a CPU build: it has no code for the GPU that torch uses"
    return f"{name} was built for a different torch"


def _title_of_build(fact: Fact) -> str:
    return f"torch was built for {fact.value('torch')}, {fact.value('package')} for {fact.value('build')}"


def _unlike(facts: Facts, specs: Specs) -> Iterator[tuple[str, str, str]]:
    """Yield (package, its version, why) for each package that does not match the only installed torch."""
    torch = _only(facts, "torch")
    if torch is None or torch.version is None or not _is_release(torch.version):
        return
    release = specs.framework("torch", torch.version)
    for name in _PARTS:
        package = _only(facts, name)
        if package is None or package.version is None or not _is_release(package.version):
            continue
        expected = release.companions.get(name) if release is not None else None
        if expected is not None and _minor(expected) != _minor(package.version):
            yield name, package.version, f"torch {torch.version} goes with {name} {expected}"
        elif _wheel(torch) and _wheel(package) and torch.variant != package.variant:
            yield name, f"{package.version}+{package.variant}", f"torch is +{torch.variant}"


def _only(facts: Facts, name: str) -> Package | None:
    """Return the package if exactly one version of it is installed, however often it was read."""
    found = facts.packages(name)
    versions = {p.version for p in found}
    return max(found, key=lambda p: p.variant is not None) if len(versions) == 1 else None


def _is_release(version: str) -> bool:
    return _RELEASE.fullmatch(version) is not None


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])


def _wheel(package: Package) -> bool:
    return package.channel != "conda" and re.fullmatch(r"cu\d{2,3}|cpu|rocm[\d.]+", package.variant or "") is not None


def _remedy(facts: Facts, specs: Specs, name: str, compiled: tuple[Fact, ...], *, lacks: bool = False) -> Remedy:
    """Return the step that reinstalls the pair. lacks: whether the build has no code for the GPU that torch uses."""
    from accel.resolver.remedies import install, machine_of

    told = next((cuda for fact in compiled if (cuda := fact.value("torch"))), None)
    asked = facts.first("torch-build-asked")
    told = told or (asked.value("cuda") if asked is not None else None)
    kind = asked.value("kind") if asked is not None and told is None else None
    build = f"cu{told.replace('.', '')}" if told is not None else kind
    if build is None and (kept := _beside_this_torch(facts, name)) is not None:
        return kept
    return install(
        facts,
        specs,
        "torch",
        text="Install torch and its companions in one command, from one index",
        build=build if facts.framework("torch") is None else None,
        again=True,
        beside=(name,) if name in _PARTS else (),
        on=machine_of(facts, specs, "nvidia") if lacks and facts.host.system == "windows" else None,
    )


def _beside_this_torch(facts: Facts, name: str) -> Remedy | None:
    """Return the step that keeps an installed torch whose release the text does not show, for a program that pins it.

    None if the text shows torch's release, or no program that pins it, or is of a shell that lacks the substitution.
    """
    from accel.resolver.installer import in_conda

    pinned = any(facts.mentions(program) for program in _PIN_TORCH) or bool(facts.packages(*_PIN_TORCH))
    shown = facts.framework("torch") is not None or facts.packages("torch", name)
    if shown or not pinned or facts.live or facts.host.system == "windows" or in_conda(facts):
        return None
    wheels = "" if facts.host.system == "macos" else _INDEX_OF_TORCH
    return Remedy(
        text=f"Install the {name} that pairs with the torch that is installed, whose release the command asks it for: "
        "another torch would not fit the program that pins it.",
        command=chained(
            command_line("pip uninstall -y", package_word(name)),
            command_line("pip install", package_word(name), _THIS_TORCH, wheels),
        ),
        action="env",
    )
