"""Whether the compiled part of torchvision and torchaudio is from the same build as torch.

A wheel's version may not include its build: torchvision 0.20.1 on PyPI is a CUDA build without a label. Its files do.

Reads   torchvision/version.py                __version__ = '0.20.1+cu124'
        torchvision/_C.so, _C_stable.so       needed: libtorch_cuda.so, libcudart.so.12
        torchaudio/lib/libtorchaudio.so       the same
Source  the wheels of torchvision 0.20.1 and 0.29.2, torchaudio 2.5.1 and 2.11.1; torchvision: extension.py
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.environment.builds import assigned
from accel.collect.environment.distributions import full_version
from accel.collect.environment.objects import Objects
from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.text.versions import variant_of

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.environment import Framework, Package

_COMPILED: Final = {"torchvision": ("torchvision", "_C"), "torchaudio": ("torchaudio/lib", "libtorchaudio")}
_CUDA_RUNTIME: Final = pattern(r"libcudart\.so\.(\d{2,3})(?:\.\d+)?", exact_case=True)
_TORCH_LIBRARIES: Final = {"libtorch_cuda.so": "cuda", "libc10_cuda.so": "cuda", "libtorch_hip.so": "rocm"}
_VERSION_BYTES: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class _Build:
    """A build. kind: "cuda", "rocm", "cpu", "xpu"; release: its CUDA or ROCm, "12.4" or a bare major; None: unknown."""

    kind: str
    release: str | None

    def __str__(self) -> str:
        name = {"cuda": "CUDA", "rocm": "ROCm", "cpu": "the CPU", "xpu": "Intel GPUs"}.get(self.kind, self.kind)
        return f"{name} {self.release}" if self.release else name


def unlike_companions(
    machine: "Machine", packages: Sequence["Package"], frameworks: Sequence["Framework"]
) -> Iterator[Noted]:
    """Yield a note for each companion that was built for a different platform or CUDA major version than torch."""
    torch = next((one for one in frameworks if one.name == "torch" and one.built_for), None)
    if torch is None or torch.built_for is None:
        return
    mine = _Build(torch.built_for, torch.cuda_version or torch.rocm_version)
    for package in packages:
        other = _build_of(machine, package) if package.name in _COMPILED else None
        if other is None or not _is_unlike(mine, other):
            continue
        version = full_version(package)
        yield Noted(
            fact="companion-of-another-build",
            text=f"{package.name} {version} was built for {other}, torch {torch.version} for {mine}",
            values=(
                ("package", package.name),
                ("version", version),
                ("build", str(other)),
                ("torch", str(mine)),
                # A CPU build can be imported with a GPU build of torch; its operators fail later, and only on the GPU.
                *((("loads", "yes"),) if other.kind == "cpu" else ()),
            ),
            source="environment",
            grade="measured",
        )


def _is_unlike(mine: _Build, other: _Build) -> bool:
    if mine.kind != other.kind:
        return True
    majors = [build.release.partition(".")[0] if build.release else None for build in (mine, other)]
    return mine.kind == "cuda" and None not in majors and majors[0] != majors[1]


def _build_of(machine: "Machine", package: "Package") -> _Build | None:
    """Return a companion's build from the label in its version file, or else from the libraries that it needs."""
    _, stated = assigned(
        file_text(machine, f"{package.location}/{package.name}/version.py", _VERSION_BYTES) or "", "__version__"
    )
    label = variant_of(stated)
    if label.built_for is not None:
        return _Build(label.built_for, label.cuda_version or label.rocm_version)
    folder, stem = _COMPILED[package.name]
    objects = Objects(machine, None)
    for name in names_in(machine, f"{package.location}/{folder}"):
        if not name.startswith(stem) or (it := objects.at(f"{package.location}/{folder}/{name}")) is None:
            continue
        kind = next((_TORCH_LIBRARIES[needed] for needed in it.needed if needed in _TORCH_LIBRARIES), None)
        runtime = next((found[1] for needed in it.needed if (found := _CUDA_RUNTIME.fullmatch(needed))), None)
        if kind is not None:
            return _Build(kind, runtime if kind == "cuda" else None)
        if runtime is None and "libtorch_cpu.so" in it.needed:
            return _Build("cpu", None)
    return None
