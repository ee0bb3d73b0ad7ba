"""Another cuDNN than the one that the framework was compiled with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted
from accel.contract.command import bounded_word
from accel.resolver.installer import pip_install
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs

_MAJOR: Final = pattern(r"(?:\.so\.|64_|^)(\d)(?!\d)", exact_case=True)


@check(
    code="NV053",
    name="cudnn-mismatch",
    layer="framework",
    reads=("cudnn-unlike-build", "cudnn-parts-unlike", "cudnn-part-missing"),
    needs=("run.program",),
    requires=("jax-cudnn-too-old", "tensorflow-cuda-mismatch"),
)
def cudnn_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The program loads another cuDNN than the one it was compiled with, or parts of two, or only a part.

    Why it matters   Convolutions fail, or the import does.
    What to do       Take the directory of the other cuDNN out of LD_LIBRARY_PATH (or PATH on Windows): PyTorch brings
                     its own. Without a bundled one, install the version that the message names.
    Looks at         messages with two versions of cuDNN; cuDNN's own about its parts; missing libraries and symbols
    Silent when      only cuDNN files on the disk are listed: they say nothing of what is loaded
    Source           PyTorch: torch/backends/cudnn/__init__.py; cuDNN: sub-libraries and their versions
    """
    versions = facts.stated("cudnn-unlike-build")
    unlike = (*versions, *facts.stated("cudnn-parts-unlike"))
    missing = facts.stated("cudnn-part-missing")
    known = next((fact for fact in versions if fact.value("wants") and fact.value("has")), None)
    if known is not None:
        who = specs.components.title(known.value("by") or "") or "The program"
        title = f"{who} was compiled with cuDNN {known.value('wants')} and found {known.value('has')}"
    elif unlike:
        title = "Parts of different cuDNN versions are loaded together"
    elif missing:
        title = f"{missing[0].value('name')} cannot be loaded"
    else:
        return
    torchs = facts.framework("torch") is not None or any("torch" in fact.text.lower() for fact in (*unlike, *missing))
    torchs = torchs and not _of_another_major(facts, missing)
    remedies = _remedies(facts, bool(unlike)) if torchs else _of_other_program(facts, (*versions, *missing))
    yield Problem(title=title, evidence=quoted((*unlike, *missing)), remedies=remedies)


def _of_another_major(facts: "Facts", missing: "tuple[Fact, ...]") -> bool:
    """Whether the file that is missed is of another cuDNN than torch's wheel: then another program asks for it."""
    asked = {found[1] for fact in missing if (found := _MAJOR.search(fact.value("name") or ""))}
    there = {(p.version or "").split(".")[0] for p in facts.packages() if p.name.startswith("nvidia-cudnn-")} - {""}
    return bool(asked and there) and asked.isdisjoint(there)


def _of_other_program(facts: "Facts", told: "tuple[Fact, ...]") -> tuple[Remedy, ...]:
    """Return what to do for a program that brings no cuDNN of its own, as CTranslate2, ONNX Runtime and Paddle do."""
    named = (fact.value("wants") or fact.value("name") or "" for fact in told)
    major = next((found[1] for name in named if (found := _MAJOR.search(name))), None)
    on_windows = facts.host.system == "windows" or any(".dll" in (fact.value("name") or "") for fact in told)
    wanted = f"cuDNN {major}" if major else "the cuDNN that the program was built for"
    place = "on PATH" if on_windows else "in the loader's path"
    return (
        Remedy(
            text=f"Make {wanted} findable {place}: another major beside it does not stand in for it.",
            command="where cudnn*.dll" if on_windows else "ldconfig -p | grep cudnn; find / -name 'libcudnn*.so*'",
        ),
        Remedy(
            text=f"If it is not there: install the wheel of {wanted} for the CUDA in use"
            + ("." if on_windows else ", and name its folder in LD_LIBRARY_PATH."),
            command=pip_install(facts, bounded_word("nvidia-cudnn-cu12", f"=={major}.*" if major else "")),
        ),
        Remedy(text="Or take a release of the program that was built for the cuDNN that is there."),
    )


def _remedies(facts: "Facts", unlike: bool) -> tuple[Remedy, ...]:
    on_windows = facts.host.system == "windows"
    bundled = Remedy(
        text="Start without the other cuDNN: PyTorch comes with its own."
        if not on_windows
        else "Take the directory with the other cudnn*.dll out of PATH: PyTorch comes with its own.",
        command=None
        if on_windows
        else "env -u LD_LIBRARY_PATH python -c 'import torch; print(torch.backends.cudnn.version())'",
    )
    wheel = Remedy(
        text="Reinstall the cuDNN wheel that torch asks for (pip check names it), in one version only.",
        command="pip check",
    )
    return (bundled, wheel) if unlike else (wheel, bundled)
