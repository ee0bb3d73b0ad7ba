"""A release whose label names the CUDA and cuDNN that it was built for: paddlepaddle-gpu 1.8.3.post107. Pure.

The labels are in specs/nvidia/cudnn_of_programs.yaml.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.specs.versions import numbers
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import (
    bounded_word,
    chained,
    command_line,
    package_word,
    requirement_word,
    url_word,
)
from accel_nvidia.cuda_in_use import by_conda

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED: Final = "labelled-build-named"


@dataclass(frozen=True, slots=True)
class LabelledBuild:
    """version: with its label; row: the meaning of the label."""

    version: str
    row: "Mapping[str, Any]"


def labelled_build(facts: Facts, specs: Specs) -> LabelledBuild | None:
    """Return the build that the text names with its label; None if it names none, or several."""
    rows = (specs.table("nvidia/cudnn_of_programs") or {}).get("labels", ())
    versions = {fact.value("release") or "" for fact in facts.stated(NAMED)}
    versions |= {package.version or "" for row in rows for package in facts.packages(row["package"])}
    found = {
        version: row for version in versions for row in rows if version.lower().endswith(f".{row['label']}") and version
    }
    return LabelledBuild(*next(iter(found.items()))) if len(found) == 1 else None


def libraries_of(build: LabelledBuild, specs: Specs) -> Remedy:
    """Return how to provide the CUDA and cuDNN that the build loads, and make the loader find them."""
    row = build.row
    text = f"{row['package']} {build.version} is built for CUDA {row['cuda']} with cuDNN {row['cudnn']}"
    if not (9,) <= numbers(row["cuda"]) < (12,):
        return Remedy(
            text=f"{text}: install the wheels of both, and show the loader their folders before the program starts.",
            command=chained(
                command_line(
                    "pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12",
                    bounded_word("nvidia-cudnn-cu12", f"=={row['cudnn']}.*"),
                ),
                "export LD_LIBRARY_PATH=$(python -c 'import glob, nvidia; "
                'print(":".join(glob.glob(nvidia.__path__[0] + "/*/lib")))\'):$LD_LIBRARY_PATH',
            )
            if row["cuda"].startswith("12")
            else None,
        )
    return Remedy(
        text=f"{text}, and only looks for them on the loader's path: install both in a conda environment, and "
        "add its folder to the loader's path in the shell that starts the program.",
        command=by_conda(specs, row["cudnn"], row["cuda"], on_windows=False),
    )


def plain_build(facts: Facts, specs: Specs, cudnn: str | None) -> LabelledBuild | None:
    """Return the build without a label that looks for a cuDNN of this major: the one on the package index.

    Its version is "" if the text does not tell the release. None if the text is about no such program, or if several
    builds look for this cuDNN.
    """
    known = specs.table("nvidia/cudnn_of_programs") or {}
    for page in known.get("pages", ()) if cudnn is not None else ():
        package: str = page["package"]
        program = package.partition("-")[0]
        rows = [row for row in known["programs"] if program.startswith(row["program"])]
        if not facts.mentions(rows[0]["program"]):
            continue
        here = facts.package(package)
        version = here.version if here is not None and here.version else ""
        if version:
            rows = [row for row in rows if numbers(row["first"]) <= numbers(version)[:2] <= numbers(row["last"])]
        else:
            rows = [row for row in rows if "newest" in row]
        builds = {(b["cuda"], b["cudnn"]) for row in rows for b in row["builds"] if b["cudnn"].split(".")[0] == cudnn}
        if len(builds) == 1:
            cuda, release = builds.pop()
            return LabelledBuild(version, {"package": package, "cuda": cuda, "cudnn": release})
    return None


def of_this_cuda(build: LabelledBuild, here: str | None, specs: Specs, on_windows: bool = False) -> Remedy | None:
    """Return the same release, or if it is unknown the newest, with the label of the installed CUDA; None if it has
    none.
    """
    if here is None or numbers(here)[:1] == numbers(build.row["cuda"])[:1]:
        return None
    package: str = build.row["package"]
    release = build.version.rpartition(".post")[0] or build.version
    known = specs.table("nvidia/cudnn_of_programs") or {}
    made = [
        (release or row["newest"], one)
        for row in known.get("programs", ())
        if package.startswith(row["program"])
        and (numbers(row["first"]) <= numbers(release)[:2] <= numbers(row["last"]) if release else "newest" in row)
        for one in row["builds"]
    ]
    fitting = [
        (row["cuda"], f"{version}.{row['label']}", one["cudnn"])
        for row in known.get("labels", ())
        for version, one in made
        if (row["package"], row["cuda"]) == (package, one["cuda"])
        and numbers(row["cuda"])[:1] == numbers(here)[:1]
        and numbers(row["cuda"]) <= numbers(here)[:2]
    ]
    if not fitting:
        return None
    cuda, version, cudnn = max(fitting, key=lambda one: (numbers(one[0]), numbers(one[1])))
    named = f"{package} {build.version}" if build.version else f"The {package} of the package index"
    pages: Mapping[str, str] = next((one for one in known.get("pages", ()) if one["package"] == package), {})
    page = pages.get("windows" if on_windows else "linux")
    return Remedy(
        text=f"{named} is built for CUDA {build.row['cuda']} with cuDNN {build.row['cudnn']}, but CUDA {here} is "
        f"installed: use the build of {'the same' if release else 'a'} release for CUDA {cuda}, the nearest to "
        f"it, which loads cuDNN {cudnn.partition('.')[0]}.",
        command=chained(
            command_line("pip uninstall -y", package_word(package)),
            command_line("pip install", requirement_word(package, version), *(["-f", url_word(page)] if page else [])),
        ),
    )
