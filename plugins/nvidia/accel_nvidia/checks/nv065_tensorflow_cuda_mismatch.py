from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.observation import Fact
from accel.resolver.installer import in_conda, pip_install
from accel.resolver.target import python_name
from accel.resolver.typed import typed_pin
from accel.specs.versions import numbers as numbers_of
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.contract.command import bounded_word, chained
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around
from accel_nvidia.checks.nv064_jax_cudnn_too_old import is_tensorflows, of_xla
from accel_nvidia.cuda_in_use import by_conda, release_of_library, rows_of
from accel_nvidia.library_wheels import wheels_for
from accel_nvidia.version_pairs import evidence_of, title_of, unfit_pair

if TYPE_CHECKING:
    from accel.specs import Build

_FIRST_WHEEL: Final = 8  # the oldest major of cuDNN with a wheel
_CUDNN: Final = pattern(r"libcudnn\w{0,20}\.so\.(?P<major>\d)|cudnn\w{0,20}64_(?P<dll>\d)\.dll")
_FOLDER: Final = pattern(r"[\\/]python(?P<version>3\.\d{1,2})[\\/](?:dist|site)-packages", exact_case=True)
_NAMES: Final = ("tensorflow", "tensorflow-gpu", "tf")


@check(
    code="NV065",
    name="tensorflow-cuda-mismatch",
    layer="framework",
    reads=(
        "cuda-library-missing",
        "cudnn-part-missing",
        "tensorflow-libraries-missing",
        "tensorflow-no-cuda-found",
        "cudnn-unlike-build",
        "xla-without-dnn-library",
        "tensorflow-named",
        "cuda-driver-library-opened",
        "program-without-gpu",
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("container-without-gpu", "cuda-torch-on-amd-machine", "no-windows-build"),
    explained_by=("driver-not-loaded", "driver-too-old", "driver-library-mismatch", "devices-hidden"),
)
def tensorflow_cuda_mismatch(facts: Facts, specs: Specs) -> Problems:
    """TensorFlow does not find CUDA libraries of the version it was built for, or finds an older cuDNN.

    Why it matters   It continues without the GPU, with only a warning.
    What to do       From 2.14 on install tensorflow[and-cuda]; before that, the CUDA and cuDNN of the tested build.
    Looks at         the loader's messages ("Could not load dynamic library"), "Cannot dlopen some GPU libraries", the
                     cuDNN version message; the GPU and the driver
    Silent when      there is no GPU (the same messages are then harmless; undecided if that is unknown); only TensorRT
                     is missing; libcuda is missing, which belongs to the driver. Only information if another framework
                     does the work and no TensorFlow version is named
    Source           TensorFlow: tested build configurations, as cited in specs/frameworks/tensorflow.yaml
    """
    missing = tensorflows_missing(facts)
    whole = facts.stated("tensorflow-libraries-missing")
    cudnn = [fact for fact in of_xla(facts) if is_tensorflows(fact, facts)]
    noted = facts.stated("tensorflow-no-cuda-found")
    told = bool(cudnn) or not of_xla(facts)  # else jaxlib's own message says which cuDNN it is
    bare = facts.stated("xla-without-dnn-library") if told and _is_alone(facts) else ()
    unused = facts.stated("program-without-gpu")
    pair = unfit_pair(facts, specs) if unused or noted else None
    if pair is not None and pair.package != "tensorflow":
        pair = None
    if not missing and not whole and not cudnn and not noted and not bare and pair is None:
        return
    opened = facts.first("cuda-driver-library-opened") is not None
    gpu = facts.seen("nvidia") or opened
    stops = any("load dynamic library" not in fact.text.lower() for fact in missing)  # the last for TensorFlow 1
    certain = bool(cudnn or whole or bare or pair or stops)
    applies(gpu or certain or not around.amd_seen(facts), "the GPU is from AMD")
    applies(facts.host.system != "macos", "macOS has no CUDA")
    need(True if gpu or certain else None, "whether this machine has an NVIDIA GPU")
    libraries = tuple(dict.fromkeys(v for fact in missing if (v := fact.value("name"))))
    title = "TensorFlow does not find its CUDA libraries"
    if libraries:
        title = f"TensorFlow does not find {', '.join(libraries[:4])}" + (" …" if len(libraries) > 4 else "")
    elif cudnn:
        title = f"TensorFlow finds cuDNN {cudnn[0].value('has')} but was compiled with {cudnn[0].value('wants')}"
    elif pair is not None:
        title = title_of(pair)
    elif bare:
        title = "TensorFlow cannot use any cuDNN; the reason is given above this error in its log"
    yield Problem(
        title=title,
        evidence=(
            *quoted((*missing, *whole, *cudnn, *noted, *bare, *(unused[:2] if pair else ()))),
            *(evidence_of(pair) if pair else _wanted(facts, specs)),
        ),
        remedies=_remedies(facts, specs, libraries),
        severity="info" if _is_aside(facts) else None,
    )


def tensorflows_missing(facts: Facts) -> tuple[Fact, ...]:
    """Return the CUDA libraries that TensorFlow reports as missing; any program's, if it is the only framework."""
    told = facts.stated("cuda-library-missing", "cudnn-part-missing")
    spoken = facts.framework("tensorflow") is not None or facts.first("tensorflow-named") is not None
    alone = spoken and not any(facts.framework(name) is not None for name in ("torch", "jax", "jaxlib"))
    return tuple(
        fact
        for fact in told
        if "load dynamic library" in fact.text.lower()
        or "tensorflow requires" in fact.text.lower()
        or fact.value("by_component") == "tensorflow"
        or (alone and fact.name == "cuda-library-missing" and fact.value("by_component") is None)
    )


def _is_alone(facts: Facts) -> bool:
    """Return whether TensorFlow is present and JAX is not: XLA prints the same for both, with TensorFlow's paths."""
    return facts.framework("tensorflow") is not None and not any(
        facts.framework(name) is not None for name in ("jax", "jaxlib")
    )


def _is_aside(facts: Facts) -> bool:
    """Return whether another framework does the work and only imports TensorFlow, for TensorBoard or similar."""
    others = [f for name in ("torch", "jax") if (f := facts.framework(name)) is not None]
    return bool(others) and facts.framework("tensorflow") is None


def _wanted(facts: Facts, specs: Specs) -> Iterator[Evidence]:
    tensorflow = facts.framework("tensorflow")
    if tensorflow is None or tensorflow.version is None:
        return
    yield Evidence(fact="tensorflow", value=tensorflow.version)
    build = _tested(specs, tensorflow.version)
    if build is not None and build.toolkit_version:
        wanted = f"CUDA {build.toolkit_version}" + (f", cuDNN {build.cudnn_version}" if build.cudnn_version else "")
        yield Evidence(fact="tested with", value=wanted, source="specs/frameworks/tensorflow.yaml")


def _tested(specs: Specs, version: str) -> "Build | None":
    """Return the tested build; a patch release uses that of its minor version."""
    numbers = version.split(".")
    spellings = (version, ".".join((*numbers[:2], "0")), ".".join((*numbers[:2], "1")))
    default = next((build for s in spellings if (build := specs.build("tensorflow", s)) is not None), None)
    releases = (release for release in specs.frameworks("tensorflow") if release.version in spellings)
    return default or next((b for release in releases for b in release.builds if b.toolkit_version), None)


def _remedies(facts: Facts, specs: Specs, missing: tuple[str, ...]) -> tuple[Remedy, ...]:
    tensorflow = facts.framework("tensorflow")
    version = tensorflow.version if tensorflow is not None else typed_pin(facts, _NAMES).version
    numbers = tuple(int(n) for n in (version or "0").split(".")[:2] if n.isdecimal())
    if facts.host.system == "windows" and numbers >= (2, 11):
        from accel.resolver.wsl import tensorflow_of_windows

        return tensorflow_of_windows(facts)
    if numbers < (2, 14) and not missing and (newer := _newer_cudnn(facts, specs)) is not None:
        return (newer,)
    if version is None and not missing and not in_conda(facts):
        return fixes(specs, "nvidia", "tensorflow-with-cuda")
    if numbers >= (2, 14):
        from accel.resolver.remedies import install, machine_of

        return (
            install(
                facts,
                specs,
                "tensorflow",
                text="Install TensorFlow with its CUDA libraries",
                on=machine_of(facts, specs, "nvidia"),
                version=version,
                again=True,
            ),
        )
    wants = next((v for fact in of_xla(facts) if is_tensorflows(fact, facts) and (v := fact.value("wants"))), None)
    build = _tested(specs, version) if version else _alike(specs, missing, wants)
    if build is not None and build.toolkit_version:
        by_pip = build.toolkit_version.startswith("11.") and facts.host.system != "windows" and not in_conda(facts)
        names = ("libcudart.so.11.0", "libcudnn.so.8")  # with the others that TensorFlow opens
        return (
            *_from_archive(facts, build),
            *(wheels_for(facts, specs, names, own_loader=False, cuda="11") if by_pip else ()),
            _by_conda(facts, specs, build, f"TensorFlow {version}" if version else None),
        )
    if version is None and (told := _by_libraries(facts, specs, missing)):
        return told
    table = "Install the CUDA and cuDNN that TensorFlow's table of tested builds lists for this version"
    return (Remedy(text=f"{table}; it was compiled with cuDNN {wants}." if wants else f"{table}."),)


def _newer_cudnn(facts: Facts, specs: Specs) -> Remedy | None:
    """Return how to load the cuDNN that TensorFlow was compiled with, if an older one of the same major is loaded."""
    told = next((fact for fact in of_xla(facts) if is_tensorflows(fact, facts) and fact.value("wants")), None)
    wants, has = (told.value("wants") or "", told.value("has") or "") if told is not None else ("", "")
    build = _alike(specs, (), wants) if wants else None
    major = wants.partition(".")[0]
    if build is None or not build.toolkit_version or has.partition(".")[0] != major:
        return None
    text = f"TensorFlow loads cuDNN {has}, but needs {wants} or a newer one of the same major: install it"
    if facts.host.system == "windows" or in_conda(facts) or int(major) < _FIRST_WHEEL:
        windows, branch = facts.host.system == "windows", ".".join(wants.split(".")[:2])
        return Remedy(
            text=f"{text} with CUDA {build.toolkit_version} from conda, whose folder then comes first for the loader.",
            command=by_conda(specs, branch, build.toolkit_version, on_windows=windows),
        )
    wheel = bounded_word(f"nvidia-cudnn-cu{build.toolkit_version.partition('.')[0]}", f">={wants},<{int(major) + 1}")
    return Remedy(
        text=f"{text} as a wheel, and put its folder first on the loader's path, before the program starts.",
        command=chained(
            pip_install(facts, wheel),
            "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cudnn as m; print(m.__path__[0])')/lib:$LD_LIBRARY_PATH",
        ),
    )


def _alike(specs: Specs, missing: tuple[str, ...], wants: str | None) -> "Build | None":
    """Return the newest tested build for the CUDA with libraries of these names, or for a cuDNN ("8.6.0")."""
    named = (release_of_library(specs, name) for name in missing)
    cuda = next((release for release in named if release is not None and "." in release), None)
    minor = ".".join((wants or "").split(".")[:2])
    tested = [
        build
        for release in sorted(specs.frameworks("tensorflow"), key=lambda one: numbers_of(one.version), reverse=True)
        if (build := _tested(specs, release.version)) is not None and (cuda or minor)
        if cuda in (None, build.toolkit_version) and (build.cudnn_version or "").startswith("" if cuda else minor)
    ]
    return tested[0] if tested else None


def _by_conda(facts: Facts, specs: Specs, build: "Build", program: str | None) -> Remedy:
    """Return how to install a tested build's CUDA and cuDNN with conda; a newer cuDNN of the same major also works."""
    of_11 = (build.toolkit_version or "").startswith("11.")
    soname = "; the number in libcudart.so.11.0 is the soname of every CUDA 11.x" if of_11 else ""
    return Remedy(
        text=f"Install CUDA {build.toolkit_version} and its cuDNN for {program or 'this TensorFlow'}{soname}.",
        command=by_conda(
            specs, build.cudnn_version, build.toolkit_version or "", on_windows=facts.host.system == "windows"
        ),
    )


def _from_archive(facts: Facts, build: "Build") -> tuple[Remedy, ...]:
    """Return how to install the tested CUDA next to another one on Windows without conda; () elsewhere."""
    if facts.host.system != "windows" or in_conda(facts):
        return ()
    text = (
        f"Install CUDA {build.toolkit_version} from https://developer.nvidia.com/cuda-toolkit-archive and cuDNN "
        f"{build.cudnn_version} for it from https://developer.nvidia.com/cudnn-archive; other CUDA versions may "
        f"stay. Put the bin folder of CUDA {build.toolkit_version} first on PATH."
    )
    return (Remedy(text=text, action="admin"),)


def _by_libraries(facts: Facts, specs: Specs, missing: tuple[str, ...]) -> tuple[Remedy, ...]:
    """Return the missing parts of CUDA for the tested builds that load libraries of these names; () if ambiguous."""
    cudnn = next((found["major"] for name in missing if (found := _CUDNN.search(name))), None)
    tested = {
        release.version: build
        for release in specs.frameworks("tensorflow")
        if (build := _tested(specs, release.version)) is not None and build.toolkit_version and build.cudnn_version
        if (python := _python(facts)) is None or python in (release.pythons or (python,))
        if cudnn in (None, build.cudnn_version.partition(".")[0])
        if _has_all(specs, missing, build.toolkit_version.partition(".")[0])
    }
    majors = {build.toolkit_version.partition(".")[0] for build in tested.values() if build.toolkit_version}
    if not missing or len(majors) != 1:
        return ()
    newest = tested[max(tested, key=numbers_of)]
    alike = [version for version, build in tested.items() if build.toolkit_version == newest.toolkit_version]
    first, last = min(alike, key=numbers_of), max(alike, key=numbers_of)
    said = f"CUDA {newest.toolkit_version} and cuDNN {newest.cudnn_version}"
    bringing = wheels_for(facts, specs, missing, own_loader=False, cuda=majors.pop())
    why = f"TensorFlow {first} to {last} loads libraries with these names, and is tested with {said}."
    base = Remedy(
        text=f"In a container: build the image on an nvidia/cuda image that has {said}.",
        action="env",
    )
    return (*(replace(one, text=f"{why} {one.text}") for one in bringing), base)


def _has_all(specs: Specs, missing: tuple[str, ...], major: str) -> bool:
    """Return whether CUDA of this major, with its cuDNN, has libraries of all these names."""
    return all(not (rows := rows_of(specs, name)) or any(row["cuda"] == major for row in rows) for name in missing)


def _python(facts: Facts) -> str | None:
    """Return the Python that runs TensorFlow, by its version or its site-packages folder."""
    if version := python_name(facts.environment.python_version):
        return version
    folders = (_FOLDER.search(one.text) for one in facts.snapshot.observations)
    return next((found["version"] for found in folders if found), None)
