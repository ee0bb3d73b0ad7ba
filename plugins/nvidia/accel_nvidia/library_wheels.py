"""Sources of CUDA's shared libraries: wheels, conda packages, or another build of the program. Pure.

libcublasLt.so.12                      nvidia-cublas-cu12, with its folder on the loader's path
libcusolver.so.11 and libcudnn.so.8    both wheels at once, of one CUDA, and the folders of all
libcudart.so.10.1                      conda's cudatoolkit=10.1: there are no wheels of CUDA 10
ONNX Runtime for CUDA 11, CUDA 12.1    its build for CUDA 12, not one library of CUDA 11 after another

Tables: specs/nvidia/library_wheels.yaml, the releases of the programs.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.installer import in_conda, pip_install
from accel.resolver.said import said_driver
from accel.resolver.shown_library import shown_library
from accel.resolver.torch_here import torch_here
from accel.resolver.typed import typed_pin
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.contract.command import (
    bounded_word,
    chained,
    command_line,
    match_word,
    package_word,
    path_before,
    requirement_word,
    url_word,
)
from accel_nvidia.around import on_jetson
from accel_nvidia.cuda_in_use import (
    built_cuda,
    cuda_in_use,
    engine_here,
    major_of_cuda,
    release_of_library,
    releases_for,
    rows_of,
)
from accel_nvidia.version_pairs import ORT, serves

if TYPE_CHECKING:
    from accel.vendors.contract.command import Word

_OF_MAJOR: Final = pattern(r"nvidia-[a-z-]+-cu(\d{2})", exact_case=True)
_OF_RELEASE: Final = pattern(r"libcu(?:dart|blas|rand|fft)\.so\.((?:[5-9]|10)\.\d)(?:\D|$)", exact_case=True)
_CUDNN: Final = ("cudnn", "cudnn-stated")  # names of a toolkit
_FIRST_WITH_EXTRAS: Final = (1, 21)  # of ONNX Runtime: cuda, cudnn and preload_dlls
_AGAIN: Final = "pip install --force-reinstall --no-deps"
_SHOWN: Final = (
    "export LD_LIBRARY_PATH=$(python -c 'import glob, nvidia; "
    'print(":".join(glob.glob(nvidia.__path__[0] + "/*/lib")))\'):$LD_LIBRARY_PATH'
)
_FOLDERS: Final = 'python -c \'import glob, nvidia; print(*glob.glob(nvidia.__path__[0] + "/*/bin"), sep=";")\''
_UNKNOWN: Final = (
    "The text does not show for which CUDA: the number after .so is the library's own. Print what the program "
    "was built for with:  pip show torch; pip list | grep -i -E 'nvidia|onnxruntime|ctranslate2|cupy|paddle'"
)


def plain_name(path: str | None) -> str:
    """Return a library's file name without its folder, of either system."""
    return (path or "").replace("\\", "/").rpartition("/")[2]


def wheels_for(
    facts: Facts, specs: Specs, missing: Iterable[str], *, own_loader: bool, cuda: str | None = None
) -> tuple[Remedy, ...]:
    """Return the remedies that install the libraries; () if none is known.

    missing     sonames
    cuda        the CUDA major that they must have, if the caller knows it
    own_loader  the program finds the wheels by itself, as frameworks do; other programs have to be told the folder
    """
    sonames = tuple(dict.fromkeys(plain_name(name) for name in missing))
    on_windows = facts.host.system == "windows" or any(name.endswith(".dll") for name in sonames)
    if facts.host.system == "macos":
        return ()
    if (old := _of_old_cuda(specs, sonames, on_windows=on_windows)) is not None:
        return (old,)
    rows = _rows(specs, sonames, cuda or major_of_cuda(facts, specs, sonames))
    if (extras := _extras(facts, specs, rows or ())) is not None and on_windows:
        return (extras,)
    rows = _with_others(facts, specs, rows) if rows and not own_loader else rows
    if rows is None:
        return (Remedy(text=f"Install {', '.join(sonames)}. {_UNKNOWN}"),)
    if not rows:
        return ()
    if in_conda(facts) and all("conda" in row for row in rows):
        return (_by_conda(rows, on_windows=on_windows),)
    return _by_pip(facts, specs, rows, own_loader=own_loader, on_windows=on_windows)


def _extras(facts: Facts, specs: Specs, rows: Sequence[Mapping[str, Any]]) -> Remedy | None:
    """Return ONNX Runtime's extras, which install all that its release loads; None for releases without them."""
    installed = facts.package(ORT)
    if not rows or installed is None or numbers(installed.version or "")[:2] < _FIRST_WITH_EXTRAS:
        return None
    build = next(
        (one for release in specs.frameworks(ORT) if release.version == installed.version for one in release.builds),
        None,
    )
    if build is not None and (build.toolkit_version or "").partition(".")[0] != rows[0]["cuda"]:
        return None
    return Remedy(
        text="Install the CUDA and cuDNN that this ONNX Runtime loads, as its own extras bring them, and call "
        "onnxruntime.preload_dlls() (or import torch of the same CUDA) before the session is made.",
        command=pip_install(facts, package_word(ORT, "cuda,cudnn")),
    )


def _by_pip(
    facts: Facts, specs: Specs, rows: Sequence[Mapping[str, Any]], *, own_loader: bool, on_windows: bool
) -> tuple[Remedy, ...]:
    toolkit = built_cuda(facts)
    names = ", ".join(dict.fromkeys(row["wheel"] for row in rows))
    libraries = ", ".join(row["dll" if on_windows and "dll" in row else "soname"] for row in rows)
    said = f", of the CUDA {toolkit} that the framework was built with" if toolkit else ""
    if toolkit and toolkit.partition(".")[0] != str(rows[0]["cuda"]).partition(".")[0]:
        said = f" for CUDA {rows[0]['cuda']}, beside the CUDA {toolkit} that the framework was built with"
    install = Remedy(
        text=f"Install what contains {libraries}: {names}{said}.",
        command=pip_install(facts, *dict.fromkeys(_wanted(row, toolkit) for row in rows)),
    )
    if own_loader:
        return (install,)
    if on_windows:
        text = (
            f"{install.text} Put the folders bin of these packages, which the command prints, on PATH before the "
            f"program starts: Windows does not search Python packages. Or install the CUDA Toolkit {rows[0]['cuda']}."
        )
        return (Remedy(text=text, command=chained(install.command, _FOLDERS)),)
    text = (
        f"{install.text} Add their folders to the loader's path before the program starts: it does not search Python "
        "packages."
    )
    return (Remedy(text=text, command=chained(install.command, _SHOWN)),)


def _wanted(row: Mapping[str, Any], toolkit: str | None) -> "Word | None":
    """Return a wheel of the release that matches the toolkit, or of the library's own major."""
    minor = ".".join((toolkit or "").split(".")[:2])
    follows = row.get("follows") and minor.count(".") == 1 and minor.split(".")[0] == row["cuda"]
    major = row["soname"].partition(".so.")[2]
    own = "" if _OF_MAJOR.fullmatch(row["wheel"]) and not row.get("pinned") else f"=={major}.*"
    return bounded_word(row["wheel"], f"=={minor}.*" if follows else own)


def _by_conda(rows: Sequence[Mapping[str, Any]], *, on_windows: bool) -> Remedy:
    """Return conda packages; they are installed where the environment's programs look."""
    majors = {row["cuda"] for row in rows if "=" not in row["conda"]}
    newest = [match_word(f"cuda-version={major}") for major in sorted(majors)]  # else conda installs the newest major
    wanted = list(dict.fromkeys((*(match_word(row["conda"]) for row in rows), *newest)))
    libraries = ", ".join(row["dll" if on_windows and "dll" in row else "soname"] for row in rows)
    command = command_line("conda install -c conda-forge", *wanted)
    shown = "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"
    text = f"Install {libraries} in the environment, from conda"
    if on_windows:
        return Remedy(
            text=f"{text}: its folder Library\\bin is on PATH once the environment is active.", command=command
        )
    return Remedy(text=f"{text}, and show the loader its folder.", command=chained(command, shown))


def _of_old_cuda(specs: Specs, sonames: Sequence[str], *, on_windows: bool) -> Remedy | None:
    """Return conda's toolkit for libraries of CUDA before 11, which has no wheels."""
    told = (release_of_library(specs, name) for name in sonames)
    release = next((one for one in told if one is not None and "." in one), None)
    if release is None:
        return None
    command = command_line("conda install -c conda-forge", match_word(f"cudatoolkit={release}"))
    shown = "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"
    return Remedy(
        text=f"Install the libraries of CUDA {release}, which have no wheels: conda has them in one package. A "
        "build of the program for a newer CUDA does not need them.",
        command=command if on_windows else chained(command, shown),
    )


def built_again(facts: Facts, specs: Specs, missing: Sequence[str]) -> Remedy | None:
    """Return how to rebuild a self-compiled program for this CUDA; on a Jetson, CUDA only comes with JetPack."""
    wants = next((hit[1] for name in missing if (hit := _OF_RELEASE.search(name))), None)
    here = cuda_in_use(facts, specs)
    if wants is None or here is None or serves(wants, here):
        return None
    row = next((one for one in specs.table("nvidia/library_wheels")["built_here"] if facts.mentions(one["word"])), None)
    why = f"It was built with CUDA {wants}, but CUDA {here} is installed"
    if row is not None:
        return Remedy(text=f"{why}: build {row['title']} again in its folder.", command=row["command"], action="app")
    if on_jetson(facts):
        return Remedy(
            text=f"{why}, which comes with JetPack and cannot be changed otherwise: use the program's release "
            "for this JetPack, or build it again on the board.",
            action="app",
        )
    return None


def shown_folder(facts: Facts, specs: Specs, missing: Sequence[str]) -> Remedy | None:
    """Return how to make the loader find a folder of that CUDA that the text shows: nothing has to be installed."""
    if (shown := shown_library(facts, missing)) is not None:
        return shown
    majors = {row["cuda"] for name in missing for row in rows_of(specs, plain_name(name))}
    for kit in facts.environment.toolkits:
        path = kit.path if kit.name == "cuda-libraries" else f"{kit.path}/lib64" if kit.path else None
        if path is None or not path.startswith("/") or (kit.version or "").partition(".")[0] not in majors:
            continue
        command = command_line("export", path_before("LD_LIBRARY_PATH", path))
        if command is not None:
            text = f"Put the folder with CUDA {kit.version}'s libraries, which this text shows, on the loader's path."
            return Remedy(text=text, command=command)
    return None


def other_build(facts: Facts, specs: Specs, missing: Sequence[str]) -> Remedy | None:
    """Return the program's build for the installed CUDA, if what is missing has another major."""
    if (renamed := _of_other_name(facts, specs, missing)) is not None:
        return renamed
    engine = engine_here(facts, specs)
    wanted = {rows[0]["cuda"] for name in missing if len(rows := rows_of(specs, plain_name(name))) == 1}
    here = major_of_cuda(facts, specs)
    if engine is None or len(wanted) != 1 or here is None or here in wanted:
        return None
    title, major = specs.components.title(engine), wanted.pop()
    if int(major) > int(here) and _driver_serves(facts, specs, major) is not False:
        return None  # the missing libraries are not a downgrade
    text = f"Install the build of {title} for CUDA {here}, which is here: this one is for CUDA {major}."
    old = releases_for(specs, engine, None, major)
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("other_cuda", ())
    row = next((row for row in rows if row["package"] == engine and row["cuda"] == here), None)
    if row is not None and old and _cudnn_here(facts, specs) in (None, row["cudnn"]):
        address = url_word(row["index"])
        command = command_line(_AGAIN, requirement_word(engine, row["release"]), "--index-url", address)
        return Remedy(text=f"{text} {row['text']}", command=command)
    fitting = releases_for(specs, engine, _cudnn_here(facts, specs), here)
    if not fitting:
        return None
    bounds = f">={fitting[-1]},<={fitting[0]}"
    return Remedy(text=text, command=command_line("pip install --upgrade", bounded_word(engine, bounds)))


def _driver_serves(facts: Facts, specs: Specs, major: str) -> bool | None:
    """Return whether the driver supports programs of a CUDA major; None if unknown."""
    driver = facts.driver("nvidia")
    version = (driver.version if driver is not None else None) or said_driver(facts, specs, "nvidia")
    served = driver.toolkit_version if driver is not None else None
    served = served or (specs.toolkit_of_driver("cuda", version, facts.host.system or "linux") if version else None)
    return None if served is None else numbers(served)[0] >= int(major)


def _of_other_name(facts: Facts, specs: Specs, missing: Sequence[str]) -> Remedy | None:
    """Return the package or prebuilt wheel for the installed CUDA, for a package of another CUDA: cupy-cuda11x."""
    majors = {row["cuda"] for name in missing for row in rows_of(specs, plain_name(name))}
    here = cuda_in_use(facts, specs) or ""
    if not here:
        return None
    for row in (specs.table("frameworks/add_on_wheels") or {}).get("distributions", ()):
        found = (one.name.removeprefix(row["start"]) for one in facts.packages() if one.name.startswith(row["start"]))
        ends = dict.fromkeys(found)
        wrong = [end for end in ends if _is_other(row, end, here, majors)]
        fitting = [cuda for cuda in row["cuda"] if serves(cuda, here) and numbers(cuda) <= numbers(here)[:2]]
        if row.get("exact") and "." in here:
            fitting = [cuda for cuda in fitting if numbers(cuda) == numbers(here)[:2]]
        elif row.get("exact"):
            fitting = [cuda for cuda in row["cuda"] if serves(cuda, here)]
        if wrong and fitting:
            return _renamed(row, wrong, fitting, here)
    if here.partition(".")[0] in majors:
        return None
    from accel.resolver.wheel_pages import ready_wheels, with_ready_wheels

    ready = (ready_wheels(facts, specs, name) for name in with_ready_wheels(facts, specs))
    return next((one for one in ready if one is not None and one.command is not None), None)


def _is_other(row: Mapping[str, Any], end: str, here: str, majors: Collection[str]) -> bool:
    """Return whether a distribution's name has a different CUDA than the one here, by minor version if that matters."""
    cuda = _dotted(end)
    if cuda is not None and (row.get("exact") or row.get("end")):
        return numbers(cuda)[: len(numbers(here))] != numbers(here)[:2]
    return end.startswith(tuple(majors)) and not end.startswith(here.partition(".")[0])


def _renamed(row: Mapping[str, Any], wrong: Sequence[str], fitting: Sequence[str], here: str) -> Remedy:
    """Return the step that replaces the package; without a command if only the CUDA major is known."""
    starts = [row["start"], *([row["with"]] if "with" in row else [])]
    old = ["".join((start, end)) for end in wrong for start in starts]
    names = ["".join((row["start"], cuda.replace(".", ""), row.get("end", ""))) for cuda in fitting]
    if row.get("exact") and "." not in here and len(names) > 1:
        text = (
            f"Install {' or '.join(names)} in the place of {' and '.join(old)}: the number is that of the CUDA {here}, "
            "which nvcc --version prints."
        )
        return Remedy(text=text)
    other = package_word(names[fitting.index(max(fitting, key=numbers))])
    remove = command_line("pip uninstall -y", *map(package_word, old))
    text = f"Install {other}, for the CUDA {here} that is here, in the place of {' and '.join(old)}."
    return Remedy(text=text, command=chained(remove, command_line("pip install", other)))


def _dotted(end: str) -> str | None:
    """Return "10.1" for "101" or "101mkl"; None if no minor version is named: "12x"."""
    digits = end.removesuffix("mkl")
    return f"{digits[:-1]}.{digits[-1]}" if digits.isdecimal() and len(digits) > 1 else None


def _cudnn_here(facts: Facts, specs: Specs) -> str | None:
    """Return the major of torch's cuDNN, else of the only one that the text says is installed."""
    stated = {kit.version.partition(".")[0] for kit in facts.environment.toolkits if kit.name in _CUDNN and kit.version}
    return _cudnn_of_torch(facts, specs) or (stated.pop() if len(stated) == 1 else None)


def _cudnn_of_torch(facts: Facts, specs: Specs) -> str | None:
    torch = torch_here(facts, specs)
    release = specs.framework("torch", torch.version) if torch.version else None
    majors = {b.cudnn_version.split(".")[0] for b in release.builds if b.cudnn_version} if release else set()
    return majors.pop() if len(majors) == 1 else None


def _with_others(facts: Facts, specs: Specs, rows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows, and those of the other libraries of this CUDA that the program links."""
    if built_cuda(facts):
        return rows  # a framework installs the others
    table = specs.table("nvidia/library_wheels") or {}
    user = next((row for row in table.get("users", ()) if facts.mentions(row["word"])), None)
    if user is None:
        return rows
    wanted = [f"lib{name}.so." for name in user["libraries"]]
    known = {row["wheel"] for row in rows}
    others = [
        row
        for row in table["libraries"]
        if row["cuda"] == rows[0]["cuda"] and row["soname"].startswith(tuple(wanted)) and row["wheel"] not in known
    ]
    if "cudnn_of" in user:
        soname = f"libcudnn.so.{_cudnn_of(facts, specs, user['cudnn_of'], rows[0]['cuda'])}"
        of_cuda = (row for row in table["libraries"] if row["cuda"] == rows[0]["cuda"])
        others += [row for row in of_cuda if row["soname"] == soname and row["wheel"] not in known]
    return [*rows, *others]


def _cudnn_of(facts: Facts, specs: Specs, program: str, cuda: str) -> str | None:
    """Return the cuDNN major that the installed release of the program loads, else its newest release for this CUDA."""
    package = facts.package(program)
    installed = package.version if package is not None else typed_pin(facts, (program,)).version
    newest_first = sorted(specs.frameworks(program), key=lambda one: numbers(one.version), reverse=True)
    builds = (
        build
        for release in newest_first
        for build in release.builds
        if installed in (None, release.version) and (build.toolkit_version or "").partition(".")[0] == cuda
    )
    return next((build.cudnn_version.partition(".")[0] for build in builds if build.cudnn_version), None)


def _rows(specs: Specs, missing: tuple[str, ...], major: str | None) -> list[Mapping[str, Any]] | None:
    """Return one row per known library; None if one may have two majors and none can be chosen."""
    chosen: list[Mapping[str, Any]] = []
    for name in missing:
        rows = rows_of(specs, name)
        fitting = rows if len(rows) == 1 else [row for row in rows if row["cuda"] == major]
        if not rows:
            return []
        if len(fitting) != 1:
            return None
        chosen.append(fitting[0])
    return chosen
