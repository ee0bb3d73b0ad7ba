"""Another cuDNN than the one that the framework was compiled with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV053",
    name="cudnn-mismatch",
    layer="framework",
    reads=("cudnn-unlike-build", "cudnn-parts-unlike", "cudnn-part-missing"),
    needs=(),
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
        title = f"PyTorch was compiled with cuDNN {known.value('wants')} and found {known.value('has')}"
    elif unlike:
        title = "Parts of different cuDNN versions are loaded together"
    elif missing:
        title = f"{missing[0].value('name')} cannot be loaded"
    else:
        return
    yield Problem(title=title, evidence=quoted((*unlike, *missing)), remedies=_remedies(facts, bool(unlike)))


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
