"""The steps of deep.py in JAX."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .reporting import Unavailable

_FORMATS = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int8": "int8"}
_ANY = ("fp32", "bf16", "fp16")
_PLUGINS = ("jax_plugins", "jax_cuda13_plugin", "jax_cuda12_plugin", "libtpu", "jax_rocm7_plugin", "jax_rocm60_plugin")


def adapter(name: str) -> Any:
    """Import JAX and return its adapter."""
    return _Jax(import_module("jax"), import_module("jax.numpy"))


class _Jax:
    companions = ()

    def __init__(self, jax: Any, numpy: Any) -> None:
        self._jax = jax
        self._numpy = numpy
        self.version = jax.__version__
        self._devices: dict[str, Any] = {}

    def devices(self, expects: tuple[str, ...]) -> list[str]:
        """Return the devices. Raises JAX's error if a plugin is installed for a device that it does not see."""
        found = list(self._jax.devices())
        if all(one.platform == "cpu" for one in found) and any(map(_installed, _PLUGINS)):
            for kind in expects:
                if kind in ("cuda", "rocm", "tpu"):
                    self._jax.devices(kind)  # raises an error with the reason
        if found and found[0].platform != "cpu":
            found += self._jax.devices("cpu")[:1]
        named = ((f"{one.platform}:{one.id}", one) for one in found)
        self._devices = {"cpu" if name == "cpu:0" else name: one for name, one in named}
        return list(self._devices)

    def formats(self, device: str, known: list[str] | None) -> list[str]:
        """Return the formats for matrix products."""
        return [one for one in known or _ANY if one in _FORMATS]

    def ready(self, device: str) -> str | None:
        """Copy numbers to the device and back."""
        given = [1.0, 2.0, 3.0]
        back = self._array(given, device).tolist()
        return None if back == given else f"{given} was stored there, but {back} came back."

    def multiply(self, device: str, dtype: str, left: Any, right: Any) -> Any:
        """Return the product."""
        element = getattr(self._numpy, _FORMATS[dtype])
        a, b = self._array(left, device, element), self._array(right, device, element)
        wide = self._numpy.int32 if dtype == "int8" else None
        return self._jax.jit(lambda x, y: self._numpy.matmul(x, y, preferred_element_type=wide))(a, b).tolist()

    def convolve(self, device: str, image: Any, filters: Any) -> Any:
        """Return the convolution."""
        call = self._jax.jit(lambda x, y: self._jax.lax.conv_general_dilated(x, y, (1, 1), "VALID"))
        return call(self._array(image, device), self._array(filters, device)).tolist()

    def transform(self, device: str, wave: list[float]) -> Any:
        """Return the Fourier transform."""
        return self._jax.jit(self._numpy.fft.fft)(self._array(wave, device)).tolist()

    def solve(self, device: str, matrix: Any, side: Any) -> Any:
        """Return the solution."""
        call = self._jax.jit(self._numpy.linalg.solve)
        return call(self._array(matrix, device), self._array(side, device)).tolist()

    def carried(self, source: str, target: str, values: list[float]) -> Any:
        """Return numbers copied from one device to the other."""
        return self._jax.device_put(self._array(values, source), self._devices[target]).tolist()

    def together(self, devices: list[str]) -> list[list[str]]:
        """Return the devices of JAX's preferred type, if there are two."""
        found = [one for one in devices if self._devices[one].platform == self._jax.default_backend()]
        return [found] if len(found) > 1 else []

    def all_reduce(self, devices: list[str]) -> str | None:
        """Sum numbers over the devices of this process."""
        count = len(devices)
        if not hasattr(self._jax, "pmap"):
            raise Unavailable("this JAX has no pmap")
        call = self._jax.pmap(lambda x: self._jax.lax.psum(x, "i"), "i", devices=[self._devices[d] for d in devices])
        sums = call(self._numpy.arange(count, dtype=self._numpy.float32).reshape(count, 1)).tolist()
        right = [[count * (count - 1) / 2]] * count
        return None if sums == right else f"the sums are {sums[:4]}, and {right[0]} is right."

    def _array(self, values: Any, device: str, element: Any = None) -> Any:
        made = self._numpy.asarray(values, dtype=element or self._numpy.float32)
        return self._jax.device_put(made, self._devices[device])


def _installed(name: str) -> bool:
    return find_spec(name) is not None
