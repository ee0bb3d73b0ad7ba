"""The steps of deep.py in torch, and in packages that add a device type to it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import deep_collective
from .ranks import LIBRARIES
from .reporting import Unavailable

_KINDS = {"torch": ("cuda", "xpu", "mps"), "torch_npu": ("npu",), "torch_mlu": ("mlu",), "torch_musa": ("musa",)}
_FORMATS = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
_UNKNOWN = ("fp32", "fp16", "bf16")  # for a chip whose formats are unknown
_OF_PROCESSORS = ("fp32", "fp64", "bf16", "fp16", "int8")
_COMPANIONS = ("torchvision", "torchaudio", "flash_attn", "xformers", "bitsandbytes")


def adapter(name: str) -> Any:
    """Import torch and a package that extends it, and return the adapter."""
    torch = import_module("torch")
    added = import_module(name) if name != "torch" else torch
    return _Torch(name, torch, added)


class _Torch:
    def __init__(self, name: str, torch: Any, added: Any) -> None:
        self._name = name
        self._torch = torch
        self.version = str(getattr(added, "__version__", "")) or None
        self.companions = _COMPANIONS if name == "torch" else ()

    def devices(self, expects: tuple[str, ...]) -> list[str]:
        """Return the devices. Raises torch's error if a supported one is expected and it sees none."""
        if self._name == "torch_xla":
            core = import_module("torch_xla.core.xla_model")
            return [str(one) for one in core.get_xla_supported_devices()]
        found = []
        for kind in _KINDS[self._name]:
            module = getattr(self._torch, kind, None)
            if module is None:
                continue
            if kind == "cuda" and kind in expects and self._built_for_cuda() and not module.is_available():
                module.init()  # raises an error with the reason
                raise RuntimeError("torch.cuda.is_available() is False, and torch.cuda.init() does not say why")
            if module.is_available():
                found += ["mps"] if kind == "mps" else [f"{kind}:{n}" for n in range(module.device_count())]
        return ["cpu", *found] if self._name == "torch" else found

    def _built_for_cuda(self) -> bool:
        version = self._torch.version
        return bool(getattr(version, "cuda", None) or getattr(version, "hip", None))

    def formats(self, device: str, known: list[str] | None) -> list[str]:
        """Return the formats for matrix products."""
        if device == "cpu":
            return list(_OF_PROCESSORS)
        there = {*_FORMATS, "int8", "fp8"} - ({"fp64", "fp8", "int8"} if device == "mps" else set())
        return [one for one in known or _UNKNOWN if one in there]

    def ready(self, device: str) -> str | None:
        """Copy numbers to the device and back."""
        given = [1.0, 2.0, 3.0]
        back = self._tensor(given, device).tolist()
        return None if back == given else f"{given} was stored there, but {back} came back."

    def multiply(self, device: str, dtype: str, left: Any, right: Any) -> Any:
        """Return the product."""
        torch = self._torch
        if dtype == "int8":
            a, b = (torch.tensor(one, dtype=torch.int8, device=device) for one in (left, right))
            return torch._int_mm(a, b).tolist()
        a, b = self._tensor(left, device), self._tensor(right, device)
        if dtype == "fp8":
            one = torch.ones((), device=device)
            own = getattr(torch.cuda.get_device_properties(device), "gcnArchName", "").startswith("gfx94")
            eight = torch.float8_e4m3fnuz if own else torch.float8_e4m3fn  # CDNA3 has the other of the two
            transposed = b.t().contiguous().to(eight).t()
            return torch._scaled_mm(
                a.to(eight), transposed, scale_a=one, scale_b=one, out_dtype=torch.bfloat16
            ).tolist()
        element = getattr(torch, _FORMATS[dtype])
        return torch.matmul(a.to(element), b.to(element)).tolist()

    def convolve(self, device: str, image: Any, filters: Any) -> Any:
        """Return the convolution, computed by cuDNN, MIOpen or oneDNN."""
        return self._torch.nn.functional.conv2d(self._tensor(image, device), self._tensor(filters, device)).tolist()

    def transform(self, device: str, wave: list[float]) -> Any:
        """Return the Fourier transform, computed by cuFFT, rocFFT or MKL."""
        return self._torch.fft.fft(self._tensor(wave, device)).tolist()

    def solve(self, device: str, matrix: Any, side: Any) -> Any:
        """Return the solution, computed by cuSOLVER, MAGMA or LAPACK."""
        return self._torch.linalg.solve(self._tensor(matrix, device), self._tensor(side, device)).tolist()

    def carried(self, source: str, target: str, values: list[float]) -> Any:
        """Return numbers copied from one device to the other."""
        return self._tensor(values, source).to(target).tolist()

    def together(self, devices: list[str]) -> list[list[str]]:
        """Return the first two devices of each type, and the CPU twice."""
        by_kind: dict[str, list[str]] = {}
        for device in devices:
            by_kind.setdefault(device.partition(":")[0], []).append(device)
        pairs = [names[:2] for kind, names in by_kind.items() if len(names) > 1 and kind in LIBRARIES]
        return [*pairs, ["cpu", "cpu"]] if "cpu" in by_kind else pairs

    def all_reduce(self, devices: list[str]) -> str | None:
        """Sum numbers over two processes: NCCL, RCCL, HCCL, gloo."""
        together = import_module("torch.distributed")
        if not together.is_available():
            raise Unavailable("this build of torch has no torch.distributed")
        return deep_collective.wrong_in_sums(self._name, devices)

    def _tensor(self, values: Any, device: str) -> Any:
        return self._torch.tensor(values, dtype=self._torch.float32, device=device)
