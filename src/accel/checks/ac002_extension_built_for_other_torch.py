"""A compiled add-on that was built for another torch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Command
from accel.resolver.remedies import install
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, package_word, requirement_word, url_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs
    from accel.vendors.contract.command import Word

_PINNED: Final = ("xformers", "triton", "flash-attn", "vllm")
_PAIRED: Final = ("xformers", "triton", "vllm")  # flash-attn of one version is compiled for each torch
_OWN_BINARIES: Final = ("bitsandbytes",)  # whose wheel holds one for each CUDA, and serves any torch
_OF_IMAGES: Final = ("vllm",)  # published for ROCm as images, each with its torch
_WITH_PLUGINS: Final = ("vllm", "sglang")  # which other vendors' plugins run without what is compiled for CUDA
_INDEX: Final = "https://download.pytorch.org/whl"
_GPU_VENDORS: Final = ("nvidia", "amd")
_PLUGINS: Final = ("torch-npu", "torch-xla", "torch-musa", "torch-mlu")
_COMPANIONS: Final = ("torchvision", "torchaudio")


@check(
    code="AC002",
    name="extension-built-for-other-torch",
    layer="framework",
    severity="warning",
    reads=(
        "add-on-built-for-other-torch",
        "compiled-for-other-cuda",
        "add-on-without-cuda",
        "add-on-procedure-missing",
        "other-torch-declared",
    ),
    needs=("package.torch", "package.xformers|triton|flash-attn|vllm"),
    requires=("windows-specific", "torch-xla-torch-mismatch"),
    explained_by=(
        "torch-cpu-build-on-gpu-machine",
        "cuda-libs-conflict",
        "driver-too-old",
        "driver-not-loaded",
        "container-without-gpu",
        "rocm-torch-on-nvidia",
        "cuda-torch-on-amd-machine",
        "npu-triton-conflict",
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
            title=_title(told[0], bool(certain), specs),
            detail="Windows found both files, and a function of one missing in the other: they are of different builds."
            if facts.first("add-on-procedure-missing")
            else None,
            evidence=(*quoted(told), *pins),
            remedies=_remedies(facts, specs, _project(told), told[0].value("has")),
        )
    elif pins or conflicts:
        name = pins[0].fact.split()[0] if pins else conflicts[0].value("package") or "an add-on"
        yield Problem(
            title=f"{name} declares another torch than the one installed",
            evidence=(*quoted(conflicts), *pins),
            remedies=_remedies(facts, specs, name),
            severity="warning" if conflicts and not _may_be_unused(facts, name) else "info",
        )


def _may_be_unused(facts: "Facts", name: str) -> bool:
    """Whether no GPU is mentioned, so that a plugin for other devices may replace the compiled part."""
    built = facts.framework("torch")
    seen = facts.accelerators or any(facts.driver(vendor) for vendor in _GPU_VENDORS)
    return name in _WITH_PLUGINS and not seen and (built is None or built.built_for not in ("cuda", "rocm"))


def _plain(name: str | None) -> str:
    return (name or "").lower().replace("_", "-").strip("-")


def _project(told: "tuple[Fact, ...]") -> str:
    return next((_plain(fact.value("package")) for fact in told if fact.value("package")), "the add-on")


def _title(fact: "Fact", certain: bool, specs: "Specs") -> str:
    name = _project((fact,))
    plugin = fact.value("component") if fact.value("component") in _PLUGINS else None
    if name == "xformers" and fact.value("wants") and fact.value("has"):
        return f"xFormers was built for torch {fact.value('wants')}, and torch {fact.value('has')} is installed"
    if name == "triton":
        return "This Triton does not belong to this torch"
    if fact.value("torch") and fact.value("other"):
        return f"torch was compiled for CUDA {fact.value('torch')}, {name} for CUDA {fact.value('other')}"
    if not certain:
        return f"{name if name != 'the add-on' else 'An add-on'} has no binary for this torch's CUDA"
    other = specs.components.title(plugin) if plugin else "torch"
    return f"{name[:1].upper() + name[1:] if name == 'the add-on' else name} was built for another {other}"


def _unmet(facts: "Facts", specs: "Specs") -> Iterator[Evidence]:
    """Yield the declared requirements on torch that the installed torch does not meet."""
    versions = {p.version for p in facts.packages("torch")}
    version = next(iter(versions)) if len(versions) == 1 else None
    if version is None:
        return
    seen = {(p.name, p.version): p for p in facts.packages(*_PINNED)}
    for package in seen.values():
        if package.name in _WITH_PLUGINS and any(p.name.startswith(f"{package.name}-") for p in facts.packages()):
            continue  # the plugin for another vendor's devices brings the torch that it wants
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


def _remedies(facts: "Facts", specs: "Specs", name: str, has: str | None = None) -> tuple[Remedy, ...]:
    """Return what puts the two together. has: the installed torch as the add-on names it, "2.1.0+cu121"."""
    if name == "xformers" and facts.host.system == "macos":
        return (
            Remedy(
                text="Start the program without xFormers: it computes on CUDA and ROCm, and a Mac has neither.",
                action="app",
            ),
        )
    if name in ("the add-on", ""):
        return (Remedy(text="Reinstall the add-on for this torch, or install the torch that it was built for."),)
    torch = facts.framework("torch") or facts.package("torch")
    named = has if has is not None and not has.endswith("+cpu") else (has or "").partition("+")[0]
    version = torch.version if torch is not None and torch.version is not None else named
    version = named if named.partition("+")[0] == version else version  # with its label, it stays as it is
    if name in _OWN_BINARIES:
        return (
            Remedy(
                text=f"Take the newest {name}: each release holds binaries for the CUDA and ROCm releases of its time. "
                "For one that it leaves out, it has to be built from its sources.",
                command=command_line("pip install --upgrade", package_word(name)),
            ),
        )
    if name not in _PAIRED and not _is_published(facts, specs, name):
        return (
            Remedy(
                text=f"Build {name} again with the torch that is here, in the folder of its sources: what an earlier "
                "build left there is of the other torch.",
                command="rm -rf build && pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation .",
            ),
        )
    if name not in _PAIRED:
        command = command_line(
            "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation",
            _fitting(specs, name, version),
        )
        text = f"Reinstall {name} for this torch: a wheel for its version, or built against it."
        return (Remedy(text=text, command=command),)
    of_rocm = facts.framework("torch")
    if name in _OF_IMAGES and of_rocm is not None and of_rocm.built_for == "rocm":
        return (
            Remedy(
                text=f"Take the {name} that was built with this torch of ROCm: AMD's image for it, or {name}'s own for "
                "ROCm, or build it from its sources here. The wheels of the public index are for CUDA, and bring its "
                "torch.",
                action="env",
            ),
        )
    text = f"Install the {name} that goes with this torch"
    if torch is not None and torch.version is not None:
        paired = install(facts, specs, "torch", text=text, again=True, beside=(name,))
        if paired.command is not None and name in paired.command:
            return (paired,)
    if facts.package("torch-npu") is not None:
        return (Remedy(text=f"{text}, from its vendor: the wheels of the public index are for CUDA."),)
    same = requirement_word("torch", version) if version else None
    if name == "triton":
        return (
            Remedy(
                text=f"{text}: each torch names one Triton, which its own installation brings again.",
                command=command_line("pip uninstall -y triton && pip install", same or "torch"),
            ),
        )
    told = f"{text}: each release of {name} names one torch, so pip finds it by the version of torch."
    label = (version or "").partition("+")[2]
    index = url_word(f"{_INDEX}/{label}") if label.startswith(("cu", "rocm")) else None
    words = ("--index-url", index) if index is not None else ()
    return (Remedy(text=told, command=command_line("pip install --upgrade", same, package_word(name), *words)),)


def _is_published(facts: "Facts", specs: "Specs", name: str) -> bool:
    """Whether the name is a distribution's: one that is installed, that a table holds, or that an installer was asked.

    A name that a file of compiled code alone tells may be of a project that nobody publishes.
    """
    asked = (
        operand
        for one in facts.snapshot.observations
        if isinstance(one, Command) and one.tool in ("pip", "pip3", "uv")
        for operand in one.operands
    )
    return (
        facts.package(name) is not None
        or specs.components.of_package(name) is not None
        or any(_plain(row["name"]) == name for row in (specs.table("frameworks/companions") or {}).get("packages", ()))
        or any(_plain(operand).startswith(name) for operand in asked)
    )


def _fitting(specs: "Specs", name: str, torch: str | None) -> "Word | None":
    """Return the add-on in the release whose row asks for this torch; the bare name where no row does."""
    known = specs.companion_for(name, torch.partition("+")[0]) if torch else None
    release = ".".join(known.split(".")[:2]) if known else None
    return bounded_word(name, f"=={release}.*") if release else package_word(name)
