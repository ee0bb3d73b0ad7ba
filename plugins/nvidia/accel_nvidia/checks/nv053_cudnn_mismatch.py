from accel.resolver.shown_library import SHOWN, shown_library
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, path_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import cudnn
from accel_nvidia.cuda_in_use import cuda_in_use
from accel_nvidia.labelled_build import NAMED, LabelledBuild, of_this_cuda, plain_build
from accel_nvidia.library_wheels import plain_name


@check(
    code="NV053",
    name="cudnn-mismatch",
    layer="framework",
    reads=(
        *("cudnn-unlike-build", "cudnn-parts-unlike", "cudnn-part-missing", "cuda-runtime-said", "machine-rented"),
        *(NAMED, *SHOWN),
    ),
    needs=("run.program",),
    requires=("jax-cudnn-too-old", "tensorflow-cuda-mismatch"),
)
def cudnn_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The program loads another cuDNN than it was compiled with, a mix of two, or an incomplete one.

    Why it matters   Convolutions fail, or the import does.
    What to do       Remove the other cuDNN's directory from LD_LIBRARY_PATH (PATH on Windows): PyTorch ships its own.
                     Without a bundled one, install the version that the message names.
    Looks at         messages with two cuDNN versions, or about cuDNN's sub-libraries; missing libraries and symbols
    Silent when      only cuDNN files on the disk are listed: they do not show what is loaded
    Source           PyTorch: torch/backends/cudnn/__init__.py; cuDNN: sub-libraries and their versions
    """
    versions = facts.stated("cudnn-unlike-build")
    missing = facts.stated("cudnn-part-missing")
    parts = facts.stated("cudnn-parts-unlike")
    if missing:  # without the library cuDNN reports an invalid handle
        parts = tuple(fact for fact in parts if "cannot load symbol" not in fact.text.lower())
    unlike = (*versions, *parts)
    asked, torchs_own = cudnn.major_asked(missing), cudnn.major_of_torch(facts, specs)
    others = asked is not None and torchs_own is not None and asked != torchs_own  # torch ships another major
    known = next((fact for fact in versions if fact.value("wants") and fact.value("has")), None)
    if known is not None:
        who = specs.components.title(known.value("by") or "") or "The program"
        title = f"{who} was compiled with cuDNN {known.value('wants')} but found {known.value('has')}"
    elif missing and (others or not unlike):
        title = f"{plain_name(missing[0].value('name'))} cannot be loaded"
        if others:
            title += f": the program needs cuDNN {asked}, and torch includes cuDNN {torchs_own}"
    elif unlike:
        title = "Parts of different cuDNN versions are loaded together"
    else:
        return
    spoken = facts.framework("torch") is not None or any("torch" in fact.text.lower() for fact in (*unlike, *missing))
    torchs = spoken and not others and not cudnn.other_program(facts, (*unlike, *missing))
    shown = cudnn.shown_to_loader(facts, specs, asked) if missing and not unlike else None
    if torchs and shown is not None:
        remedies: tuple[Remedy, ...] = (shown, *_remedies(facts, specs, bool(unlike)))
    else:
        remedies = (
            _remedies(facts, specs, bool(unlike)) if torchs else _of_other_program(facts, specs, (*versions, *missing))
        )
    plain, other = _build_of_this_cuda(facts, specs, (*versions, *missing))
    if plain is not None and other is not None and not torchs:
        here = cuda_in_use(facts, specs)
        title = f"{plain.row['package']} is built for CUDA {plain.row['cuda']}, but the CUDA here is {here}"
    if missing and (found := shown_library(facts, [fact.value("name") or "" for fact in missing])) is not None:
        remedies = (found, *remedies)
    if title.startswith("Parts") and not torchs and facts.host.system != "windows":
        remedies = (fix(specs, "nvidia", "one-cudnn"), *remedies)
    yield Problem(title=title, evidence=quoted((*unlike, *missing)), remedies=remedies)


def _build_of_this_cuda(
    facts: Facts, specs: Specs, told: tuple[Fact, ...]
) -> tuple[LabelledBuild | None, Remedy | None]:
    """Return the build of the package index that looks for the missing cuDNN, and the one for the installed CUDA."""
    plain = plain_build(facts, specs, cudnn.major_asked(told))
    on_windows = facts.host.system == "windows" or any(".dll" in (fact.value("name") or "") for fact in told)
    here = cuda_in_use(facts, specs)
    return plain, of_this_cuda(plain, here, specs, on_windows) if plain is not None else None


def _of_other_program(facts: Facts, specs: Specs, told: tuple[Fact, ...]) -> tuple[Remedy, ...]:
    """Return the step for a program that ships no cuDNN: CTranslate2, ONNX Runtime, Paddle."""
    major = cudnn.major_asked(told)
    on_windows = facts.host.system == "windows" or any(".dll" in (fact.value("name") or "") for fact in told)
    wanted = f"cuDNN {major}" if major else "the cuDNN that the program was built for"
    place = "on PATH" if on_windows else "in the loader's path"
    names = [plain_name(value) for fact in told if (value := fact.value("name"))]
    look = command_line("where.exe", path_word(names[0] if names else "cudnn64_9.dll"))
    plain, other = _build_of_this_cuda(facts, specs, told)
    if plain is not None and other is not None:
        return (other,)
    moved = cudnn.moved_program(facts, specs, major)
    newer = cudnn.newer_of_major(facts, specs, told)
    shown = cudnn.shown_to_loader(facts, specs, major)
    return (
        *(one for one in (moved, newer, shown) if one is not None),
        cudnn.installed(facts, specs, major, on_windows, next((v for f in told if (v := f.value("wants"))), None)),
        Remedy(
            text=f"If {wanted} is installed: make it findable {place}; another major version does not replace it.",
            command=look if on_windows else "ldconfig -p | grep cudnn; find / -name 'libcudnn*.so*'",
        ),
        Remedy(text="Or use a release of the program that was built for the installed cuDNN."),
    )


def _remedies(facts: Facts, specs: Specs, unlike: bool) -> tuple[Remedy, ...]:
    on_windows = facts.host.system == "windows"
    bundled = Remedy(
        text="Start the program without the other cuDNN: PyTorch includes its own."
        if not on_windows
        else "Remove the folder with the other cudnn*.dll from PATH: PyTorch includes its own.",
        command=None if on_windows else "unset LD_LIBRARY_PATH",
    )
    wheel = fix(specs, "nvidia", "reinstall-cudnn-wheel")
    return (bundled, wheel) if unlike else (wheel, bundled)
