"""Read torch's environment report, `python -m torch.utils.collect_env`, and its copies in other projects.

    PyTorch version: 2.0.1+cu117                 PyTorch version              : 2.8.0+cu128      (vLLM's banner form)
    Is debug build: False                        Is debug build               : False
    CUDA used to build PyTorch: 11.7             CUDA used to build PyTorch   : 12.8
    ROCM used to build PyTorch: N/A              ROCM used to build PyTorch   : N/A
    OS: Ubuntu 20.04.5 LTS (x86_64)              OS                           : Ubuntu 22.04.5 LTS (x86_64)
    Python version: 3.9.16 (main, …) [GCC 9.4.0] (64-bit runtime)
    Python platform: Linux-5.19.0-45-generic-x86_64-with-glibc2.31
    Is CUDA available: True
    CUDA runtime version: 11.6.124
    CUDA_MODULE_LOADING set to: LAZY
    cuDNN version: Probably one of the following:
    /usr/lib/x86_64-linux-gnu/libcudnn.so.8.4.1
    Versions of relevant libraries:
    [pip3] torch==2.0.1+cu117
    [conda] pytorch   1.3.0   py3.7_cuda10.1.243_cudnn7.6.3_0 pytorch

Seen     torch 1.0 ("Is CUDA available: Yes", "[pip3] torch==1.2.0", "[pip] …") to 2.9; run without torch (all torch
         fields N/A); vLLM, vllm-ascend (no CUDA lines), SGLang, mmdet; crashed half-way
Means    "CUDA runtime version" is nvcc's version, not torch's; the cuDNN lines are files on disk, not what torch loads.
         If torch is installed, a build CUDA of "Could not collect", "None" or "N/A" means a CPU build, unless ROCm is
         named.
Left out GPU lines and the driver version: the vendor's own reader reads them from the same text.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.frameworks import framework_of
from accel.facts.readers.package import package_of
from accel.facts.readers.platform_string import MACHINES, host_of_platform
from accel.model.device import Gap
from accel.model.environment import Environment, Framework, Library, Package, Toolkit
from accel.model.snapshot import Host
from accel.text.pattern import pattern
from accel.text.versions import variant_of
from accel.vendors.contract.backend import Reader, Reading

_FIELD: Final = pattern(
    r"[ \t]*(?:[-*][ \t]+)?(?P<key>[A-Za-z][A-Za-z_0-9 /().-]{0,44}[A-Za-z_0-9/().-])[ \t]{0,40}:(?:[ \t]"
    r"(?P<value>.*))?$"
)
# Keys by their words in lower case: pasting may change case and blanks.
_KEYS: Final = {
    key.lower(): key
    for key in (
        *("PyTorch version", "Is debug build", "CUDA used to build PyTorch", "ROCM used to build PyTorch"),
        *("XPU used to build PyTorch", "OS", "GCC version", "Clang version", "CMake version", "Libc version"),
        *("Python version", "Python platform", "Is CUDA available", "Is XPU available", "CUDA runtime version"),
        *("CUDA_MODULE_LOADING set to", "GPU models and configuration", "Nvidia driver version", "cuDNN version"),
        *("HIP runtime version", "MIOpen runtime version", "Is XNNPACK available"),
        *("vLLM Version", "vLLM Ascend Version", "ROCM Version", "Neuron SDK Version"),
    )
}
_NOTHING: Final = frozenset(("", "n/a", "none", "could not collect", "no cuda", "unknown", "null"))
_PACKAGE: Final = pattern(
    r"[ \t]*\[(?P<list>pip3?|conda|uv)\][ \t]+(?P<name>[A-Za-z0-9][\w.-]*)"
    r"(?:[ \t]*==[ \t]*(?P<pinned>\S+)|[ \t]+\(?(?P<version>\d[^\s)]*)\)?(?:[ \t]+(?P<build>\S+))?(?:[ \t]+"
    r"(?P<channel>\S+))?)"
)
_CUDNN_FILE: Final = pattern(r"^[ \t]*(?P<path>(?:/|[A-Za-z]:\\)\S{0,300}?cudnn\S*)[ \t]*$")
_CUDNN_VERSION: Final = pattern(r"\.so\.(\d+(?:\.\d+)*)$")
_VERSION: Final = pattern(r"v?(\d{1,9}\.\d\S*)")
_LIBC: Final = pattern(r"(glibc|musl)[- ](\d[\d.]*)")
_MACHINE: Final = pattern(rf"(?:{MACHINES}|64[- ]bit|32[- ]bit)\)$")
_TOOLKIT_VERSION: Final = pattern(r"(\d+\.\d+(?:\.\d+)?)$")


def _read(text: str) -> Iterator[Reading]:
    lines = text.split("\n")
    for first, last in _blocks(lines):
        reading = _reading(lines[first:last], first)
        if reading.host is not None or reading.environment != Environment():
            yield reading


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield [first, last) of each report: from its first known field or package to the next report or its end."""
    starts: list[int] = []
    last_seen = 0
    seen: set[str] = set()
    for number, line in enumerate(lines):
        key, _ = _field(line)
        if key:
            repeats = key == "PyTorch version" and key in seen
            if not starts or repeats:
                starts.append(number)
                seen = set()
            seen.add(key)
            last_seen = number
        elif _PACKAGE.match(line):
            starts = starts or [number]
            last_seen = number
    for i, start in enumerate(starts):
        yield start, starts[i + 1] if i + 1 < len(starts) else last_seen + 30


def _field(line: str) -> tuple[str | None, str]:
    """Return a field's key, as the report spells it, and its value; a key of None if the line is not a field."""
    found = _FIELD.match(line) if ":" in line else None
    key = _KEYS.get(" ".join(found["key"].lower().split())) if found else None
    return (key, (found["value"] or "").strip()) if found and key else (None, "")


def _reading(lines: list[str], offset: int) -> Reading:
    fields: dict[str, str] = {}
    packages: list[Package] = []
    libraries: list[Library] = []
    last = 0
    for number, line in enumerate(lines):
        if package := _package(line):
            packages.append(package)
            last = number
        elif found := _CUDNN_FILE.match(line):
            version = _CUDNN_VERSION.search(found["path"])
            stem = re.split(r"[\\/]", found["path"])[-1].split(".")[0]
            libraries.append(
                Library(name=stem, version=version[1] if version else None, path=found["path"], origin="system")
            )
        else:
            key, value = _field(line)
            if key and key not in fields:
                fields[key] = value
                last = number
    packages = list(dict.fromkeys(packages))
    one_cudnn = fields.get("cuDNN version", "")
    if found := re.match(r"(?P<path>(?:/|[A-Za-z]:\\)\S+)$", one_cudnn):
        version = _CUDNN_VERSION.search(found["path"])
        stem = re.split(r"[\\/]", one_cudnn)[-1].split(".")[0]
        libraries.insert(
            0, Library(name=stem, version=version[1] if version else None, path=one_cudnn, origin="system")
        )
    torch, gaps = _torch(fields, packages)
    toolkit = _TOOLKIT_VERSION.match(fields.get("CUDA runtime version", ""))
    loading = fields.get("CUDA_MODULE_LOADING set to", "")
    python = _VERSION.match(fields.get("Python version", ""))
    for key, name in (("vLLM Version", "vllm"), ("vLLM Ascend Version", "vllm-ascend")):
        if (known := _VERSION.match(fields.get(key, ""))) and not any(p.name == name for p in packages):
            packages.append(package_of(name, known[1], channel=None))
    environment = Environment(
        python_version=_plain(python[1]) if python else None,
        packages=tuple(packages) or None,
        frameworks=(torch,) if torch else (),
        libraries=tuple(libraries),
        toolkits=(Toolkit(name="cuda", version=toolkit[1]),) if toolkit else (),
        variables=(("CUDA_MODULE_LOADING", loading),) if loading.lower() not in _NOTHING else None,
        gaps=gaps,
    )
    return Reading(
        source=READER.name,
        environment=environment,
        host=_host(fields),
        first_line=offset + 1,
        last_line=offset + last + 1,
    )


def _package(line: str) -> Package | None:
    found = _PACKAGE.match(line) if "[" in line else None
    if found is None:
        return None
    pinned = found["pinned"]
    if found["list"] != "conda":
        return package_of(found["name"], pinned or found["version"])
    if pinned or found["channel"] in ("pypi", "<pip>") or (found["build"] or "").startswith(("pypi", "<pip>")):
        return package_of(found["name"], pinned or found["version"])
    return package_of(found["name"], found["version"], build=found["build"], channel="conda")


def _plain(version: str) -> str:
    return version.rstrip("+,;")


def _known(value: str | None) -> str | None:
    return None if value is None or value.lower() in _NOTHING else value


def _torch(fields: dict[str, str], packages: list[Package]) -> tuple[Framework | None, tuple[Gap, ...]]:
    """Return what the report says about torch itself; None if it was run without torch."""
    said = fields.get("PyTorch version")
    if said is None and "CUDA used to build PyTorch" not in fields:
        return None, ()
    version = _VERSION.match(said or "")
    if version is None and said is not None:
        return None, (Gap(fact="torch", reason="the report was made where torch is not installed", source=READER.name),)
    taken = variant_of(_plain(version[1]) if version else None)
    listed = None
    for package in packages:
        framework = framework_of(package) if package.name == "torch" else None
        if framework and framework.version == taken.version and (listed is None or listed.built_for is None):
            listed = framework
    cuda, rocm = _known(fields.get("CUDA used to build PyTorch")), _known(fields.get("ROCM used to build PyTorch"))
    xpu = _known(fields.get("XPU used to build PyTorch"))
    built_for = taken.built_for
    if cuda:
        built_for = "cuda"
    elif rocm:
        built_for = "rocm"
    elif xpu:
        built_for = "xpu"
    elif built_for is None and version and "CUDA used to build PyTorch" in fields:
        built_for = "cpu"
    elif built_for is None and listed:
        built_for = listed.built_for
    version_of_cuda = re.match(r"\d+(?:\.\d+)?", cuda or "")
    torch = Framework(
        name="torch",
        version=taken.version,
        variant=taken.variant or (listed.variant if listed else None),
        built_for=built_for,
        cuda_version=version_of_cuda[0] if version_of_cuda else taken.cuda_version,
        rocm_version=rocm or taken.rocm_version,
        cudnn_version=listed.cudnn_version if listed else None,
        available={"yes": True, "true": True, "no": False, "false": False}.get(
            fields.get("Is CUDA available", "").lower()
        ),
    )
    return torch, ()


def _host(fields: dict[str, str]) -> Host | None:
    platform = host_of_platform(fields.get("Python platform", ""))
    system = _known(fields.get("OS"))
    libc = _LIBC.match(fields.get("Libc version", ""))
    if platform is None and system is None and libc is None:
        return None
    name, machine = system, None
    before, bracket, within = (system or "").rpartition("(")
    if bracket and _MACHINE.match(within):
        name = before.rstrip(" ")
        machine = None if "bit" in within.lower() else within.removesuffix(")")
    kind = _system(name) or (platform.system if platform else None)
    if name and name.lower() == "linux":
        name = None
    return Host(
        system=kind,
        distribution=name.removeprefix("Microsoft ") if name else (platform.distribution if platform else None),
        kernel=platform.kernel if platform else None,
        machine=(platform.machine if platform else None) or machine,
        libc=f"{libc[1].lower()}-{libc[2]}" if libc else (platform.libc if platform else None),
        wsl=platform.wsl if platform else None,
    )


def _system(name: str | None) -> str | None:
    if name is None:
        return None
    lower = name.lower()
    if "windows" in lower:
        return "windows"
    if lower.startswith(("mac", "darwin")):
        return "macos"
    return "linux"


READER = Reader(
    name="torch collect_env",
    signs=(
        *("PyTorch version", "CUDA used to build PyTorch", "Is CUDA available", "Versions of relevant libraries"),
        *("CUDA runtime version", "Python platform", "[pip", "[conda]"),
    ),
    read=_read,
)
