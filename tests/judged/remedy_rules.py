"""Remedies are promises: rules that every command of every finding keeps, whatever the machine.

    for broken in broken_promises(diagnosis, snapshot, specs): print(broken)     # "no-cpu-wheel-for-a-gpu: NV051: …"

A rule is a pure function from a finding's remedy and the facts to what is broken of it, or None. RULES names them all.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remedy_kinds import kind_mistake

from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis, Finding, Remedy
from accel.model.observation import Command
from accel.model.snapshot import Snapshot
from accel.specs.versions import numbers
from accel.text.shells import is_printable
from accel.text.versions import order_of

if TYPE_CHECKING:
    from accel.specs import Specs

_INSTALL: Final = re.compile(
    r"(?:^[%!]?|&& |; |RUN )(?:\S{0,60}python\S{0,10} -m |uv |sudo )?pip3? install (?P<words>[^&;|]*)"
)
_EXACT: Final = re.compile(
    r"['\"]?(?P<name>[A-Za-z][\w.-]*)(?:\[[\w,-]*\])?==(?P<version>[\w.]+)(?:\+(?P<label>[\w.]+))?['\"]?"
)
_CUDA: Final = re.compile(r"whl/(?:nightly/)?cu\d|\+cu\d{2}|\[cuda\d*|nvidia-\w+-cu\d|cuda-toolkit|cudatoolkit")
_CPU: Final = re.compile(r"whl/(?:nightly/)?cpu\b|\+cpu\b")
_APT_DRIVER: Final = re.compile(
    r"(?:apt|apt-get|dnf|yum|zypper) (?:-y )?(?:install|reinstall) [^&|]*"
    r"(?:nvidia-driver|cuda-drivers|nvidia-dkms|nvidia-utils)"
)
_PLACEHOLDER: Final = re.compile(r"…|(?<![./])\.\.\.(?![./])|<[a-z][\w -]*>(?!\s*\S*/)|\bfoo\b|\bX\.Y\b")
_POSIX: Final = re.compile(
    r"\b(?:sudo|export|env -u|apt|apt-get|grep|ldconfig|modprobe|systemctl|chmod|usermod|dmesg)\b"
)
_WINDOWS: Final = re.compile(r"\b(?:winget|SystemProperties\w*|powershell|setx)\b|^set [A-Z]")
_MIRROR: Final = re.compile(r"https?://(?P<host>[\w.-]+)")
_INDEX: Final = re.compile(r"--index-url \S+/whl/(?P<label>[a-z]+[\d.]*)")
_OF_ONE_BUILD: Final = ("torch", "torchvision", "torchaudio")
_OTHER_PLUGINS: Final = ("torch-npu", "torch-xla", "torch-musa", "torch-mlu")
_PUBLIC: Final = ("download.pytorch.org", "pypi.org", "files.pythonhosted.org")
# Findings of which an older release is the point: an old GPU, an old driver, an old partner, an old Python.
_OLDER_IS_THE_POINT: Final = re.compile(
    r"gpu-arch-not-in-build|driver-too-old|mismatch|too-old|too-new|other-torch|without-wheel|not-in-index|conflict"
    r"|unsupported|not-supported|incompatible|glibc|cpu-build|cpu-only|jax|-on-|avx|triton|numpy|libs|plugin-not-loaded"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One remedy, with all that is known where it is given."""

    finding: Finding
    remedy: Remedy
    command: str
    facts: Facts
    specs: "Specs"


def no_cpu_wheel_for_a_gpu(case: Case) -> str | None:
    """A machine with a GPU whose framework computes on it gets no CPU build."""
    plugin = any(p.name in _OTHER_PLUGINS for p in case.facts.packages())
    gpus = [d for d in case.facts.accelerators if d.kind == "gpu"]
    return "installs a CPU build beside a GPU" if gpus and not plugin and _CPU.search(case.command) else None


def no_cuda_where_there_is_none(case: Case) -> str | None:
    """macOS, and machines with other vendors' devices alone, get no CUDA build."""
    if not _CUDA.search(case.command):
        return None
    if case.facts.host.system == "macos":
        return "installs a CUDA build on macOS"
    vendors = {d.backend for d in case.facts.accelerators}
    if vendors and "nvidia" not in vendors and any(p.name in _OTHER_PLUGINS for p in case.facts.packages()):
        return f"installs a CUDA build for {', '.join(sorted(vendors))}"
    return None


def no_driver_inside_wsl(case: Case) -> str | None:
    """In WSL the driver is Windows': none is installed inside."""
    if case.facts.host.wsl and _APT_DRIVER.search(case.command):
        return "installs a driver inside WSL"
    return None


def no_driver_inside_a_container(case: Case) -> str | None:
    """A container has the host's driver: none is installed inside, unless the remedy says that it is for the host."""
    inside = case.facts.host.containerized and _APT_DRIVER.search(case.command)
    return "installs a driver inside a container" if inside and "host" not in case.remedy.text.lower() else None


def no_pip_in_a_container_that_is_thrown_away(case: Case) -> str | None:
    """What pip installs in a container started with --rm is gone with it: the remedy names the image."""
    thrown = any(
        c.tool in ("docker", "podman", "nerdctl") and c.verb == "run" and "--rm" in c.options and not c.advice
        for c in case.facts.snapshot.observations
        if isinstance(c, Command)
    )
    told = re.search(r"\b(?:image|Dockerfile)\b", f"{case.remedy.text} {case.command}", re.IGNORECASE)
    return (
        "installs into a container that is thrown away"
        if thrown and _INSTALL.search(case.command) and not told
        else None
    )


def no_older_release(case: Case) -> str | None:
    """No package is replaced by an older release, unless that is the point."""
    if _OLDER_IS_THE_POINT.search(case.finding.name):
        return None
    for name, version, _ in _installed_by(case.command):
        known = {p.version for p in case.facts.packages(name) if p.version}
        has = order_of(known.pop()) if len(known) == 1 else None
        wanted = order_of(version)
        if has is not None and wanted is not None and wanted < has:
            return f"replaces {name} by the older {version}"
    return None


def changes_something(case: Case) -> str | None:
    """A command that installs does not ask for what is there already in this very build."""
    found = list(_installed_by(case.command))
    whole = sum(not w.startswith("-") for f in _INSTALL.finditer(case.command) for w in f["words"].split())
    if (
        not found
        or whole != len(found)
        or "[" in case.command
        or re.search(r"uninstall|--force-reinstall|--reinstall|venv|-U\b|--upgrade", case.command)
    ):
        return None
    for name, version, label in found:
        packages = [p for p in case.facts.packages(name) if p.version]
        same = [p for p in packages if p.version == version and label in (None, p.variant) and not p.variant]
        if len(packages) != 1 or not same or "://" in case.command:
            return None
    return "installs only what is installed"


def pip_replaces_it(case: Case) -> str | None:
    """A release that is installed in another build is removed first: pip takes it for the one that is asked for."""
    index = _INDEX.search(case.command)
    if index is None or re.search(r"uninstall|--force-reinstall|--reinstall|venv|-U\b|--upgrade", case.command):
        return None
    for name, version, label in _installed_by(case.command):
        by_pip = [p for p in case.facts.packages(name) if p.channel != "conda"]  # both: a finding of its own
        has = {p.variant for p in by_pip if p.version == version and p.variant}
        if name in _OF_ONE_BUILD and label is None and has and index["label"] not in has:
            return f"pip keeps {name} {version}+{', '.join(sorted(has))}"
    return None


def root_in_a_container(case: Case) -> str | None:
    """In a container apt needs no sudo, which most images lack, and first fetches its lists, which they lack, too."""
    for_host = re.search(r"\b(?:host|node|cluster|kernel)\b", case.remedy.text, re.IGNORECASE)
    kernel = re.search(r"linux-headers|nvidia-|cuda-drivers|amdgpu|aws-neuronx|docker", case.command)
    if not case.facts.host.containerized or for_host or kernel:
        return None
    if re.search(r"\bsudo apt(?:-get)? install\b", case.command):
        return "calls sudo in a container"
    installs = re.search(r"\bapt(?:-get)? install\b", case.command)
    return "fetches no lists of packages" if installs and "update" not in case.command else None


def companions_move_with_torch(case: Case) -> str | None:
    """Where torch moves, the torchvision and torchaudio that are installed move in the same command."""
    moved = {name: version for name, version, _ in _installed_by(case.command)}
    torch = {p.version for p in case.facts.packages("torch") if p.version}
    if "torch" not in moved or not torch or moved["torch"] in torch:
        return None
    left = [n for n in ("torchvision", "torchaudio") if case.facts.package(n) is not None and n not in case.command]
    told = any(name in case.remedy.text for name in left)
    return f"leaves {', '.join(left)} behind" if left and not told else None


def keeps_the_installer(case: Case) -> str | None:
    """A portable Python is called by its own name: the pip on PATH is another's."""
    from accel.resolver.installer import pip_of

    own = pip_of(case.facts).words
    if own != "pip" and re.search(r"(?:^|&& |; )pip3? (?:install|uninstall|check|show|list)\b", case.command):
        return f"calls pip where the text runs {own}"
    return None


def keeps_the_engine(case: Case) -> str | None:
    """Who starts containers by another engine, by a compose file or in Kubernetes is given no command of Docker's."""
    from accel.remedies.containers import starter_of

    by = starter_of(case.facts, case.specs)
    starts = re.search(r"\bdocker run\b.*\bIMAGE\b", case.command) and "$(" not in case.command
    return f"starts by docker what {by} starts" if starts and by not in (None, "docker") else None


def keeps_the_mirror(case: Case) -> str | None:
    """Who installs from a mirror is not sent to the public index."""
    asked = next(
        (
            found["host"]
            for c in reversed(case.facts.snapshot.observations)
            if isinstance(c, Command) and c.tool in ("pip", "pip3", "uv") and not c.advice
            for option in c.options
            if option.startswith(("--index-url=", "-i=")) and (found := _MIRROR.search(option))
        ),
        None,
    )
    if asked is None or asked in _PUBLIC or "--index-url" not in case.command:
        return None
    return f"leaves the mirror {asked}" if asked not in case.command else None


def old_toolkit_for_an_unknown_driver(case: Case) -> str | None:
    """With the driver unknown no torch of the newest CUDA major is installed where the release has an older one.

    A GPU of compute capability 10 or more may need the newest, and who has it keeps it. Who builds with a toolkit of
    the newest major is told which torch goes with it.
    """
    if case.finding.name == "nvcc-torch-cuda-mismatch":
        return None
    driver = case.facts.driver("nvidia")
    codes = [d.compute_capability or "" for d in case.facts.accelerators]
    if (driver and (driver.version or driver.toolkit_version)) or any(numbers(code) >= (10,) for code in codes):
        return None
    for name, version, label in _installed_by(case.command):
        release = next((r for r in case.specs.frameworks("torch") if r.version == version), None)
        if name != "torch" or release is None:
            continue
        here = [b for b in release.builds if b.platform == "linux_x86_64" and b.variant.startswith("cu")]
        index = re.search(r"whl/(?:nightly/)?([a-z]+[\d.]*)", case.command)
        variant = label or (index[1] if index else next((b.variant for b in here if b.default), ""))
        majors = sorted({b.variant[2:4] for b in here})
        if variant.startswith("cu") and majors[:1] < [variant[2:4]] and variant[2:4] >= "13":
            kept = any(p.variant == variant for p in case.facts.packages("torch"))
            framework = case.facts.framework("torch")
            kept |= framework is not None and variant == f"cu{(framework.cuda_version or '').replace('.', '')}"
            return None if kept else f"installs {variant} with the driver unknown"
    return None


def no_build_by_a_guess(case: Case) -> str | None:
    """The plain index has builds for the CPU on Windows: none is installed where no device is mentioned."""
    if case.facts.host.system != "windows" or "://" in case.command or case.facts.accelerators:
        return None
    built = [p.variant for p in case.facts.packages("torch")]
    exact = [name for name, _, label in _installed_by(case.command) if name == "torch" and label is None]
    return "installs the build for the CPU by a guess" if exact and "cpu" not in built else None


def pairs_are_pinned(case: Case) -> str | None:
    """A wheel that goes with one torch is not installed in its newest release beside any torch."""
    for found in _INSTALL.finditer(case.command):
        words = found["words"].split()
        if "--no-deps" in words and (loose := {"xformers", "vllm", "triton", "torchvision", "torchaudio"} & set(words)):
            return f"installs the newest {', '.join(sorted(loose))} beside any torch"
    return None


def resets_one_device(case: Case) -> str | None:
    """A reset names its GPU, or the remedy says that all are reset: who computes on the others loses the work."""
    named = re.search(r"(?:^|\s)(?:-i|--id|--gpu)[ =]", case.command) or re.search(
        r"\b(?:all|every|each)\b", case.remedy.text
    )
    return "resets every GPU" if re.search(r"--gpu-?reset\b", case.command) and not named else None


def of_this_distribution(case: Case) -> str | None:
    """The package manager is the distribution's."""
    table = case.specs.table("language/shells") or {}
    told = (case.facts.host.distribution or "").lower()
    rows = table.get("package_managers", ())
    own = next((row["name"] for row in rows if any(name in told for name in row["distributions"])), None)
    called = {
        "apt" if word == "apt-get" else word
        for word in re.findall(r"(?:^|sudo |&& |; )(apt|apt-get|dnf|yum|zypper|pacman|apk) ", case.command)
    }
    if own is None or not called or own in called or {own, *called} <= {"dnf", "yum"}:
        return None
    return f"calls {', '.join(sorted(called))} on {case.facts.host.distribution}"


def no_pip_as_root(case: Case) -> str | None:
    """pip is never called by sudo: it would change the distribution's own Python."""
    return "calls pip by sudo" if re.search(r"\bsudo (?:-\w+ )*(?:python\S* -m )?pip", case.command) else None


def is_shown_whole(case: Case) -> str | None:
    """A person sees all that a command does: one line, no sign that is not printed."""
    return None if is_printable(case.command) else "holds what is not shown"


def can_be_typed(case: Case) -> str | None:
    """No ellipsis and no bracketed blank: values that are not known are CAPITALS; quote marks are closed."""
    if found := _PLACEHOLDER.search(case.command):
        return f"holds {found[0]!r}"
    try:
        shlex.split(case.command.replace("\\", "/"))
    except ValueError:
        return "has a quote mark that is not closed"
    return None


def of_this_system(case: Case) -> str | None:
    """Windows gets no POSIX commands, other systems none of Windows."""
    system, wsl = case.facts.host.system, case.facts.host.wsl
    inside = re.search(r"\bWSL|\bcontainer|\bLinux", f"{case.remedy.text} {case.finding.title}")
    if system == "windows" and not wsl and not inside and _POSIX.search(case.command):
        return "is no command of Windows"
    if system in ("linux", "macos") and not wsl and _WINDOWS.search(case.command) and "Windows" not in case.remedy.text:
        return "is a command of Windows"
    return None


def exists_for_windows(case: Case) -> str | None:
    """Nothing is installed on Windows that publishes no Windows wheels."""
    if case.facts.host.system != "windows":
        return None
    without = set((case.specs.table("frameworks/wheels") or {}).get("without_windows", ()))
    names = {
        re.split(r"[\[=<>!~]", w.strip("'\""))[0]
        for found in _INSTALL.finditer(case.command)
        for w in found["words"].split()
    }
    gone = sorted(names & without)
    return f"installs {', '.join(gone)}, which has no Windows wheel" if gone else None


RULES: Final[dict[str, Callable[[Case], str | None]]] = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        no_cpu_wheel_for_a_gpu,
        no_cuda_where_there_is_none,
        no_driver_inside_wsl,
        no_driver_inside_a_container,
        no_pip_in_a_container_that_is_thrown_away,
        no_older_release,
        changes_something,
        pip_replaces_it,
        root_in_a_container,
        companions_move_with_torch,
        keeps_the_installer,
        keeps_the_mirror,
        old_toolkit_for_an_unknown_driver,
        no_build_by_a_guess,
        pairs_are_pinned,
        resets_one_device,
        of_this_distribution,
        no_pip_as_root,
        is_shown_whole,
        can_be_typed,
        of_this_system,
        exists_for_windows,
        keeps_the_engine,
    )
}


def broken_promises(diagnosis: Diagnosis, snapshot: Snapshot, specs: "Specs") -> Iterator[str]:
    """Yield what is broken: the rule, the finding, the command and why."""
    facts = Facts(snapshot)
    for finding in diagnosis.findings:
        for remedy in finding.remedies:
            if (why := kind_mistake(remedy, specs)) is not None:
                yield f"is-of-its-kind: {finding.code} {finding.name}: {remedy.text!r} {why}"
            if remedy.command is None:
                continue
            case = Case(finding=finding, remedy=remedy, command=remedy.command, facts=facts, specs=specs)
            for name, rule in RULES.items():
                if (why := rule(case)) is not None:
                    yield f"{name}: {finding.code} {finding.name}: {remedy.command!r} {why}"


def _installed_by(command: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield (package, version, label) of each exact requirement that a command installs."""
    for found in _INSTALL.finditer(command):
        for word in found["words"].split():
            if exact := _EXACT.fullmatch(word):
                yield re.sub(r"[-_.]+", "-", exact["name"]).lower(), exact["version"], exact["label"]
