"""Tests that one framework works: its import, its devices, and small computations with known results.

The instructions: framework  one of FRAMEWORKS; None: which of them are installed
                  skip       steps that must not run again
                  expects    device types that the machine has according to other sources ("cuda")
                  formats    the formats of a device by the framework's name for it, if the chip's are known
"""

from __future__ import annotations

import os
import traceback
import warnings
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

from . import deep_inputs
from .reporting import Unavailable, step

FRAMEWORKS = {
    "torch": "deep_torch",
    "torch_npu": "deep_torch",
    "torch_mlu": "deep_torch",
    "torch_musa": "deep_torch",
    "torch_xla": "deep_torch",
    "jax": "deep_jax",
    "tensorflow": "deep_others",
    "onnxruntime": "deep_others",
    "cupy": "deep_others",
}
_IMPORT_SECONDS = 20.0
_SHORT_SECONDS = 3.0  # for a step that compiles or loads a library first
_PAIR_SECONDS = 8.0  # for processes that import the framework again
_MOST_PAIRS = 16
_MOST_TRACE = 6000
_BASIC = ("fp32",)  # a format that every build has
_ABSENT = ("not implemented", "not supported", "only supported", "unsupported", "unimplemented", "not compiled")
_SPARING = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}  # others may use the device
_HERE = os.path.dirname(os.path.abspath(__file__))


def main(instructions: dict[str, Any]) -> None:
    """Run the steps."""
    if instructions["framework"] is None:
        with step("installed", 2.0) as result:
            result["installed"] = [name for name in FRAMEWORKS if _installed(name)]
        return
    for name, value in _SPARING.items():
        os.environ.setdefault(name, value)
    _Steps(instructions).all()


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a parent package that fails, or a module that was replaced
        return True


class _Steps:
    """The steps of one framework; those that ran before are skipped."""

    def __init__(self, instructions: dict[str, Any]) -> None:
        self._name = instructions["framework"]
        self._skip = frozenset(instructions.get("skip") or ())
        self._expects = tuple(instructions.get("expects") or ())
        self._formats = instructions.get("formats") or {}
        self._broken: set[str] = set(instructions.get("broken") or ())

    def all(self) -> None:
        adapter: Any = None
        with step("import", _IMPORT_SECONDS) as result:
            adapter = self._kept(result, self._import)
            if adapter is not None:
                result["version"] = adapter.version
        if adapter is None:
            return
        for module in filter(_installed, adapter.companions):
            self._run(f"import {module}", None, _IMPORT_SECONDS, partial(_imported, module))
        devices: list[str] = []
        with step("devices", _SHORT_SECONDS) as result:
            listed = partial(adapter.devices, self._expects)
            devices = result["devices"] = self._kept(result, lambda: _with_warnings(result, listed))
        for device in devices:
            self._of_device(adapter, device)
        sound = [device for device in devices if device not in self._broken]
        pairs = [(a, b) for a in sound for b in sound if a != b and adapter.carried is not None]
        for a, b in pairs[:_MOST_PAIRS]:
            self._run("copy", a, _SHORT_SECONDS, partial(_copied, adapter, a, b), other=b)
        for several in adapter.together(sound):
            self._run("all-reduce", several[0], _PAIR_SECONDS, partial(adapter.all_reduce, several), other=several[1])

    def _import(self) -> Any:
        module = import_module(f"{__package__}.{FRAMEWORKS[self._name]}")
        return module.adapter(self._name)

    def _of_device(self, adapter: Any, device: str) -> None:
        if device in self._broken:
            return
        if not self._run("context", device, _SHORT_SECONDS, lambda: adapter.ready(device)):
            self._broken.add(device)  # every other step on it would fail the same way
            return
        left, other, product = deep_inputs.matrices()
        for dtype in adapter.formats(device, self._formats.get(device)):
            call = partial(_held, adapter.multiply, (device, dtype, left, other), product, 0.01)
            self._run(f"matmul {dtype}", device, _SHORT_SECONDS, call, optional=dtype not in _BASIC)
        image, filters, convolved = deep_inputs.images()
        wave, lines = deep_inputs.signal()
        matrix, side, solution = deep_inputs.equations()
        for name, compute, given, right, allowed in (
            ("convolution", adapter.convolve, (image, filters), convolved, 0.01),
            ("FFT", adapter.transform, (wave,), lines, 0.01),
            ("solver", adapter.solve, (matrix, side), solution, 0.001),
        ):
            if compute is not None:
                self._run(name, device, _SHORT_SECONDS, partial(_held, compute, (device, *given), right, allowed))

    def _run(
        self,
        name: str,
        device: str | None,
        seconds: float,
        call: Callable[[], str | None],
        *,
        other: str | None = None,
        optional: bool = False,
    ) -> bool:
        """Run a step whose call returns what is wrong, or None; return whether it succeeded."""
        key = " ".join(word for word in (name, device, other) if word)
        if key in self._skip:
            return True
        with step(key, seconds, what=name, device=device, other=other) as result:
            try:
                wrong = self._kept(result, call)
            except Exception as error:
                if optional and any(word in str(error).lower().replace("_", " ") for word in _ABSENT):
                    raise Unavailable("this build has no kernel for it") from None
                raise
            if wrong:
                result["wrong"] = wrong
            return not wrong
        return False

    @staticmethod
    def _kept(result: dict[str, Any], call: Callable[[], Any]) -> Any:
        """Return the call's result; on an exception, store its traceback without the frames of these programs."""
        try:
            return call()
        except Unavailable:
            raise
        except Exception as error:
            result["traceback"] = _printed(error)
            raise


def _printed(error: BaseException) -> str:
    lines = traceback.TracebackException.from_exception(error)
    one: Any = lines
    while one is not None:
        own = [frame for frame in one.stack if not os.path.abspath(frame.filename).startswith(_HERE)]
        one.stack = traceback.StackSummary.from_list([frame for frame in own if "importlib" not in frame.filename])
        one = one.__cause__ or one.__context__
    return "".join(lines.format())[-_MOST_TRACE:]


def _with_warnings(result: dict[str, Any], call: Callable[[], Any]) -> Any:
    """Return the call's result, and record its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return call()
        finally:
            result["warnings"] = [f"{one.category.__name__}: {one.message}"[:600] for one in caught[:6]]


def _held(compute: Callable[..., Any], given: tuple[Any, ...], right: Any, allowed: float) -> str | None:
    return deep_inputs.difference(compute(*given), right, allowed)


def _imported(name: str) -> None:
    import_module(name)


def _copied(adapter: Any, source: str, target: str) -> str | None:
    values = [float(n % 251) for n in range(1 << 12)]
    return deep_inputs.difference(adapter.carried(source, target, values), values, 0.0)
