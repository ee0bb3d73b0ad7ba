from collections.abc import Iterator
from typing import Final

from accel.facts.readers.typed_cuda import STATED_CUDNN
from accel.resolver.installer import pip_install
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import chained, command_line, package_word, requirement_word, url_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia.cudnn import installed
from accel_nvidia.version_pairs import ORT, Pair, evidence_of, fitting_release, serves, title_of, unfit_pair

TROUBLE: Final = (
    "program-without-gpu",
    "onnxruntime-provider-unloaded",
    "cuda-library-missing",
    "cudnn-part-missing",
    "library-not-found",
)
_ARCHIVES: Final = "https://developer.nvidia.com/cuda-toolkit-archive and https://developer.nvidia.com/cudnn-archive"


@check(
    code="NV178",
    name="program-cuda-mismatch",
    layer="framework",
    family="cuda-libs-conflict",
    reads=TROUBLE,
    needs=("run.program",),
    requires=("tensorflow-cuda-mismatch",),
    explained_by=("driver-not-loaded", "container-without-gpu"),
)
def program_cuda_mismatch(facts: Facts, specs: Specs) -> Problems:
    """A program that loads CUDA from the system was built for another CUDA or cuDNN release than the installed one.

    Why it matters   It continues without the GPU, often with only a warning, or none.
    What to do       Use the program's release for the installed CUDA, or also install the CUDA that it loads.
    Looks at         the ONNX Runtime release, any mention of the installed CUDA and cuDNN, and messages that the
                     program does not use the GPU
    Silent when      nothing is reported to fail; wheels of the needed CUDA are installed; one of several CUDAs fits
    Source           ONNX Runtime: CUDA Execution Provider, requirements; specs/nvidia/cudnn_of_programs.yaml
    """
    told = facts.stated(*TROUBLE)
    if not told:
        return
    pair = unfit_pair(facts, specs)
    if pair is None:
        return
    applies(pair.package != "tensorflow", "TensorFlow has its own check")
    yield Problem(
        title=title_of(pair),
        evidence=(*quoted(told[:2]), *evidence_of(pair)),
        remedies=tuple(_remedies(facts, specs, pair)),
    )


def _remedies(facts: Facts, specs: Specs, pair: Pair) -> Iterator[Remedy]:
    cudnn = next((kit.version for kit in facts.environment.toolkits if kit.name == STATED_CUDNN), None)
    beside = _beside(facts, specs, pair)
    if pair.nuget:
        yield beside
        yield fix(specs, "nvidia", "onnxruntime-1-20-1")
        return
    row = _of_other_index(specs, pair, cudnn)
    if row is not None:
        yield row
    release = fitting_release(specs, pair, cudnn)
    if release is not None and row is None:
        install = pip_install(facts, requirement_word(pair.package, release))
        text = f"Install {pair.title} {release}, whose build supports CUDA {pair.has_cuda}"
        text += f" and cuDNN {cudnn}" if cudnn else ""
        if pair.package == ORT:
            text += "; the CPU package must not be installed at the same time"
            remove = command_line("pip uninstall -y", package_word("onnxruntime"), package_word(ORT))
            install = chained(remove, install)
        yield Remedy(
            text=f"{text}.",
            command=install,
            action="env",
        )
    yield beside


def _of_other_index(specs: Specs, pair: Pair, cudnn: str | None) -> Remedy | None:
    """Return the build on another index for the installed CUDA major and cuDNN."""
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("other_cuda", ())
    for row in rows:
        of_cuda = (pair.has_cuda or "").partition(".")[0] == row["cuda"]
        if row["package"] == pair.package and of_cuda and (cudnn or "").partition(".")[0] == row["cudnn"]:
            return Remedy(
                text=f"Install {pair.title} {row['release']} for CUDA {row['cuda']} and cuDNN {row['cudnn']}. "
                f"{row['text']}",
                command=command_line(
                    "pip install --force-reinstall --no-deps",
                    requirement_word(pair.package, row["release"]),
                    "--index-url",
                    url_word(row["index"]),
                ),
                action="env",
            )
    return None


def _beside(facts: Facts, specs: Specs, pair: Pair) -> Remedy:
    """Return how to install the CUDA, or only the cuDNN, that the release loads next to an existing one."""
    on_windows = facts.host.system == "windows"
    if pair.has_cuda is not None and serves(pair.cuda, pair.has_cuda) and not pair.nuget:
        return installed(facts, specs, (pair.cudnn or "").partition(".")[0] or None, on_windows)
    cudnn = f" and its cuDNN {pair.cudnn}" if pair.cudnn else ""
    at = "put their bin folders first on PATH" if on_windows else "add their lib64 folders to LD_LIBRARY_PATH"
    return Remedy(
        text=f"Install CUDA {pair.cuda}{cudnn} from {_ARCHIVES}, and {at} where the program starts; other CUDA "
        "versions may stay.",
        action="admin",
    )
