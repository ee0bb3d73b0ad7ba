"""The measures of `accel bench` in torch, on each device type that it supports."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

from . import host, sizes, timing
from .reporting import Unavailable
from .torch_device import TorchDevice

_MATRICES = 3
_LATENCY_CALLS = 200


class Backend:
    """torch, and the arrays that the memory measures of one device share."""

    def __init__(self, instructions: dict[str, Any]) -> None:
        self.torch = import_module("torch")
        self._devices: dict[str, TorchDevice] = {}
        self._arrays: tuple[str, list[Any]] | None = None
        for row in instructions["steps"]:
            name = row.get("device")
            if name and name not in self._devices:
                try:
                    self._devices[name] = TorchDevice(self.torch, name)  # imports the extension that provides its type
                except ImportError:  # its own steps report it; those of other devices continue
                    pass

    def about(self) -> dict[str, Any]:
        version = self.torch.version
        build = next(
            (f"{name} {getattr(version, name)}" for name in ("cuda", "hip", "xpu") if getattr(version, name, None)),
            "cpu",
        )
        return {
            "framework": "torch",
            "version": self.torch.__version__,
            "build": build,
            "threads": self.torch.get_num_threads(),
            "devices": {name: one.about() for name, one in self._devices.items()},
        }

    def release(self, following: dict[str, Any] | None) -> None:
        """Free memory, except what the following step needs."""
        if not sizes.are_wanted(self._arrays, following):
            self._arrays = None
        for one in self._devices.values():
            if one.kind != "cpu":
                one.release()

    def works(self, row: dict[str, Any]) -> bool:
        """Return whether the device of a failed step still responds to this process."""
        try:
            for name in (row.get("device"), row.get("other")):
                if name and ":" in name and not name.startswith("cpu"):
                    if not TorchDevice(self.torch, name).is_available():
                        return True  # a new process would not find one either
                    self.torch.zeros(1, device=name).add_(1)
                    self._device(name).wait()
        except Unavailable:
            return True
        except Exception:  # on any driver error, a new process is started
            return False
        return True

    def matmul(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Multiply square matrices of one format, with normally distributed values: zeros would draw less power."""
        device = self._device(row["device"])
        on_cpu = device.kind == "cpu"
        element = getattr(self.torch, sizes.FORMATS[row["dtype"]], None)
        if element is None:
            raise Unavailable(f"torch {self.torch.__version__} has no {sizes.FORMATS[row['dtype']]}")
        if device.kind in ("cuda", "cpu"):
            self.torch.set_float32_matmul_precision("high" if row["dtype"] == "tf32" else "highest")
        ways: dict[str, Callable[[int], Callable[[], Any]]] = {
            "torch": lambda n: self._multiplication(device, row["dtype"], n)
        }
        if on_cpu and row["dtype"] in ("fp32", "fp64"):
            ways["numpy"] = lambda n: _by_numpy(sizes.FORMATS[row["dtype"]], n)

        size = self.torch.empty(0, dtype=element).element_size()

        def bytes_of(n: int) -> int:
            return _MATRICES * n * n * int(size)

        free = sizes.available_bytes() if on_cpu else device.free_bytes()
        most = None if free is None else free // 2
        best = None
        for way, made in ways.items():
            try:
                order, took = sizes.grown(
                    lambda n, made=made: timing.tried(made(n), device.wait, 0.5),  # type: ignore[misc]
                    256 if on_cpu else 1024,
                    seconds / (8 if on_cpu else 12),
                    most,
                    bytes_of,
                )
            except ImportError:  # torch does not require numpy
                continue
            rate = order**3 / took
            if best is None or rate > best[0]:
                best = (rate, way, order, made)
        assert best is not None
        _, way, order, made = best
        found = timing.measured(made(order), device.wait, seconds=seconds / 2, events=device.clock())
        return {**found, "amount": 2 * order**3, "order": order, "way": f"{way}, {order} × {order}"}

    def memory(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Read, write, copy or triad over arrays larger than the caches; bytes are counted as STREAM does."""
        device, name = self._device(row["device"]), row["kind"]
        first, second, third = self._memory_arrays(row["device"], device)
        size = first.numel() * first.element_size()
        ways = {
            "read": {
                "sum": lambda: first.sum(),
                "max": lambda: first.max(),
                "norm": lambda: self.torch.linalg.vector_norm(first),
            },
            "write": {"fill_": lambda: second.fill_(1.5)},
            "copy": {"copy_": lambda: second.copy_(first)},
            "triad": {"add": lambda: self.torch.add(first, second, alpha=3.0, out=third)},
        }[name]
        if device.kind == "cpu":
            if name == "read":
                ways["dot"] = lambda: self.torch.dot(first, first)
            ways.update(host.copying_ways(first.data_ptr(), second.data_ptr(), size).get(name, {}))
        tried = {way: timing.tried(call, device.wait, 0.5) for way, call in ways.items()} if len(ways) > 1 else {}
        way = min(tried, key=lambda one: tried[one]) if tried else next(iter(ways))
        found = timing.measured(ways[way], device.wait, seconds=seconds * 0.7, events=device.clock())
        times = {"copy": 2, "triad": 3}.get(name, 1)
        capped = device.kind != "cpu" and sizes.is_capped(size)
        return {**found, "amount": size * times, "capped": capped, "way": f"{way} over {size >> 20} MiB"}

    def transfer(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Copy between host memory, pinned or pageable, and device memory."""
        device = self._device(row["device"])
        pinned = row["memory"] == "pinned"
        if pinned and device.kind not in ("cuda", "xpu", "npu"):
            raise Unavailable(f"torch has no pinned memory for {device.kind}")
        size = min(row["bytes"], sizes.device_array_bytes(device.free_bytes()))
        there = self.torch.zeros(size, dtype=self.torch.uint8, device=device.name)
        here = self.torch.zeros(size, dtype=self.torch.uint8, pin_memory=pinned)
        here.fill_(1)
        target, source = (there, here) if row["direction"] == "to-device" else (here, there)
        found = timing.measured(
            lambda: target.copy_(source, non_blocking=pinned), device.wait, seconds=seconds * 0.7, events=device.clock()
        )
        return {**found, "amount": size, "way": f"copy_ of {size >> 20} MiB"}

    def peer(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Copy from one device's memory to another's."""
        source, target = self._device(row["device"]), self._device(row["other"])
        size = min(
            row["bytes"], sizes.device_array_bytes(source.free_bytes()), sizes.device_array_bytes(target.free_bytes())
        )
        given = self.torch.ones(size, dtype=self.torch.uint8, device=source.name)
        taken = self.torch.zeros(size, dtype=self.torch.uint8, device=target.name)

        def wait(_result: Any) -> None:
            source.wait()
            target.wait()

        found = timing.measured(lambda: taken.copy_(given, non_blocking=True), wait, seconds=seconds * 0.7)
        direct = getattr(getattr(self.torch, source.kind), "can_device_access_peer", lambda *_: None)(
            source.index, target.index
        )
        return {**found, "amount": size, "direct": direct, "way": f"copy_ of {size >> 20} MiB"}

    def launch(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Launch the smallest kernel many times in a row, and one at a time with synchronisation."""
        device = self._device(row["device"])
        one = self.torch.zeros(1, device=device.name)

        def many() -> None:
            for _ in range(_LATENCY_CALLS):
                one.add_(1)

        row_of = timing.measured(many, device.wait, seconds=seconds / 2)
        single = timing.measured(lambda: one.add_(1), device.wait, seconds=seconds / 4, each=True)
        each = {name: row_of[name] / _LATENCY_CALLS for name in ("seconds", "best", "worst")}
        return {**row_of, **each, "round_trip_seconds": single["seconds"], "way": "add_ of one element"}

    def collective(self, row: dict[str, Any], seconds: float) -> dict[str, Any]:
        """All-reduce over separate processes, one per device."""
        from . import collective

        return collective.bus_bandwidth(row, seconds)

    def _device(self, name: str) -> TorchDevice:
        found = self._devices.get(name)
        if found is None:
            found = self._devices[name] = TorchDevice(self.torch, name)
        if found.module is None and found.kind != "cpu":
            raise Unavailable(f"this build of torch {self.torch.__version__} has no device type {found.kind}")
        if found.kind != "cpu":
            if not found.is_available():
                raise RuntimeError(f"torch.{found.kind}.is_available() is False")
            found.select()
        return found

    def _multiplication(self, device: TorchDevice, dtype: str, n: int) -> Callable[[], Any]:
        torch = self.torch
        if dtype == "int8":
            a, b = (torch.randint(-128, 127, (n, n), dtype=torch.int8, device=device.name) for _ in range(2))
            return lambda: torch._int_mm(a, b)
        a, b = (torch.randn(n, n, device=device.name) for _ in range(2))
        if dtype == "fp8":
            one = torch.ones((), device=device.name)
            own = (device.about()["target"] or "").startswith("gfx94")  # CDNA3 has the other of the two e4m3 formats
            eight = torch.float8_e4m3fnuz if own else torch.float8_e4m3fn
            a, b = a.to(eight), b.to(eight).t()
            return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        element = getattr(torch, sizes.FORMATS[dtype])
        a, b = a.to(element), b.to(element)
        out = torch.empty(n, n, dtype=element, device=device.name)
        return lambda: torch.mm(a, b, out=out)

    def _memory_arrays(self, name: str, device: TorchDevice) -> list[Any]:
        if self._arrays is None or self._arrays[0] != name:
            self._arrays = None
            size = sizes.host_array_bytes() if device.kind == "cpu" else sizes.device_array_bytes(device.free_bytes())
            self._arrays = (
                name,
                [self.torch.ones(size // 4, dtype=self.torch.float32, device=device.name) for _ in range(3)],
            )
        return self._arrays[1]


def _by_numpy(element: str, n: int) -> Callable[[], Any]:
    numpy = import_module("numpy")
    made = numpy.random.default_rng(0)
    a, b = (made.standard_normal((n, n)).astype(element) for _ in range(2))
    out = numpy.empty((n, n), dtype=element)
    return lambda: numpy.matmul(a, b, out=out)
