"""The CUDA that a program was linked with, from the missing library's name or its package's name.

libcudart.so.11.0, libcublas.so.12      any CUDA 11, any CUDA 12
cudart64_101.dll, libcudart.so.10.2     CUDA 10.1, CUDA 10.2: before 11 the name has the minor version
libcudnn.so.8, libcudnn.so               cuDNN 8, and any
libcublas.so, required by a package release that ends in post107    CUDA 10 with cuDNN 7, in PaddlePaddle 1's numbering
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Fact, Missing
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule
from accel_nvidia.cuda_in_use import release_of_library

_OF_PADDLE: Final = pattern(r"1\.\d{1,2}\.\d{1,2}\.post(?P<cuda>\d{1,2})\d", exact_case=True)
_FRAMEWORKS: Final = ("torch", "jax", "jaxlib", "triton", "cuda-runtime", "cublas", "cudnn")  # wheels ship their own


_CUDNN: Final = pattern(r"cudnn\w{0,24}?(?:\.so\.?|64_|\.dll)(?P<major>\d)?", exact_case=True)
_WHEEL: Final = pattern(r"nvidia-(?P<library>[a-z]{3,12})-cu\d{2}", exact_case=True)


@rule(
    gives={
        "cuda-wanted": "the CUDA that a program was linked with, whose library is not found",
        "cudnn-wanted": "the cuDNN that a program was linked with, whose library is not found",
        "library-in-wheel": "a library of CUDA that is not found is installed as a wheel",
        "library-of-other-cuda": "the missing library belongs to a CUDA other than the one in its package's name",
    },
    triggers=("missing.library", "cuda-library-missing", "cudnn-part-missing"),
)
def cuda_wanted(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a library whose name belongs to one CUDA only; frameworks that ship their own CUDA are skipped."""
    missing = [
        fact_from("cuda-wanted", one, name=one.name, by_component=one.by_component)
        for one in seen.of(Missing)
        if one.piece == "library"
    ]
    for fact in (*missing, *(replace(one, name="cuda-wanted") for one in seen.facts("cuda-library-missing"))):
        library = (fact.value("name") or "").replace("\\", "/").rpartition("/")[2]
        owner = fact.value("by_component")
        if (cudnn := _CUDNN.search(library)) is not None:
            values = (("name", library), *((("release", cudnn["major"]),) if cudnn["major"] else ()))
            yield replace(fact, name="cudnn-wanted", values=values)
            continue
        yield from _in_wheel(fact, library, seen)
        release = release_of_library(specs, library)
        if release is None:
            owner, release = _by_name(seen) or (owner, None)
        yield from _foreign(fact, library, release, seen)
        if release is None or owner in _FRAMEWORKS:
            continue
        by = specs.components.title(owner) if owner else None
        by = by or owner or _program(seen) or "The program"
        yield replace(fact, values=(("release", release), ("library", library), ("by", by)))


def _in_wheel(fact: Fact, library: str, seen: Seen) -> Iterator[Fact]:
    """Yield the installed wheel that has the library."""
    for environment in seen.snapshot.environments:
        for package in environment.packages or ():
            found = _WHEEL.fullmatch(package.name)
            if found is not None and library.startswith(f"lib{found['library']}.so") and package.version:
                values = (("library", library), ("wheel", package.name), ("version", package.version))
                yield replace(fact, name="library-in-wheel", values=values)


def _foreign(fact: Fact, library: str, release: str | None, seen: Seen) -> Iterator[Fact]:
    """Yield packages that need a library of another CUDA than the one in their name.

    The package itself does not need it: a library of the other CUDA with the same file name in both (libcusolver.so.11)
    was loaded in place of its own.
    """
    wanted = (release or "").partition(".")[0]
    labelled = {(fact.value("package"), fact.value("built")) for fact in seen.facts("package-for-cuda")}
    majors = {built for _, built in labelled}
    if wanted and len(majors) == 1 and wanted not in majors:
        package, built = min(labelled, key=str)
        yield replace(
            fact,
            name="library-of-other-cuda",
            values=(("library", library), ("wants", wanted), ("package", package or ""), ("built", built or "")),
        )


def _by_name(seen: Seen) -> tuple[str, str] | None:
    """Return the package whose release number names a CUDA, and that CUDA's major."""
    named = [(one.name, one.version or "") for e in seen.snapshot.environments for one in e.packages or ()]
    typed = (word.partition("==") for one in seen.of(Command) for word in one.operands)
    for name, version in (*named, *((name, version) for name, _, version in typed)):
        if found := _OF_PADDLE.fullmatch(version):
            return f"{name} {version}", found["cuda"]
    return None


def _program(seen: Seen) -> str | None:
    """Return the program that a text is about, if it names only one."""
    named = {value for fact in seen.facts("program-named") if (value := fact.value("program"))}
    return named.pop() if len(named) == 1 else None
