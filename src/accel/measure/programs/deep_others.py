"""The steps of deep.py in TensorFlow, ONNX Runtime and CuPy."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

_PROVIDERS = {
    "CUDAExecutionProvider": "cuda:0",
    "ROCMExecutionProvider": "rocm:0",
    "MIGraphXExecutionProvider": "rocm:0",
    "CANNExecutionProvider": "npu:0",
    "CoreMLExecutionProvider": "mps",
    "CPUExecutionProvider": "cpu",
}


def adapter(name: str) -> Any:
    """Import a framework and return its adapter."""
    return {"tensorflow": _TensorFlow, "onnxruntime": _OnnxRuntime, "cupy": _CuPy}[name](import_module(name))


class _Any:
    """The parts they have in common."""

    companions = ()
    convolve: Any = None
    transform: Any = None
    solve: Any = None
    carried: Any = None
    _FORMATS: ClassVar[dict[str, str]] = {"fp32": "float32"}

    def __init__(self, module: Any) -> None:
        self._module = module
        self.version = module.__version__

    def formats(self, device: str, known: list[str] | None) -> list[str]:
        """Return the formats for matrix products."""
        return [one for one in known or self._FORMATS if one in self._FORMATS]

    def together(self, devices: list[str]) -> list[list[str]]:
        """Return the devices for a collective: none."""
        return []


class _TensorFlow(_Any):
    _FORMATS: ClassVar[dict[str, str]] = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "fp64": "float64"}

    def devices(self, expects: tuple[str, ...]) -> list[str]:
        """Return the devices. Raises if the build is for GPUs, the machine has one, and it sees none."""
        found = [one.name.rpartition("device:")[2].lower() for one in self._module.config.list_logical_devices()]
        names = ["cpu" if one == "cpu:0" else one for one in found]
        test = self._module.test
        if "cuda" in expects and test.is_built_with_cuda() and not any(one.startswith("gpu") for one in names):
            raise RuntimeError("TensorFlow is built with CUDA, and lists no GPU: Skipping registering GPU devices")
        return names

    def ready(self, device: str) -> str | None:
        """Copy numbers to the device and back."""
        given = [1.0, 2.0, 3.0]
        with self._on(device):
            back = self._module.identity(self._module.constant(given)).numpy().tolist()
        return None if back == given else f"{given} was stored there, but {back} came back."

    def multiply(self, device: str, dtype: str, left: Any, right: Any) -> Any:
        """Return the product."""
        tf = self._module
        with self._on(device):
            a, b = (tf.cast(tf.constant(one, tf.float32), self._FORMATS[dtype]) for one in (left, right))
            return tf.cast(tf.linalg.matmul(a, b), tf.float32).numpy().tolist()

    def convolve(self, device: str, image: Any, filters: Any) -> Any:
        """Return the convolution; the CPU supports it only with channels last."""
        tf = self._module
        with self._on(device):
            last = tf.transpose(tf.constant(image, tf.float32), (0, 2, 3, 1))
            kernel = tf.transpose(tf.constant(filters, tf.float32), (2, 3, 1, 0))
            return tf.transpose(tf.nn.conv2d(last, kernel, 1, "VALID"), (0, 3, 1, 2)).numpy().tolist()

    def transform(self, device: str, wave: list[float]) -> Any:
        """Return the Fourier transform."""
        tf = self._module
        with self._on(device):
            return tf.signal.fft(tf.cast(tf.constant(wave, tf.float32), tf.complex64)).numpy().tolist()

    def solve(self, device: str, matrix: Any, side: Any) -> Any:
        """Return the solution."""
        tf = self._module
        with self._on(device):
            return tf.linalg.solve(tf.constant(matrix, tf.float32), tf.constant(side, tf.float32)).numpy().tolist()

    def carried(self, source: str, target: str, values: list[float]) -> Any:
        """Return numbers copied from one device to the other."""
        with self._on(source):
            there = self._module.identity(self._module.constant(values))
        with self._on(target):
            return self._module.identity(there).numpy().tolist()

    def _on(self, device: str) -> Any:
        return self._module.device(f"/{device if ':' in device else device + ':0'}")


class _OnnxRuntime(_Any):
    def devices(self, expects: tuple[str, ...]) -> list[str]:
        """Return the devices of this build's providers that the machine has."""
        names = [_PROVIDERS[one] for one in self._module.get_available_providers() if one in _PROVIDERS]
        return [name for name in dict.fromkeys(names) if name == "cpu" or name.partition(":")[0] in expects]

    def ready(self, device: str) -> str | None:
        """Create a session; it may fall back to the CPU with only a warning."""
        session, provider = self._session(device, 4)
        used = session.get_providers()[0]
        if used != provider:
            raise RuntimeError(f"Failed to create {provider}: ONNX Runtime uses {used} in its place")
        return None

    def multiply(self, device: str, dtype: str, left: Any, right: Any) -> Any:
        """Return the product."""
        numpy = import_module("numpy")
        session, _ = self._session(device, len(left))
        fed = {"a": numpy.asarray(left, "float32"), "b": numpy.asarray(right, "float32")}
        return session.run(None, fed)[0].tolist()

    def _session(self, device: str, size: int) -> tuple[Any, str]:
        there = self._module.get_available_providers()
        provider = next(one for one, name in _PROVIDERS.items() if name == device and one in there)
        return self._module.InferenceSession(_product_model(size), providers=[provider]), provider


def _product_model(size: int) -> bytes:
    """Return an ONNX model of one MatMul over two square matrices of float32.

    Source  https://github.com/onnx/onnx/blob/main/onnx/onnx.proto: the field numbers
    """

    def number(value: int) -> bytes:
        out = b""
        while value > 127:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])

    def whole(field: int, value: int) -> bytes:
        return number(field << 3) + number(value)

    def part(field: int, data: bytes) -> bytes:
        return number(field << 3 | 2) + number(len(data)) + data

    shape = part(2, part(1, whole(1, size)) * 2)
    square = part(2, part(1, whole(1, 1) + shape))
    node = part(1, b"a") + part(1, b"b") + part(2, b"c") + part(4, b"MatMul")
    graph = part(1, node) + part(2, b"product") + b"".join(part(11, part(1, name) + square) for name in (b"a", b"b"))
    graph += part(12, part(1, b"c") + square)
    return whole(1, 7) + part(7, graph) + part(8, whole(2, 13))


class _CuPy(_Any):
    _FORMATS: ClassVar[dict[str, str]] = {"fp32": "float32", "fp16": "float16", "fp64": "float64"}

    def devices(self, expects: tuple[str, ...]) -> list[str]:
        """Return the devices. Raises the driver's error if the machine has one."""
        if not {"cuda", "rocm"} & set(expects):
            return []
        return [f"cuda:{n}" for n in range(self._module.cuda.runtime.getDeviceCount())]

    def ready(self, device: str) -> str | None:
        """Copy numbers to the device and back."""
        given = [1.0, 2.0, 3.0]
        with self._on(device):
            back = self._module.asarray(given).tolist()
        return None if back == given else f"{given} was stored there, but {back} came back."

    def multiply(self, device: str, dtype: str, left: Any, right: Any) -> Any:
        """Return the product, computed by cuBLAS."""
        with self._on(device):
            a, b = (self._module.asarray(one, dtype=self._FORMATS[dtype]) for one in (left, right))
            return self._module.matmul(a, b).tolist()

    def transform(self, device: str, wave: list[float]) -> Any:
        """Return the Fourier transform, computed by cuFFT."""
        with self._on(device):
            return self._module.fft.fft(self._module.asarray(wave, dtype="float32")).tolist()

    def solve(self, device: str, matrix: Any, side: Any) -> Any:
        """Return the solution, computed by cuSOLVER."""
        with self._on(device):
            return self._module.linalg.solve(self._module.asarray(matrix), self._module.asarray(side)).tolist()

    def carried(self, source: str, target: str, values: list[float]) -> Any:
        """Return numbers copied from one device to the other."""
        with self._on(source):
            there = self._module.asarray(values)
        with self._on(target):
            return self._module.array(there).tolist()

    def _on(self, device: str) -> Any:
        return self._module.cuda.Device(int(device.partition(":")[2]))
