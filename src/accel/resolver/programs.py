"""Programs that ship their own libraries: which one a text is about, its pip, its release for a device. Pure.

OneTrainer, ComfyUI, webui          a torch of their own, replaced by their pip, near the release that they install
KoboldCpp, Ollama, llama.cpp        releases by compute capability and system; for some GPUs there is none
CuPy, ONNX Runtime, bitsandbytes    libraries: they count if the failing line names them, or if no program is named

The rows are specs/frameworks/programs.yaml; how to pass devices to a container: specs/system/handing_over.yaml.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from accel.facts.containers import in_container, is_of_class
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.observation import Command, Fact, Raised
from accel.resolver.typed import is_listed, is_typed
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.check import Remedy

NAMED: Final = "program-named"
PYTHON: Final = "environment-python"
_PLAIN_PATH: Final = pattern(r"(?:[A-Za-z]:|/)?[A-Za-z0-9_./\\-]{1,240}", exact_case=True)  # it is typed unquoted
_QUOTABLE: Final = pattern(r"[A-Za-z]:[A-Za-z0-9_.\\ ()-]{1,240}", exact_case=True)
_PORTABLE: Final = pattern(r"(?:^|\\)python_(?:embedd?ed|standalone)\\")  # it must not see the user's own packages
_POSIX: Final = pattern(
    r"/(?!Users/|Applications/|Library/|opt/homebrew/|dev/|mnt/[a-z]/)[A-Za-z0-9_.-]{1,80}/", exact_case=True
)
_VENV: Final = "venv-named"
_FOLDER: Final = pattern(r"[A-Za-z_]{2,20}(?=[\\/])", exact_case=True)
_PRESUMED: Final = ("torchvision",)  # torch's own page gives them together
_BUNDLED: Final = ("torchvision", "torchaudio")
_CODE: Final = pattern(r"(?P<major>\d{1,2})\.(?P<minor>\d)", exact_case=True)
_FEATURES: Final = {
    "nvidia": ("cuda", "cudnn", "gpu", "support for gpus"),
    "amd": ("rocm", "hip"),
    "intel": ("sycl", "xpu"),
}
_ON_PROCESSOR: Final = Remedy(
    text="Start it without the GPU, on the processor: leave out --gpus and --runtime=nvidia (in a compose file "
    "deploy.resources.reservations.devices and runtime), and choose the CPU in the program's own options, if it has "
    "such an option. Neither NVIDIA's driver nor its container toolkit helps: the machine has no GPU for them.",
    action="app",
)
_TARGET: Final = pattern(r"gfx[0-9a-f]{3,5}", exact_case=True)


def program_of(facts: Facts, specs: Specs, failed: Sequence[Fact] = ()) -> Mapping[str, Any] | None:
    """Return the row of the program that a text is about; None if it names none, or the machine is live.

    failed  the statements of the fault: a library named in their lines takes precedence over a program that uses torch
    """
    if facts.live:
        return None
    rows = _rows(specs)
    order = {row["name"]: place for place, row in enumerate(rows)}
    named = sorted(
        (fact for fact in facts.stated(NAMED) if fact.value("program") in order),
        key=lambda fact: (fact.line or 0, order[fact.value("program") or ""]),
    )
    names = list(dict.fromkeys(fact.value("program") for fact in named))
    by_name = {row["name"]: row for row in rows}
    programs = [by_name[name] for name in names if not by_name[name].get("library")]
    if programs and "releases" in programs[0]:
        return programs[0]
    lines = {fact.line for fact in failed if fact.line is not None}
    near = (by_name[f.value("program")] for f in named if f.line in lines)
    library = next((row for row in near if row.get("library")), None)
    if library is not None or programs:
        return library or programs[0]
    return by_name[names[0]] if names else None


def foreign_device(facts: Facts, specs: Specs) -> Device | None:
    """Return the device of another vendor if no NVIDIA device is listed or named; integrated graphics are ignored."""
    if facts.seen("nvidia") or not facts.accelerators:
        return None
    shapes = tuple((specs.table("frameworks/programs") or {}).get("of_processors", ()))
    for device in facts.accelerators:
        if not any(shape.search(device.name or "") for shape in _compiled(shapes)):
            return device
    return None


def foreign_brand(facts: Facts) -> Fact | None:
    """Return the fact that names AMD as the maker of the GPU, in prose or a form; None if a device is named."""
    seen = facts.accelerators or facts.stated("nvidia-gpu-named", "nvidia-brand-named") or facts.driver("nvidia")
    return None if facts.live or seen else facts.first("amd-brand-named")


def handed_over(maker: str | None, specs: Specs) -> Remedy | None:
    """Return how to pass a vendor's devices to a container, by backend or by the component that is its driver.

    None for one without a row, such as NVIDIA.
    """
    rows = (specs.table("system/handing_over") or {}).get("makers", ())
    row = next((row for row in rows if maker in (row["backend"], row.get("driver", ""))), None)
    return Remedy(text=row["text"], command=row["command"], action="env") if row is not None else None


def without_cuda(device: Device, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do with a container for CUDA on a machine whose only GPU is another vendor's.

    Passing the device nodes to the same image changes nothing: first the processor, unless many programs have an image
    for this vendor's GPUs.
    """
    rows = (specs.table("system/handing_over") or {}).get("makers", ())
    row = next((row for row in rows if row["backend"] == device.backend), None)
    if row is None:
        return (_ON_PROCESSOR,)
    tagged = f" ({row['image']})" if "image" in row else ""
    own = Remedy(
        text=f"If the program has an image for {device.vendor}'s GPUs{tagged}, start that one with their device nodes.",
        command=row["command"],
        action="env",
    )
    return (own, _ON_PROCESSOR) if tagged else (_ON_PROCESSOR, own)


@lru_cache(maxsize=2)
def _compiled(shapes: tuple[str, ...]) -> tuple[Pattern, ...]:
    return tuple(map(pattern, shapes))


def presumed_beside(facts: Facts, specs: Specs, package: str) -> Sequence[str]:
    """Return the packages usually installed together with torch, if the text shows nothing about the environment."""
    if package != "torch" or facts.live or is_listed(facts) or is_typed(facts, package):
        return ()
    row = program_of(facts, specs)
    portable = bool(facts.stated(PYTHON))
    found: Sequence[str] = ((row or {}).get("torch") or {}).get("packages", _BUNDLED if portable else _PRESUMED)
    return found


def own_pip(facts: Facts, specs: Specs) -> str | None:
    """Return how to call the pip of the program's own environment; None if it has none."""
    python = next((fact.value("python") for fact in facts.stated(PYTHON)), None)
    if python is not None and not facts.live:
        own = "-s -m pip" if _PORTABLE.search(python) else "-m pip"
        if _PLAIN_PATH.fullmatch(python):
            return f"{python} {own}"
        if _QUOTABLE.fullmatch(python):
            return f"'{python}' {own}"
    row = program_of(facts, specs)
    if row is None or "pip" not in row or is_of_class(facts, "conda"):
        return None  # the program may run in any environment, and the text shows one
    found: str | None = row["pip"].get(system_of(facts, row))
    portable = is_of_class(facts, "portable-python")
    if found is not None and not portable and found.startswith("runtime\\"):
        return None  # only its ready package has it
    usual = found is None or portable or not found.startswith("python_")
    return found if usual or not facts.stated(_VENV) else None  # it was installed in another way than usual


def folder_of(facts: Facts) -> str | None:
    """Return the folder from which the environment's Python is called, if its full path is unknown."""
    return next((fact.value("folder") for fact in facts.stated(PYTHON)), None)


def place_of_pip(facts: Facts, specs: Specs) -> str | None:
    """Return where the program's own pip has to be called, as "in the folder NAME"; None: anywhere, or unknown."""
    if (folder := folder_of(facts)) is not None:
        return f"in the folder {folder}"
    row = program_of(facts, specs)
    called = own_pip(facts, specs)
    if facts.stated(PYTHON) or row is None or called is None:
        return None
    inside = f", which has {found[0]}" if (found := _FOLDER.match(called)) is not None else ""
    return row.get("where") or f"in the folder of {row['name']}{inside}"


def system_of(facts: Facts, row: Mapping[str, Any]) -> str | None:
    """Return the operating system: the one in the text, else the one on which the program is used."""
    if facts.host.system is not None or facts.host.libc or facts.host.wsl:
        return facts.host.system or "linux"
    if is_of_class(facts, "windows") or any(f.value("subject") == "windows" for f in facts.stated("spoken-of")):
        return "windows"
    if is_of_class(facts, "linux") or _in_posix_folder(facts):
        return "linux"
    found: str | None = row.get("system")
    return found


def _in_posix_folder(facts: Facts) -> bool:
    """Return whether the text's tracebacks or commands name files as on Linux: "/ComfyUI/main.py", not below /Users."""
    for one in facts.snapshot.observations:
        files = [frame.file for frame in one.frames] if isinstance(one, Raised) else []
        if isinstance(one, Command) and not one.advice:
            files = [one.tool, *one.operands]
        if any(_POSIX.match(file) for file in files):
            return True
    return False


def release_for(facts: Facts, row: Mapping[str, Any], vendor: str, gpu: str | None, code: str | None) -> Remedy | None:
    """Return the release of the program that supports the device; None if its rows have no answer.

    gpu   the name in the text: "GeForce GTX 970"
    code  compute capability or target: "5.2", "gfx1103"
    """
    system = system_of(facts, row)
    inside = in_container(facts)
    name = (facts.host.distribution or "").lower()
    rows = (
        r
        for r in row.get("releases", ())
        if r.get("container", inside) == inside
        and r.get("distribution", "") in name
        and ("machine" not in r or _is_machine(facts, r["machine"]))
        and any(word in (gpu or "") for word in r.get("gpus", ("",)))
    )
    one = next((r for r in rows if _serves(r, vendor, code, system)), None)
    if one is None:
        return None
    title = f"{gpu} ({code})" if gpu and code else gpu or code or "this GPU"
    capability = _CODE.fullmatch(code or "")
    target = code if code is not None and _TARGET.fullmatch(code) else None
    digits = capability["major"] + capability["minor"] if capability else None
    text = f"{_filled(one['text'], gpu=title, digits=digits or 'native', target=target or 'TARGET')}."
    command: str | None = one.get("command")
    if command is not None:
        command = _filled(command, digits=digits or "native", target=target or "native", capability=code or "native")
    return Remedy(text=text, command=command, kind="ask" if one.get("none") and command is None else "mend")


def _is_machine(facts: Facts, name: str) -> bool:
    """Return whether the processor is of this kind, according to a tool or the user: "on aarch64"."""
    known = facts.host.machine
    return known == name if known else facts.mentions(name)


def released_here(facts: Facts, specs: Specs, failed: Sequence[Fact]) -> Remedy | None:
    """Return the program's release for the device here; if unknown, for the vendor of the missing feature."""
    row = program_of(facts, specs, failed)
    if row is None or "releases" not in row:
        return None
    device = next(iter(facts.of("nvidia") or facts.accelerators), None)
    if device is not None:
        return release_for(facts, row, device.backend, device.name, device.compute_capability)
    feature = next((fact.value("feature") or "" for fact in failed), "").lower()
    vendor = next((maker for maker, words in _FEATURES.items() if feature in words), None)
    return release_for(facts, row, vendor, None, None) if vendor is not None else None


def _rows(specs: Specs) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = (specs.table("frameworks/programs") or {}).get("programs", ())
    return found


def _serves(release: Mapping[str, Any], vendor: str, code: str | None, system: str | None) -> bool:
    if release["vendor"] != vendor or release.get("system", system) != system:
        return False
    capability = numbers(code) if code is not None and _CODE.fullmatch(code) else None
    if "from" in release and (capability is None or capability < numbers(release["from"])):
        return False
    return "below" not in release or (capability is not None and capability < numbers(release["below"]))


def _filled(text: str, **words: str) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text
