"""How to rebuild extensions that were compiled against torch: for this torch, or for this GPU. Pure.

a file in a project's folder                in that folder, by its setup.py
a file in torch's cache of extensions       by torch itself, after removal
a package                                   from its repository if it is not on the public index
"""

from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Raised
from accel.specs import Specs
from accel.text.compiled_file import folder_in_cache, folder_of_project, module_in, straight
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import (
    Word,
    assignment_word,
    chained,
    command_line,
    package_word,
    path_word,
    removed_word,
    repository_word,
)

_AGAIN: Final = "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation"
_FRAMEWORKS: Final = ("torch", "torchvision", "torchaudio", "accelerate", "transformers", "diffusers", "lightning")
_EARLIER: Final = "What an earlier build left there belongs to the other torch."
_PART_MISSING: Final = (
    "First check that the sources in setup.py list every file with a function that it calls: a .cu next to its "
    ".cpp; its GPU part is built if nvcc is found."
)


def built_again(name: str, file: str, variable: Word | None = None, *, part_missing: bool = False) -> Remedy | None:
    """Return how to rebuild the file for the installed torch; None for a file of a package.

    variable      environment variable for the build: the architectures, "TORCH_CUDA_ARCH_LIST=9.0"
    part_missing  it was built without some of its sources
    """
    if (cache := folder_in_cache(file)) is not None:
        return Remedy(
            text=f"Remove {name} from torch's cache of compiled extensions: it is recompiled for the installed "
            "torch when the program next starts.",
            command=command_line("rm -rf", removed_word(cache)),
            action="env",
        )
    folder = folder_of_project(file)
    if folder is None:
        return None
    file = straight(file)
    text = (
        f"{module_in(file)} is the project's own extension: build it again with the installed torch, where its "
        f"setup.py is, in that folder or one above it. {_PART_MISSING if part_missing else _EARLIER}"
    )
    if "\\" in folder or folder.startswith("~"):  # quoted, a home folder is none
        return Remedy(text=f"{text} Remove the folder build and the file first:  python setup.py build_ext --inplace")
    built = "/build/" in file.removeprefix(folder)
    build = "python setup.py install" if built else "python setup.py build_ext --inplace"
    return Remedy(
        text=text,
        command=chained(
            command_line("cd", path_word(folder)),
            command_line("rm -rf build", *(() if built else (path_word(file.removeprefix(f"{folder}/")),))),
            command_line(*([variable] if variable is not None else []), build),
        ),
        action="env",
    )


def repository_of(specs: Specs, name: str) -> Word | None:
    """Return the repository from which pip builds a package that is not on the public index; None for any other."""
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("repositories", ())
    return next((repository_word(row["url"]) for row in rows if row["package"] == name), None)


def built_for_gpu(facts: Facts, specs: Specs, gpu: str, code: str) -> Remedy | None:
    """Return how to build the extension with the failing kernel for a GPU that torch itself has code for.

    None if no traceback shows the file in which it failed.
    """
    name = _where_it_failed(facts)
    architectures = assignment_word("TORCH_CUDA_ARCH_LIST", code)
    if name is None or architectures is None:
        return None
    source = repository_of(specs, name) or package_word(name)
    return Remedy(
        text=f"torch has code for {gpu}, but {name} was compiled without it, because no such GPU was visible: "
        "build it again, and name the architecture, with the toolkit for torch's CUDA. If it came from a "
        "folder of the project, use that folder as the last word.",
        command=command_line(architectures, _AGAIN, source),
        action="env",
    )


def _where_it_failed(facts: Facts) -> str | None:
    """Return the package of the innermost frame outside the frameworks: it called the compiled part."""
    for raised in facts.snapshot.observations:
        if isinstance(raised, Raised) and raised.frames:
            modules = [frame.module for frame in raised.frames if frame.module not in (None, *_FRAMEWORKS)]
            innermost = raised.frames[-1].module
            if innermost is not None and modules and innermost == modules[-1]:
                return innermost.replace("_", "-").lower()
    return None
