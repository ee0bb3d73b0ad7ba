"""Which program requires which cuDNN, and where to get it. Pure.

A program that brings no cuDNN of its own (CTranslate2, ONNX Runtime, Paddle) looks for a file of one major version:
libcudnn_ops.so.9, cudnn_ops_infer64_8.dll. torch ships one; if its major differs, one of the two has to change.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from accel.resolver.installer import in_conda, pip_install
from accel.resolver.torch_here import torch_here
from accel.resolver.typed import typed_pin
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Remedy, Specs
from accel.vendors.contract.command import bounded_word, chained, command_line, requirement_word
from accel_nvidia.cuda_in_use import ENGINES, by_conda, cuda_in_use, major_of_cuda, programs_of
from accel_nvidia.labelled_build import labelled_build, libraries_of

MAJOR: Final = pattern(r"(?:\.so\.|64_|^)(\d)(?!\d)", exact_case=True)
_FOLDER: Final = "FOLDER=$(python -c 'import nvidia.cudnn as m; print(m.__path__[0])')/lib"
OF_WHEEL: Final = (
    "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cudnn as m; print(m.__path__[0])')/lib:$LD_LIBRARY_PATH"
)
_FOUND_HERE: Final = (  # in torch/lib of builds up to 2.1, in nvidia/cudnn/lib of the others
    "export LD_LIBRARY_PATH=$(dirname $(find $(python -c 'import sys; print(sys.prefix)') "
    "-name 'libcudnn_ops_infer.so.8' | head -1)):$LD_LIBRARY_PATH"
)
_FIRST_WHEEL: Final = {"11": 8, "12": 8, "13": 9}  # the oldest cuDNN with a wheel for a major of CUDA


def major_asked(told: Iterable[Fact]) -> str | None:
    """Return the major version in the missing file's name; None if it has none."""
    named = (fact.value("wants") or fact.value("name") or "" for fact in told)
    return next((found[1] for name in named if (found := MAJOR.search(name))), None)


def major_of_torch(facts: Facts, specs: Specs) -> str | None:
    """Return the major of torch's cuDNN: of its wheel, else of its release's builds; a provider's is new."""
    wheels = {(p.version or "").split(".")[0] for p in facts.packages() if p.name.startswith("nvidia-cudnn-")} - {""}
    if len(wheels) == 1:
        return wheels.pop()
    torch = torch_here(facts, specs)
    version = torch.version
    if version is None and facts.stated("machine-rented"):
        from accel.resolver.remedies import preinstalled_here  # few texts are of such a session

        version = specs.frameworks("torch")[-1].version if "torch" in preinstalled_here(facts, specs) else None
    return _major_of(specs, "torch", version)


def other_program(facts: Facts, told: Iterable[Fact]) -> bool:
    """Return whether a program that looks up cuDNN itself printed the message, or is installed next to torch."""
    names = (
        *ENGINES,
        "faster-whisper",
        "whisperx",
        "onnxruntime",
        "paddlepaddle-gpu",
        "paddlepaddle",
        "mindspore-gpu",
    )
    return bool(facts.packages(*names)) or any(
        word in fact.text.lower() for fact in told for word in ("paddle", "ctranslate2", "onnxruntime", "mindspore")
    )


def newer_of_major(facts: Facts, specs: Specs, told: Iterable[Fact]) -> Remedy | None:
    """Return the required release if an older one of the same major is installed."""
    for fact in told:
        wants, has = numbers(fact.value("wants") or ""), numbers(fact.value("has") or "")
        if len(wants) > 1 and len(has) > 1 and wants[0] == has[0] >= 8 and has[:2] < wants[:2]:
            bounds = f">={'.'.join(map(str, wants))},<{wants[0] + 1}"
            cuda = major_of_cuda(facts, specs, cudnn=".".join(map(str, wants[:2])))
            return Remedy(
                text=f"cuDNN {wants[0]}.{wants[1]} or newer is required, but {has[0]}.{has[1]} is loaded: update "
                "it in the place that the program loads it from.",
                command=cudnn_command(facts, cuda, bounds),
            )
    return None


def shown_to_loader(facts: Facts, specs: Specs, asked: str | None) -> Remedy | None:
    """Return how to make the loader find a wheel's cuDNN, if torch's wheel has the required major."""
    if asked is None or major_of_torch(facts, specs) != asked:
        return None
    if facts.host.system == "windows":
        return Remedy(
            text=f"torch includes cuDNN {asked} in a folder that only torch searches: put the folder lib in the "
            "one that this prints on PATH, in the window that then starts the program.",
            command="python -c 'import torch; print(torch.__path__[0])'",
        )
    return Remedy(
        text=f"torch includes cuDNN {asked} in a folder that only torch searches: add it to the loader's path "
        "before the program starts.",
        command=_FOUND_HERE if asked == "8" else OF_WHEEL,
    )


def cudnn_command(facts: Facts, cuda: str | None, bounds: str) -> str | None:
    """Return the command that installs cuDNN within bounds: conda's package, which follows its CUDA, or a wheel."""
    if in_conda(facts):
        return command_line("conda install -c conda-forge", bounded_word("cudnn", bounds))
    return pip_install(facts, bounded_word(f"nvidia-cudnn-cu{cuda}", bounds)) if cuda is not None else None


def moved_program(facts: Facts, specs: Specs, asked: str | None) -> Remedy | None:
    """Return the newest release of the requiring program that works with torch's cuDNN instead."""
    has = major_of_torch(facts, specs)
    if asked is None or has is None or has == asked:
        return None
    engines = [(p.name, p.version) for p in facts.packages(*ENGINES)]
    for name, release in engines or [(name, typed_pin(facts, (name,)).version) for name in ENGINES]:
        if release is None or _major_of(specs, name, release) != asked:
            continue
        fitting = [r.version for r in specs.frameworks(name) if _major_of(specs, name, r.version) == has]
        if not fitting:
            continue
        return Remedy(
            text=f"Release {release} of {name} requires cuDNN {asked}, but torch includes cuDNN {has}: use the release "
            f"of {name} that matches cuDNN {has}.",
            command=pip_install(facts, requirement_word(name, max(fitting, key=numbers))),
            action="env",
        )
    return next((one for package in facts.packages() if (one := _engine_moved(facts, specs, package.name, has))), None)


def _engine_moved(facts: Facts, specs: Specs, package: str, has: str) -> Remedy | None:
    """Return the releases of the engine below a package (faster-whisper on CTranslate2) that go with torch's cuDNN."""
    engine = specs.components.of_package(package)
    if engine not in ENGINES or package in ENGINES:
        return None
    releases = specs.frameworks(engine)
    asked = [_major_of(specs, engine, release.version) for release in releases]
    first = next((at for at, major in enumerate(asked) if major is not None and set(asked[at:]) == {has}), None)
    if first is None:
        return None
    return Remedy(
        text=f"{package} computes with {specs.components.title(engine)}: from {releases[first].version} on it "
        f"requires cuDNN {has}, which torch includes.",
        command=pip_install(facts, bounded_word(engine, f">={releases[first].version}")),
    )


def _major_of(specs: Specs, name: str, version: str | None) -> str | None:
    release = specs.framework(name, version) if version else None
    majors = (
        {b.cudnn_version.split(".")[0] for b in release.builds if b.cudnn_version} if release is not None else set()
    )
    return majors.pop() if len(majors) == 1 else None


def installed(facts: Facts, specs: Specs, asked: str | None, on_windows: bool, release: str | None = None) -> Remedy:
    """Return how to install and find the required cuDNN: a wheel for the CUDA in use, or conda's before cuDNN 8.

    asked    its major version; None if the missing file has no number, which no wheel contains: a link does
    release  the one that the program was built with: "7.6"
    """
    wanted = f"cuDNN {asked}" if asked else "cuDNN"
    if not on_windows and (build := labelled_build(facts, specs)) is not None:
        return libraries_of(build, specs)
    if asked is not None and (int(asked) < 8 or in_conda(facts)):
        return _from_conda(facts, specs, release or asked, on_windows)
    cuda = major_of_cuda(facts, specs, cudnn=asked)
    if cuda is None or asked is None:
        return _undecided(facts, specs, asked, wanted, on_windows)
    old = int(asked) < _FIRST_WHEEL.get(cuda, 8)
    wheel = bounded_word(f"nvidia-cudnn-cu{'12' if old else cuda}", f"=={asked}.*")
    beside = major_of_torch(facts, specs) not in (None, asked)  # one wheel replaces the other
    text = f"Install the wheel of {wanted} for CUDA {cuda}"
    if beside:
        text += ", in a separate folder, because torch needs the other one"
        install, folder = (
            command_line("pip install --no-deps --target ~/cudnn", wheel),
            "FOLDER=~/cudnn/nvidia/cudnn/lib",
        )
    else:
        install, folder = pip_install(facts, wheel), _FOLDER
    if on_windows:
        at = "It prints the folder, whose bin must be put on PATH before the program starts."
        return Remedy(
            text=f"{text}. {at}",
            command=chained(install, "python -c 'import nvidia.cudnn as m; print(m.__path__[0])'"),
        )
    return Remedy(
        text=f"{text}, and show its folder to the loader, which does not search wheels.",
        command=chained(install, folder, "export LD_LIBRARY_PATH=$FOLDER:$LD_LIBRARY_PATH"),
    )


def _from_conda(facts: Facts, specs: Specs, asked: str, on_windows: bool, cuda: str | None = None) -> Remedy:
    """Return conda's cuDNN, with the toolkit that is used."""
    used = cuda or next((f.value("version") for f in facts.stated("cuda-variant-wanted")), None)
    used = used or cuda_in_use(facts, specs) or ""
    found = (
        ": its folder Library\\bin is on PATH once that is active"
        if on_windows
        else ", and add its folder to LD_LIBRARY_PATH"
    )
    kit = f" and CUDA {used}" if used else ""
    command = by_conda(specs, asked, used, on_windows=on_windows)
    got = (command or "").partition("cudnn=")[2].partition(" ")[0]
    have = asked if not got or got.startswith(asked) else f"{got}, which conda has in place of {asked},"
    return Remedy(text=f"Install cuDNN {have}{kit} in a conda environment{found}.", command=command)


def _span(row: Mapping[str, Any]) -> str:
    return row["first"] if row["first"] == row["last"] else f"{row['first']} to {row['last']}"


def _builds(row: Mapping[str, Any]) -> str:
    return ", ".join(f"CUDA {one['cuda']} with cuDNN {one['cudnn']}" for one in row["builds"])


def _of_newer_cuda(facts: Facts, specs: Specs, said: Fact | None) -> Remedy | None:
    """Return the program's build for a newer CUDA, if its current CUDA does not support the GPU."""
    from accel.resolver.remedies import install, machine_of

    capability = said.value("capability") if said is not None else None
    known = specs.architecture("nvidia", compute_capability=capability) if capability else None
    runtime = said.value("version") if said is not None else None
    if known is None or known.first_toolkit is None or runtime is None:
        return None
    if numbers(runtime) >= numbers(known.first_toolkit):
        return None
    text = (
        f"This build is for CUDA {runtime}, which has no code for a GPU of compute capability {capability}; CUDA "
        f"{known.first_toolkit} is the first that does. Install a build for a newer one, with its cuDNN"
    )
    return install(facts, specs, "paddlepaddle", text=text, on=machine_of(facts, specs, "nvidia"))


def _undecided(facts: Facts, specs: Specs, asked: str | None, wanted: str, on_windows: bool) -> Remedy:
    """Return how to get the right cuDNN when the text does not show which, with what is known of the program."""
    if rows := programs_of(facts, specs, asked):
        said = facts.first("cuda-runtime-said")
        runtime = said.value("version") if said is not None else cuda_in_use(facts, specs)
        if (newer := _of_newer_cuda(facts, specs, said)) is not None:
            return newer
        pairs = {one["cudnn"] for row in rows for one in row["builds"] if one["cuda"] == runtime}
        if len(pairs) == 1 and runtime and numbers(runtime) < (12,) and not on_windows:
            return _from_conda(facts, specs, pairs.pop(), on_windows, runtime)
        if len(pairs) == 1:
            known = f"cuDNN {pairs.pop()} for CUDA {runtime}, which this build uses,"
        else:
            builds = "; ".join(f"{row['title']} {_span(row)}: {_builds(row)}" for row in rows)
            known = f"the CUDA and cuDNN that this release was built for ({builds})"
        link = ", with a link libcudnn.so to it," if asked is None else ""
        put = f"put the folder of libcudnn{link} on LD_LIBRARY_PATH before the program starts"
        if on_windows:
            put = f"unpack it (bin, include, lib) into the folder of CUDA {runtime or ''}".rstrip()
            put += ", or put its folder bin on PATH; then open a new window"
        return Remedy(
            text=f"Install {known} from NVIDIA's archive, https://developer.nvidia.com/cudnn-archive, and {put}."
        )
    return Remedy(
        text=f"Install {wanted} for the CUDA that the program was built for: nvidia-cudnn-cu11 or "
        "nvidia-cudnn-cu12. This text does not show which; print what is installed with:  pip list | grep "
        "-i -E 'nvidia|torch|onnxruntime|ctranslate2|paddle'"
    )
