"""The CUDA that an environment's programs are built for, from any evidence in a text. Pure.

torch 2.1.2, CUDA 12.1; torch==2.1.1+cu118; jaxlib of cuda12        the build of a framework
Runtime API Version: 11.7                                           a program's own output
nvidia-cublas-cu12                                                  CUDA wheels, if all have one major
libcublasLt.so.11 cannot be opened                                  the soname, if only one major has it
faster-whisper, which requires cuDNN 8                              those releases of CTranslate2 are for CUDA 12
nvcc 12.1, /usr/local/cuda-13.0, "CUDA 10.1", nvidia/cuda:12.4.1     last: programs may not use the toolkit
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.facts.readers.typed_cuda import STATED_CUDA
from accel.resolver.torch_here import label_said, torch_here
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.command import chained, command_line, match_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_FRAMEWORKS: Final = ("torch", "jax", "jaxlib", "tensorflow")
_TOOLKITS: Final = ("cuda", "cuda-libraries", STATED_CUDA)
_OF_WHEEL: Final = pattern(r"nvidia-[a-z-]+-cu(\d{2})", exact_case=True)
_OF_LABEL: Final = pattern(r"cu(?P<major>1\d)(?P<minor>\d)|cuda(?P<whole>1\d)\D?.{0,20}")
_OF_OLD: Final = pattern(r"cu(?:dart|blas)(?:\.so\.|64_)(?P<major>10|9|8)[._]?(?P<minor>\d)(?:\D|$)", exact_case=True)
ENGINES: Final = ("ctranslate2", "onnxruntime-gpu")  # programs with tables of the CUDA and cuDNN of each release


def cuda_in_use(facts: "Facts", specs: "Specs", missing: Iterable[str] = (), cudnn: str | None = None) -> str | None:
    """Return the CUDA version, "11.8" or only "12"; None if there is no evidence.

    missing  names of libraries that are not found
    cudnn    the version that a program requires, "8" or "9.9"
    """
    told = (
        *_built(facts),
        *_said(facts),
        *_of_torch(facts, specs),
        *_of_wheels(facts),
        *_of_libraries(specs, missing),
        *_of_engine(facts, specs, cudnn),
        *(kit.version for kit in facts.environment.toolkits if kit.name in ("cuda", "cuda-libraries") and kit.version),
        *(version for fact in facts.stated("toolkit-shown", "toolkit-of-image") if (version := fact.value("version"))),
        *(kit.version for kit in facts.environment.toolkits if kit.name == STATED_CUDA and kit.version),
        *_of_provider(facts, specs),
    )
    found = next(iter(told), None)
    return ".".join(found.split(".")[:2]) if found else None


def major_of_cuda(facts: "Facts", specs: "Specs", missing: Iterable[str] = (), cudnn: str | None = None) -> str | None:
    """Return its major, "12"."""
    found = cuda_in_use(facts, specs, missing, cudnn)
    return found.partition(".")[0] if found else None


def newer_cuda(facts: "Facts", serves: str | None) -> str | None:
    """Return the newest CUDA of a toolkit or image in the text, "12.4", if a driver supports only an older one."""
    told = (
        *(version for fact in facts.stated("toolkit-shown", "toolkit-of-image") if (version := fact.value("version"))),
        *(kit.version for kit in facts.environment.toolkits if kit.name in _TOOLKITS and kit.version),
    )
    newest = ".".join(max(told, key=numbers, default="").split(".")[:2])
    return newest if serves and numbers(newest) > numbers(serves)[:2] else None


def built_cuda(facts: "Facts") -> str | None:
    """Return the CUDA that a framework here was built with."""
    return next(_built(facts), None)


def rows_of(specs: "Specs", name: str) -> list[dict[str, str]]:
    """Return the rows of a shared library, one for each CUDA that has it under this name."""
    rows = (specs.table("nvidia/library_wheels") or {}).get("libraries", ())
    return [row for row in rows if name in (row["soname"], row.get("dll"))]


def by_conda(specs: "Specs", cudnn: str | None, cuda: str, *, on_windows: bool) -> str | None:
    """Return the command that installs a CUDA before 12 ("": none) and a cuDNN, and sets LD_LIBRARY_PATH.

    cuDNN: that release, or the next newer one on conda-forge of the same major; for a major alone, the newest.
    """
    there: list[str] = (specs.table("nvidia/library_wheels") or {}).get("cudnn_of_conda", [])
    newer = [
        one for one in there if cudnn and numbers(one)[0] == numbers(cudnn)[0] and numbers(one) >= numbers(cudnn)[:2]
    ]
    wanted = [match_word(f"cudatoolkit={cuda}")] if "." in cuda and numbers(cuda) < (12,) else []
    if cudnn:
        wanted.append(match_word(f"cudnn={(newer[0] if '.' in cudnn else newer[-1]) if newer else cudnn}"))
    command = command_line("conda install -c conda-forge", *wanted)
    shown = "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"
    return command if on_windows else chained(command, shown)


def release_of_library(specs: "Specs", name: str) -> str | None:
    """Return the only CUDA whose libraries have this name: "12", "10.1"; None if several have it."""
    if (old := _OF_OLD.search(name)) is not None:
        return f"{old['major']}.{old['minor']}"
    majors = {row["cuda"] for row in rows_of(specs, name)}
    return majors.pop() if len(majors) == 1 else None


def programs_of(facts: "Facts", specs: "Specs", cudnn: str | None) -> list[dict[str, Any]]:
    """Return the rows of a program that the text names, with its builds for a cuDNN, "9.9" or "8"; None: all builds."""
    found = []
    for row in (specs.table("nvidia/cudnn_of_programs") or {}).get("programs", ()):
        builds = [one for one in row["builds"] if cudnn is None or f"{one['cudnn']}.".startswith(f"{cudnn}.")]
        if builds and facts.mentions(row["program"]):
            found.append({**row, "builds": builds})
    return found


def releases_for(specs: "Specs", engine: str, cudnn: str | None, cuda: str | None) -> list[str]:
    """Return the releases of a program that require these majors of cuDNN and CUDA, newest first."""
    found = [
        release.version
        for release in specs.frameworks(engine)
        for build in release.builds
        if build.default
        and cudnn in (None, (build.cudnn_version or "").partition(".")[0])
        and cuda in (None, (build.toolkit_version or "").partition(".")[0])
    ]
    return sorted(dict.fromkeys(found), key=numbers, reverse=True)


def engine_here(facts: "Facts", specs: "Specs") -> str | None:
    """Return the program that looks up CUDA's libraries itself: listed, a dependency, or identified by its messages."""
    for package in facts.packages():
        if package.name in ENGINES:
            return package.name
        if (engine := specs.components.of_package(package.name)) in ENGINES:
            return engine
    if facts.mentions("onnxruntime"):
        return "onnxruntime-gpu"
    return "ctranslate2" if facts.mentions("ctranslate2", "faster-whisper", "faster_whisper") else None


def _built(facts: "Facts") -> Iterator[str]:
    for name in _FRAMEWORKS:
        framework = facts.framework(name)
        if framework is not None and framework.cuda_version:
            yield framework.cuda_version
        elif framework is not None and framework.variant and (found := _dotted(framework.variant)):
            yield found


def _said(facts: "Facts") -> Iterator[str]:
    fact = facts.first("cuda-runtime-said")
    if fact is not None and (version := fact.value("version")):
        yield version


def _of_torch(facts: "Facts", specs: "Specs") -> Iterator[str]:
    label = torch_here(facts, specs).label or label_said(facts)
    if label is not None and (found := _dotted(label)):
        yield found


def _dotted(label: str) -> str | None:
    found = _OF_LABEL.fullmatch(label)
    if found is None:
        return None
    whole: str | None = found["whole"]
    return whole or f"{found['major']}.{found['minor']}"


def _of_provider(facts: "Facts", specs: "Specs") -> Iterator[str]:
    """Yield the CUDA version of the image that a cloud provider starts."""
    rented = facts.first("machine-rented")
    rows = (specs.table("language/providers") or {}).get("providers", ())
    if rented is not None:
        yield from (row["cuda"] for row in rows if row["name"] == rented.value("provider") and "cuda" in row)


def _of_wheels(facts: "Facts") -> Iterator[str]:
    majors = {found[1] for package in facts.packages() if (found := _OF_WHEEL.fullmatch(package.name))}
    if len(majors) == 1:
        yield majors.pop()


def _of_libraries(specs: "Specs", missing: Iterable[str]) -> Iterator[str]:
    majors = {rows[0]["cuda"] for name in missing if len(rows := rows_of(specs, name)) == 1}
    if len(majors) == 1:
        yield majors.pop()


def _of_engine(facts: "Facts", specs: "Specs", cudnn: str | None) -> Iterator[str]:
    if cudnn is None:
        return
    majors = {one["cuda"].partition(".")[0] for row in programs_of(facts, specs, cudnn) for one in row["builds"]}
    if len(majors) == 1:
        yield majors.pop()
    if (engine := engine_here(facts, specs)) is None:
        return
    installed = facts.package(engine)
    if installed is not None and installed.version and (cuda := _cuda_of(specs, engine, installed.version)):
        yield cuda
        return
    asked = releases_for(specs, engine, cudnn.partition(".")[0], None)
    majors_of = [cuda.partition(".")[0] for version in asked if (cuda := _cuda_of(specs, engine, version))]
    if majors_of:
        yield max(majors_of, key=majors_of.count)


def _cuda_of(specs: "Specs", engine: str, version: str) -> str | None:
    release = specs.framework(engine, version)
    builds = release.builds if release is not None else ()
    return next((build.toolkit_version for build in builds if build.default and build.toolkit_version), None)
