"""A release whose label names the CUDA and cuDNN that it was built for: paddlepaddle-gpu 1.8.3.post107. Pure.

The labels are in specs/nvidia/cudnn_of_programs.yaml.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.specs.versions import numbers
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import bounded_word, chained, command_line, requirement_word
from accel_nvidia.cuda_in_use import by_conda

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel.facts.questions import Facts
    from accel.specs import Specs

NAMED: Final = "labelled-build-named"


@dataclass(frozen=True, slots=True)
class LabelledBuild:
    """version: with its label; row: the meaning of the label."""

    version: str
    row: "Mapping[str, Any]"


def labelled_build(facts: "Facts", specs: "Specs") -> LabelledBuild | None:
    """Return the build that the text names with its label; None if it names none, or several."""
    rows = (specs.table("nvidia/cudnn_of_programs") or {}).get("labels", ())
    versions = {fact.value("release") or "" for fact in facts.stated(NAMED)}
    versions |= {package.version or "" for row in rows for package in facts.packages(row["package"])}
    found = {
        version: row for version in versions for row in rows if version.lower().endswith(f".{row['label']}") and version
    }
    return LabelledBuild(*next(iter(found.items()))) if len(found) == 1 else None


def libraries_of(build: LabelledBuild, specs: "Specs") -> Remedy:
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


def of_this_cuda(build: LabelledBuild, here: str | None, specs: "Specs") -> Remedy | None:
    """Return the same release with the label of the installed CUDA; None if it has none."""
    if here is None or numbers(here)[:1] == numbers(build.row["cuda"])[:1]:
        return None
    release = build.version.rpartition(".")[0]
    known = specs.table("nvidia/cudnn_of_programs") or {}
    made = {
        one["cuda"]
        for row in known.get("programs", ())
        if build.row["package"].startswith(row["program"])
        and numbers(row["first"]) <= numbers(release)[:2] <= numbers(row["last"])
        for one in row["builds"]
    }
    fitting = [
        row
        for row in known.get("labels", ())
        if row["package"] == build.row["package"]
        and row["cuda"] in made
        and numbers(row["cuda"])[:1] == numbers(here)[:1]
        and numbers(row["cuda"]) <= numbers(here)[:2]
    ]
    if not fitting:
        return None
    label = max(fitting, key=lambda row: numbers(row["cuda"]))["label"]
    package = build.row["package"]
    text = (
        f"{package} {build.version} is built for CUDA {build.row['cuda']}, but CUDA {here} is installed: use the build"
    )
    return Remedy(
        text=f"{text} of the same release for that.",
        command=command_line("pip install", requirement_word(package, f"{release}.{label}")),
    )
