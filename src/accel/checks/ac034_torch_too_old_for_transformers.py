from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted

_MAY_ASK_FOR_CUDA: Final = (4, 50)  # from this release on, Transformers assumes CUDA if torch names no other device
_LEFT_OUT_BELOW: Final = (2, 4)  # what Transformers of 2025 and later asks for
_NAMES_ITS_DEVICE: Final = (2, 5)  # torch from here on does
_TORCH: Final = pattern(r"\btorch==(?P<version>\d\.\d{1,2})", exact_case=True)
_ABOVE: Final = pattern(r"\btransformers ?>=? ?(?P<version>\d\.\d{1,3})")
_FIRST_PAIR: Final = Remedy(
    text="Install torch 2.5.1 with torch_npu 2.5.1, the first torch that registers its device with Transformers. The "
    "pair needs CANN 8.1.RC1: if an older CANN is installed, upgrade it to 8.1.RC1 first, with its kernels.",
    command="pip install torch==2.5.1 torch-npu==2.5.1 --extra-index-url https://download.pytorch.org/whl/cpu",
)


@check(
    code="AC034",
    name="torch-too-old-for-transformers",
    layer="framework",
    reads=("torch-below-what-models-want", "models-left-torch-out", "torch-not-compiled-with-cuda"),
    needs=("run.program",),
    requires=("torchvision-torch-mismatch", "python-version-without-wheel"),
)
def torch_too_old_for_transformers(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Transformers (or Diffusers, Accelerate, PEFT) needs a newer torch than the installed one.

    Why it matters   It disables torch ("None of PyTorch … have been found"), misses names of torch, or refuses to load
                     a weights file.
    What to do       Install a newer torch with its matching packages, or an older release of the library.
    Looks at         the library's own messages; names that torch lacks and the library's files need; on a machine with
                     another vendor's torch plugin: a Transformers of 4.50 or newer that asks torch for CUDA
    Silent when      torch is new enough, or another package needs the missing name
    Source           Transformers: utils/import_utils.py, modeling_utils.py
    """
    told = facts.stated("torch-below-what-models-want")
    cuda = facts.stated("torch-not-compiled-with-cuda")
    torch, models = facts.package("torch") or facts.framework("torch"), facts.package("transformers")
    version = torch.version if torch is not None else None
    plugin = next((p for p in facts.packages("torch-npu", "torch-musa", "torch-mlu") if p.version), None)
    old = version is not None and numbers(version)[:2] < _NAMES_ITS_DEVICE
    newer = models is not None and models.version is not None and numbers(models.version)[:2] >= _MAY_ASK_FOR_CUDA
    newer = newer or any((hit := _ABOVE.search(f.text)) and numbers(hit["version"])[:2] >= (4, 48) for f in cuda)
    if version is not None and numbers(version)[:2] < _LEFT_OUT_BELOW:
        told += facts.stated("models-left-torch-out")
    if not told and not (cuda and plugin and old and newer):
        return
    wants = next((fact.value("wants") for fact in told if fact.value("wants")), None)
    has = version or next((fact.value("has") for fact in told if fact.value("has")), None)
    library = next((fact.value("by") or fact.value("by_component") for fact in told if fact.value("by")), None)
    library = library or "transformers"
    name = f"{library} {models.version}" if models is not None and library == "transformers" else library
    evidence = quoted(told or cuda)
    if version:
        evidence = (*evidence, Evidence(fact="torch", value=version))
    yield Problem(
        title=f"torch {has or 'here'} is too old for {name}" + (f", which requires {wants}" if wants else ""),
        evidence=evidence,
        remedies=tuple(_remedies(facts, specs, library, plugin is not None)),
    )


def _remedies(facts: Facts, specs: Specs, library: str, has_plugin: bool) -> Iterator[Remedy]:
    from accel.resolver.remedies import install, machine_of

    if has_plugin:
        text = (
            "Install a newer torch together with the plugin from the same release, according to the plugin "
            "vendor's table"
        )
        pair = install(facts, specs, "torch", text=text, newest=True)
        found = _TORCH.search(pair.command or "")
        new = found is not None and numbers(found["version"])[:2] >= _NAMES_ITS_DEVICE
        told = machine_of(facts, specs).stacks.get("cann") is not None
        yield pair if (new and told) or facts.package("torch-npu") is None else _FIRST_PAIR
    else:
        text = f"Install a newer torch, with its companions, that {library} accepts"
        yield install(facts, specs, "torch", text=text, newest=True)
    yield Remedy(text=f"Or keep torch and use a release of {library} from the time of this torch.")
