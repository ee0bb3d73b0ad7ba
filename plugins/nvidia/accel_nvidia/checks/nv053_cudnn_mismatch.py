"""Another cuDNN than the one that the framework was compiled with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.check import Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts import Facts
    from accel.specs import Specs

_UNLIKE: Final = ("torch-cudnn-incompatible", "cudnn-parts-unlike", "cudnn-symbol-missing")
_MISSING: Final = ("cudnn-part-missing", "cudnn-library-missing")


@check(
    code="NV053",
    name="cudnn-mismatch",
    layer="framework",
    requires=("jax-cudnn-too-old", "tensorflow-cuda-mismatch"),
)
def cudnn_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The program loads another cuDNN than the one it was compiled with, or parts of two, or only a part.

    Why it matters   Convolutions fail, or the import does.
    What to do       Take the directory of the other cuDNN out of LD_LIBRARY_PATH (or PATH on Windows): PyTorch brings
                     its own. Without a bundled one, install the version that the message names.
    Looks at         PyTorch's message with two versions; cuDNN's own messages about its parts and symbols
    Silent when      only cuDNN files on the disk are listed: they say nothing of what is loaded
    Source           PyTorch: torch/backends/cudnn/__init__.py; cuDNN: sub-libraries and their versions
    """
    unlike, missing = facts.events(*_UNLIKE), facts.events(*_MISSING)
    if not unlike and not missing:
        return
    known = next((e for e in unlike if e.value("compiled")), None)
    if known is not None:
        title = (
            f"PyTorch was compiled with cuDNN {_dotted(known.value('compiled'))} "
            f"and found {_dotted(known.value('found'))}"
        )
    elif unlike:
        title = "Parts of different cuDNN versions are loaded together"
    else:
        title = f"{missing[0].value('library') or 'A part of cuDNN'} cannot be loaded"
    yield Problem(title=title, evidence=signs.quoted((*unlike, *missing)), remedies=_remedies(facts, bool(unlike)))


def _dotted(version: str | None) -> str:
    return (version or "?").replace(" ", "").replace(",", ".")


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
