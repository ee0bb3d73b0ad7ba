from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word

_BOUNDS: Final = "<>=!~"
_NAMED_SO: Final = frozenset(  # whose distribution has the component's name
    (
        *("transformers", "tokenizers", "accelerate", "diffusers", "peft", "deepspeed", "bitsandbytes", "xformers"),
        *("vllm", "sglang", "protobuf", "scipy", "ray", "keras", "flax", "setuptools", "pip", "huggingface-hub"),
        *("flash-attn", "numpy", "numba", "sgl-kernel", "ml-dtypes", "torchao"),
    )
)


@check(
    code="AC130",
    name="package-version-refused",
    layer="framework",
    family="package-versions-conflict",
    reads=("version-refused",),
    needs=("run.installation",),
    requires=(
        *("extension-built-for-other-torch", "torch-too-old-for-transformers", "npu-vllm-version-mismatch"),
        *("torchvision-torch-mismatch", "tensorrt-llm-parts-unlike", "package-requirement-unmet"),
    ),
)
def package_version_refused(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program stops at startup because a package has another version than the program requires.

    Why it matters   Nothing runs until the two match; the GPU and its driver are not involved.
    What to do       Install the version that the message names together with the program, so that pip finds a pair.
    Looks at         an exception that names the package, the installed version, and the required one
    Silent when      the pair has its own check (torch, jax, NumPy …); an installer only warned
    Source           packaging.python.org: dependency specifiers
    """
    told = facts.stated("version-refused")
    seen: set[str] = set()
    for fact in told:
        package, has, wants = (fact.value(key) or "" for key in ("package", "has", "wants"))
        if package in seen:
            continue
        seen.add(package)
        title = specs.components.title(package)
        by = specs.components.title(fact.value("by") or "") or "the program"
        relation = fact.value("relation")
        bounds = wants if wants[:1] in _BOUNDS else f">={wants}" if relation == "older" else f"=={wants}"
        if relation == "newer" and wants[:1] not in _BOUNDS:
            bounds = f"<={wants}.99" if wants.count(".") == 1 else f"<={wants}"
        yield Problem(
            title=f"{title} {has or 'of another version'} is installed, but {by} requires {wants}"
            + (" or older" if relation == "newer" and wants[:1] not in _BOUNDS else ""),
            evidence=quoted([one for one in told if one.value("package") == package]),
            remedies=(
                Remedy(
                    text="Install the required version; if pip then reports a conflict with another package, "
                    "install both in one command.",
                    command=pip_install(facts, bounded_word(package, bounds.replace(" ", "")))
                    if package in _NAMED_SO
                    else None,
                    action="env",
                ),
            ),
        )
