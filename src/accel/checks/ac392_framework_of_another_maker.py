"""NVIDIA's framework builds and container options do not work with another maker's accelerators."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.containers import CONTAINER, container_options
from accel.facts.makers import maker_with_own_builds
from accel.facts.query import SEARCHED, holds
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.programs import NAMED, foreign_brand, foreign_device, handed_over, program_of, release_for
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, need, quoted
from accel.vendors.contract.command import command_line, package_word

_DRIVER: Final = ("libcuda-missing", "cuda-build-finds-no-driver")  # libraries that only a build for NVIDIA looks for
_NO_CUDA: Final = (
    "cuda-no-device",
    "driver-insufficient",
    "no-cuda-gpus",
    "nvcc-missing",
    "onnxruntime-provider-unloaded",
)
_UNUSED: Final = ("runs-on-processor", "built-without-offload", "device-unused-said", "program-without-gpu")
_GPUS: Final = {"amd": "AMD", "intel": "Intel", "apple": "Apple"}  # makers whose torch builds have their own checks
_OF_AMD: Final = Remedy(
    text="Choose AMD in the program itself: its DirectML or Vulkan build or setting on Windows, the ROCm or "
    "Vulkan one on Linux; if it has none, the CPU setting.",
    action="env",
)
_FAILED: Final = ("no-gpu-seen", "no-gpu-usable", "torch-not-compiled-with-cuda")
_FINDS_NONE: Final = (
    *("no-gpu-seen", "no-gpu-usable", "no-cuda-gpus", "cuda-no-device", "no-hip-gpus", "torch-takes-no-gpu"),
    *("program-takes-no-gpu", "program-without-gpu", "device-unused-said", "cuda-unknown-error"),
)
_ERRORS: Final = [
    ["error.cuda:3", "error.cuda:100", "error.cuda:999", "error.hip:100"]
]  # as MACA, DTK and CoreX say it


@check(
    code="AC392",
    name="framework-of-another-maker",
    layer="framework",
    reads=(
        *_DRIVER,
        *_FAILED,
        *_NO_CUDA,
        *_UNUSED,
        "program-lists-device",
        "vllm-device-type",
        SEARCHED,
        *("nvidia-gpu-named", "nvidia-brand-named", "amd-brand-named"),
        NAMED,
        *CONTAINER,
    ),
    needs=("accelerators", "framework.torch.built_for"),
)
def framework_of_another_maker(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program is built for NVIDIA, but the accelerators here are from a maker with its own builds.

    Why it matters   It looks for NVIDIA's driver and finds no device; installing NVIDIA's driver does not help. Often
                     the installation of another package replaced the maker's torch by the one of the public index.
    What to do       Get torch, or the torch add-on, and the vLLM plugin from the maker, in a separate environment or
                     the maker's image; install other packages there with --no-deps if they require torch.
    Looks at         the devices listed or named; torch's version and its label; libcuda, NVIDIA's driver or a device
                     type that a program does not find; specs/frameworks/makers.yaml
    Silent when      an NVIDIA GPU is there, torch has the maker's label or sees a device, or nothing failed
    Source           the makers' documentation, as cited in specs/frameworks/makers.yaml
    """
    rows = {row["vendor"]: row for row in (specs.table("frameworks/makers") or {"makers": []})["makers"]}
    mine = [device for row in rows for device in facts.of(row)]
    if not mine and (problem := _of_program(facts, specs)) is not None:
        yield problem
        return
    named = None if mine or facts.live else maker_with_own_builds(facts, specs)
    applies(bool(mine) or named is not None, "no device from such a vendor is listed or mentioned")
    if facts.of("nvidia") or facts.stated("nvidia-gpu-named"):
        return
    row = named or rows[mine[0].backend]
    torch = facts.framework("torch")
    version = "+".join(part for part in (torch.version, torch.variant) if part) if torch and torch.version else None
    if version and any(label in version.partition("+")[2] for label in row["labels"]):
        return
    if torch is not None and torch.available:
        return
    if torch is not None and torch.available is False:
        need(torch.built_for, "what torch was built for")
    for_nvidia = torch is not None and (torch.built_for == "cuda" or torch.cuda_version is not None)
    looked = facts.stated(*_DRIVER)
    typeless = facts.stated("vllm-device-type")
    absent = row["add_on"] is not None and holds(f"unlisted.{row['add_on']}", facts)
    if row["add_on"] and any(f"{row['add_on']}=" in (f.value("found") or "") for f in facts.stated(SEARCHED)):
        return
    failing = facts.stated(*_FINDS_NONE, *_UNUSED, *_FAILED)
    if absent and (typeless or failing):
        yield _lacking(row, typeless or failing, facts)
        return
    unseen = bool(facts.stated(*_FAILED)) or (torch is not None and torch.available is False)
    if not looked and not typeless and not (for_nvidia and unseen):
        return
    name = (mine[0].name if mine else None) or row["title"]
    what = f"torch {version}" if for_nvidia and version else "vLLM" if typeless else "The program"
    model = f" ({name})" if name != row["title"] else ""
    title = f"{what} is a build for NVIDIA, but the accelerator here is from {row['title']}{model}"
    if typeless and not for_nvidia and not looked:
        title = f"vLLM has no plugin for {row['title']}'s {name if model else 'accelerators'} in this environment"
    yield Problem(
        title=title,
        devices=tuple(device.id for device in mine),
        evidence=(
            *quoted((*looked, *typeless, *(facts.stated(*_FAILED) if for_nvidia else ()))),
            *((Evidence(fact="torch", value=version),) if version else ()),
            Evidence(fact="accelerator", value=name),
        ),
        remedies=tuple(_remedies(facts, row, bool(typeless))),
    )


def _lacking(row: Mapping[str, Any], failing: Sequence[Fact], facts: Facts) -> Problem:
    """Return the problem of an environment without the package through which torch drives the devices."""
    add_on, searched = row["add_on"], facts.stated(SEARCHED)
    listed = [one.partition("=") for fact in searched for one in (fact.value("found") or "").split()]
    sibling = next((one for one in listed if one[0].partition("-")[0] == add_on.partition("-")[0]), None)
    release = f" {sibling[2]}, the release of {sibling[0]} here," if sibling else ""
    return Problem(
        title=f"{add_on}, which torch needs for {row['title']}'s accelerators, is not installed in this environment",
        evidence=quoted((*failing[:1], *searched)),
        remedies=(
            Remedy(
                text=f"Install {add_on}{release} and the torch that belongs to it from {row['from']}, and start the "
                "program in that environment. The torch of the public index does not drive these devices.",
                action="env",
            ),
        ),
    )


def _of_program(facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem for a program whose build is not for the GPU here, if another of its builds is.

    It looks for CUDA, or it computes on the processor and nothing else was found.
    """
    device, brand = foreign_device(facts, specs), foreign_brand(facts)
    cuda, unused = facts.stated(*_DRIVER, *_NO_CUDA), facts.stated(*_UNUSED)
    if brand is not None and facts.stated("driver-insufficient"):
        return _of_brand(facts, specs, brand)
    if device is None or device.backend not in _GPUS or not (cuda or unused) or facts.live:
        return None
    if not cuda and facts.stated("program-lists-device"):
        return None  # its build supports the device
    program = program_of(facts, specs, cuda or unused)
    if program is None or "releases" not in program:
        return None
    maker = _GPUS[device.backend]
    name = device.name or f"a GPU of {maker}"
    release = release_for(facts, program, device.backend, name, device.compute_capability)
    if release is None:
        return None
    title = f"{program['name']} is a build for NVIDIA here, but the GPU is from {maker} ({name})"
    if not cuda:
        title = f"{program['name']} runs on the processor, and does not use this GPU ({name})"
    return Problem(
        title=title,
        devices=(device.id,),
        evidence=(*quoted(cuda or unused, most=2), Evidence(fact="GPU", value=name)),
        remedies=(release,),
        severity=None if cuda else "warning",
        last_resort=not cuda,
    )


def _of_brand(facts: Facts, specs: Specs, brand: Fact) -> Problem:
    """Return the problem for a program that needs NVIDIA's driver, if the text says that the GPU is AMD's."""
    failed = facts.stated("driver-insufficient")
    program = program_of(facts, specs, failed)
    release = None
    if program is not None and "releases" in program:
        release = release_for(facts, program, "amd", "a GPU of AMD", None)
    return Problem(
        title=f"{program['name'] if program else 'The program'} is a build for NVIDIA here, but the GPU is from AMD",
        detail=(
            'CUDA also reports "driver too old" when the driver is missing: there is no NVIDIA driver here to update.'
        ),
        evidence=quoted((*failed[:1], brand)),
        remedies=(release or _OF_AMD, *((_OF_AMD,) if release else ())),
    )


def _remedies(facts: Facts, row: Mapping[str, Any], serves: bool) -> Iterator[Remedy]:
    wanted = [row["add_on"] or f"{row['title']}'s torch (+{row['labels'][0]})"]
    serves = serves or any(fact.value("program") == "vLLM" for fact in facts.stated(NAMED))
    if row["vllm"] and (serves or facts.package("vllm") is not None):
        wanted.append(f"{row['vllm']} of the same release as vLLM")
    yield Remedy(
        text=f"Install {' and '.join(wanted)} from {row['from']} in its own environment; the public index's "
        "builds are for NVIDIA. Install packages that require torch there with --no-deps.",
        action="env",
    )
    package = row["add_on"] or "torch"
    yield Remedy(
        text="Check which ones are installed.",
        command=command_line("python -m pip show torch", package_word(package))
        if package != "torch"
        else "python -m pip show torch",
        action="env",
        kind="look",
    )


@check(
    code="AC555",
    name="container-without-makers-device",
    layer="access",
    family="container-without-gpu",
    reads=(*_FINDS_NONE, "container-run"),
    needs=("use.torch|jax|tensorflow",),
)
def container_without_makers_device(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The container was started without the device nodes of accelerators whose maker has its own way to pass them.

    Why it matters   There is no device node to open inside. Frameworks that replace CUDA then report that there is no
                     CUDA GPU or driver, and NVIDIA's driver or toolkit does not help.
    What to do       Start the container with the maker's device nodes, its runtime or its driver's folder.
    Looks at         the options of the command that started it; programs' messages about a missing device; the maker
    Silent when      no start command is shown, it passes one of the nodes, or is privileged; nothing failed
    Source           specs/system/handing_over.yaml
    """
    options = container_options(facts)
    applies(options is not None, "no command that starts a container is shown")
    row = _maker_here(facts, specs)
    if options is None or row is None or "--privileged" in options or any(sign in options for sign in row["signs"]):
        return
    failed, torch = facts.stated(*_FINDS_NONE), facts.framework("torch")
    if not failed and not holds(_ERRORS, facts):
        if torch is None or not torch.available:
            need(None, "what a program in the container reports about the accelerator")
        return
    given = handed_over(row["backend"], specs)
    yield Problem(
        title=f"The container was started without {row['signs'][0]}: it has no accelerator inside",
        evidence=quoted((*facts.stated("container-run")[:1], *failed), most=4),
        remedies=(given,) if given is not None else (),
    )


def _maker_here(facts: Facts, specs: Specs) -> Mapping[str, Any] | None:
    """Return the row of the only maker whose accelerators are listed or named."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("system/handing_over") or {}).get("makers", ())
    here: set[str | None] = {device.backend for device in facts.accelerators}
    here = here or {fact.value("subject") for fact in facts.stated("spoken-of")}
    found = [row for row in rows if row["backend"] in here and "signs" in row]
    return found[0] if len(found) == 1 else None
