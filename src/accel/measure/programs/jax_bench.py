"""The measures of `accel bench` in JAX: mainly for TPUs, but on every platform it supports."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

from . import sizes, timing
from .reporting import Unavailable

_MATRICES = 3
_LATENCY_CALLS = 50
_BLOCK = 512  # rows and columns of random values


class Backend:
    """JAX, and the arrays that the memory measures of one device share."""

    def __init__(self, instructions: dict[str, Any]) -> None:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # otherwise it takes most of a shared GPU
        self.jax = import_module("jax")
        self.numpy = import_module("jax.numpy")
        self._wants_fp64 = any(row.get("dtype") == "fp64" for row in instructions["steps"])
        self._arrays: tuple[str, list[Any]] | None = None

    def about(self) -> dict[str, Any]:
        if self._wants_fp64:
            self.jax.config.update("jax_enable_x64", True)
        platform = self.jax.default_backend()
        return {"framework": "jax", "version": self.jax.__version__, "build": platform, "threads": None, "devices": {}}

    def release(self, following: dict[str, Any] | None) -> None:
        """Drop arrays, except those that the following step needs."""
        if not sizes.are_wanted(self._arrays, following):
            self._arrays = None

    def works(self, row: dict[str, Any]) -> bool:
        """Return whether the device of a failed step still responds to this process."""
        try:
            for name in (row.get("device"), row.get("other")):
                if name:
                    self._wait(self.jax.device_put(1.0, self._device(name)) + 1.0)
        except Exception:  # on any driver error, a new process is started
            return False
        return True

    def matmul(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        device = self._device(row["device"])
        element = getattr(self.numpy, sizes.FORMATS[row["dtype"]], None)
        if element is None:
            raise Unavailable(f"jax {self.jax.__version__} has no {sizes.FORMATS[row['dtype']]}")
        precision = {"fp32": "highest", "tf32": "tensorfloat32"}.get(row["dtype"])
        sums_in = {"int8": self.numpy.int32, "fp8": self.numpy.bfloat16}.get(row["dtype"])
        multiply = self.jax.jit(
            lambda a, b: self.numpy.matmul(a, b, precision=precision, preferred_element_type=sums_in)
        )

        def made(n: int) -> Callable[[], Any]:
            a, b = (self.jax.device_put(_values(row["dtype"], element, n, seed), device) for seed in (0, 1))
            return lambda: multiply(a, b)

        on_cpu = device.platform == "cpu"
        order, _ = sizes.grown(
            lambda n: timing.tried(made(n), self._wait),
            512 if on_cpu else 2048,  # each order is compiled
            seconds / (8 if on_cpu else 12),
            self._free_bytes(device),
            lambda n: 2 * _MATRICES * n * n * self.numpy.dtype(element).itemsize,
        )
        found = self._measured(made(order), device, seconds / 2)
        return {**found, "amount": 2 * order**3, "order": order, "way": f"matmul, {order} × {order}"}

    def memory(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        device, name = self._device(row["device"]), row["kind"]
        first, second = self._memory_arrays(row["device"], device)
        size, numpy = first.nbytes, self.numpy
        if name == "read":
            total = self.jax.jit(lambda a: a.sum())
            found = self._measured(lambda: total(first), device, seconds * 0.7)
        else:
            work = {
                "write": lambda out, a, b: numpy.full_like(out, 1.5),
                "copy": lambda out, a, b: numpy.copy(a),
                "triad": lambda out, a, b: a + 3.0 * b,
            }[name]
            into = self.jax.jit(work, donate_argnums=0, keep_unused=True)  # otherwise each call allocates new memory
            kept = [self.jax.device_put(numpy.zeros_like(first), device)]

            def call() -> Any:
                kept[0] = into(kept[0], first, second)
                return kept[0]

            found = self._measured(call, device, seconds * 0.7)
        times = {"copy": 2, "triad": 3}.get(name, 1)
        capped = device.platform != "cpu" and sizes.is_capped(size)
        return {**found, "amount": size * times, "capped": capped, "way": f"jit over {size >> 20} MiB"}

    def transfer(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        if row["memory"] == "pinned":
            raise Unavailable("JAX chooses itself how a host's array is copied")
        device, plain = self._device(row["device"]), import_module("numpy")
        size = min(row["bytes"], sizes.device_array_bytes(self._free_bytes(device)))
        here = plain.ones(size, dtype=plain.uint8)
        if row["direction"] == "to-device":
            found = timing.measured(
                lambda: self.jax.device_put(here, device), self._wait, seconds=seconds * 0.7, each=True
            )
        else:
            there = self.jax.device_put(here, device)
            fresh: list[Any] = []

            def renew() -> None:  # an array that was fetched caches the host copy
                fresh[:] = [self.jax.block_until_ready(self.numpy.copy(there))]

            found = timing.measured(lambda: plain.asarray(fresh[0]), None, seconds=seconds * 0.7, before=renew)
        return {**found, "amount": size, "way": f"an array of {size >> 20} MiB"}

    def peer(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        source, target = self._device(row["device"]), self._device(row["other"])
        size = min(row["bytes"], sizes.device_array_bytes(self._free_bytes(source)))
        given = self.jax.device_put(self.numpy.ones(size, dtype=self.numpy.uint8), source)
        found = timing.measured(
            lambda: self.jax.device_put(given, target), self._wait, seconds=seconds * 0.7, each=True
        )
        return {**found, "amount": size, "direct": None, "way": f"device_put of {size >> 20} MiB"}

    def launch(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        device = self._device(row["device"])
        add = self.jax.jit(lambda x: x + 1)
        one = self.jax.device_put(self.numpy.zeros(()), device)

        def many() -> Any:
            found = one
            for _ in range(_LATENCY_CALLS):
                found = add(found)
            return found

        row_of = timing.measured(many, self._wait, seconds=seconds / 2)
        single = timing.measured(lambda: add(one), self._wait, seconds=seconds / 4, each=True)
        each = {name: row_of[name] / _LATENCY_CALLS for name in ("seconds", "best", "worst")}
        return {**row_of, **each, "round_trip_seconds": single["seconds"], "way": "jit of x + 1"}

    def collective(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        devices = [self._device(name) for name in row["devices"]]
        if len({one.id for one in devices}) < 2:
            raise Unavailable("JAX has one device here, and its processes would need a coordinator")
        count = len(devices)
        reduce = self.jax.pmap(lambda x: self.jax.lax.psum(x, "i"), axis_name="i", devices=devices)
        size = row["bytes"]
        shards = reduce(import_module("numpy").ones((count, size // 4), dtype="float32"))  # each on its device
        found = timing.measured(lambda: reduce(shards), self._wait, seconds=seconds * 0.7, each=True)
        return {**found, "amount": size * 2 * (count - 1) / count, "way": f"psum of {size >> 20} MiB, {count} devices"}

    def _wait(self, result: Any) -> None:
        if result is not None:
            self.jax.block_until_ready(result)

    def _measured(self, call: Callable[[], Any], device: Any, seconds: float) -> dict[str, Any]:
        """Time a call; on the CPU wait for each one, since calls may overtake each other there."""
        return timing.measured(call, self._wait, seconds=seconds, each=device.platform == "cpu")

    def _device(self, name: str) -> Any:
        kind, _, number = name.partition(":")
        listed = self.jax.local_devices(backend={"cuda": "gpu", "mps": "METAL"}.get(kind, kind))
        wanted = int(number) if number.isdecimal() else 0
        for place, device in enumerate(listed):
            own = getattr(device, "local_hardware_id", None)
            if (place if own is None else own) == wanted:
                return device
        raise RuntimeError(f"JAX lists no {name}, only {', '.join(map(str, listed))}")

    def _free_bytes(self, device: Any) -> int | None:
        if device.platform == "cpu":
            free = sizes.available_bytes()
            return None if free is None else free // 2
        told = device.memory_stats() or {}
        limit, used = told.get("bytes_limit"), told.get("bytes_in_use", 0)
        return None if limit is None else limit - used

    def _memory_arrays(self, name: str, device: Any) -> list[Any]:
        if self._arrays is None or self._arrays[0] != name:
            self._arrays = None
            free = self._free_bytes(device)
            size = sizes.host_array_bytes() if device.platform == "cpu" else sizes.device_array_bytes(free)
            with self.jax.default_device(device):
                self._arrays = name, [self.numpy.full(size // 4, 1.0 + k, dtype=self.numpy.float32) for k in range(2)]
        return self._arrays[1]


def _values(dtype: str, element: Any, n: int, seed: int) -> Any:
    """Return a host matrix of random values: one block, repeated."""
    plain = import_module("numpy")
    made, side = plain.random.default_rng(seed), min(n, _BLOCK)
    if dtype == "int8":
        block = made.integers(-128, 127, (side, side), dtype=plain.int8)
    else:
        block = made.standard_normal((side, side), dtype=plain.float32).astype(element)
    return plain.tile(block, (n // side, n // side))
