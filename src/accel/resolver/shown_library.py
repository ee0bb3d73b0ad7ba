"""Make the loader find a library that, according to the text, is on disk: nothing has to be installed. Pure.

find prints …/nvidia/cudnn/lib/libcudnn.so.8         its folder, exported
LD_LIBRARY_PATH="…" without export                   the same, and why the assignment did nothing
the folder is on LD_LIBRARY_PATH, and sudo is used   the loader's own list: sudo drops LD_LIBRARY_PATH
libcudart.so.8.0, and ls shows /usr/local/cuda-8.0   its lib64
"""

from collections.abc import Iterable
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Command
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, path_before, path_word

SHOWN: Final = ("library-shown", "toolkit-shown", "library-path-unexported")  # facts that a check of these reads
_VARIABLE: Final = "LD_LIBRARY_PATH"
_ENVIRONMENTS: Final = ("VIRTUAL_ENV", "CONDA_PREFIX")
_CUDNN_WHEEL: Final = "/nvidia/cudnn/lib"
_CUBLAS_WHEEL: Final = "/nvidia/cublas/lib"  # installed with cuDNN's wheel, whose libraries load it


def shown_library(facts: Facts, missing: Iterable[str]) -> Remedy | None:
    """Return how to add a folder with one of the missing libraries to the search path; None if the text shows none."""
    names = tuple(name.rpartition("/")[2] for name in missing if name)
    folder, library = next(((at, name) for name in names if (at := _folder_of(facts, name)) is not None), (None, ""))
    if folder is None:
        return None
    unexported = any(folder in (fact.value("value") or "") for fact in facts.stated("library-path-unexported"))
    under_sudo = any("sudo " in one.text for one in facts.snapshot.observations if isinstance(one, Command))
    set_here = bool(facts.variable(_VARIABLE)) and not unexported
    if set_here and (under_sudo or folder in _searched(facts)):
        why = "sudo drops LD_LIBRARY_PATH" if under_sudo else "what starts the program does not get LD_LIBRARY_PATH"
        return Remedy(
            text=f"The folder {folder} contains {library}, but {why}: add the folder to the loader's own list.",
            command=chained(
                command_line("echo", path_word(folder), "| sudo tee /etc/ld.so.conf.d/cuda.conf"), "sudo ldconfig"
            ),
            action="admin",
        )
    told = f"The folder {folder} contains {library}, but the loader does not search it: export it"
    if unexported:
        told = (
            f"The folder {folder} contains {library}, but LD_LIBRARY_PATH was assigned without export, so no "
            "program sees it: export it"
        )
    exports = [folder, *([folder.replace(_CUDNN_WHEEL, _CUBLAS_WHEEL)] if folder.endswith(_CUDNN_WHEEL) else [])]
    return Remedy(
        text=f"{told}, in the shell that then starts the program.",
        command=chained(*(command_line("export", path_before(_VARIABLE, one)) for one in exports)),
        action="env",
    )


def _folder_of(facts: Facts, name: str) -> str | None:
    """Return the folder with the library in a listing, or that of the toolkit implied by the number in its name.

    Of several folders, that of the program's own environment: another environment's may belong to another CUDA.
    """
    shown = [
        at for fact in facts.stated("library-shown") if fact.value("name") == name and (at := fact.value("folder"))
    ]
    own = tuple(f"{at.rstrip('/')}/" for one in _ENVIRONMENTS if (at := facts.variable(one)))
    if shown:
        return next((at for at in shown if own and at.startswith(own)), shown[0])
    release = name.partition(".so.")[2]
    for fact in facts.stated("toolkit-shown"):
        if release and fact.value("version") == release and name.startswith(("libcudart", "libcublas")):
            return f"{fact.value('path')}/lib64"
    return None


def _searched(facts: Facts) -> list[str]:
    return [folder.rstrip("/") for folder in (facts.variable(_VARIABLE) or "").split(":")]
