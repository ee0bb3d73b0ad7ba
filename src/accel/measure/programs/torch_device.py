"""torch's functions for a device type: synchronisation, events, memory, the targets its build has kernels for.

Every type has a module of the same name with the same functions (torch.cuda, also in ROCm builds, torch.xpu, torch.npu,
torch.mps); functions that a module lacks are skipped.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

_EXTENSIONS = {"npu": "torch_npu", "mlu": "torch_mlu", "musa": "torch_musa", "hpu": "habana_frameworks.torch"}


class TorchDevice:
    """A device by torch's name: "cuda:1", "cpu"."""

    def __init__(self, torch: Any, name: str) -> None:
        kind, _, number = name.partition(":")
        if kind in _EXTENSIONS and not hasattr(torch, kind):
            import_module(_EXTENSIONS[kind])
        self.torch = torch
        self.kind = kind
        self.index = int(number) if number.isdecimal() else 0
        self.name = kind if kind in ("cpu", "mps") else f"{kind}:{self.index}"
        self.module = None if kind == "cpu" else getattr(torch, kind, None)

    def wait(self, _result: Any = None) -> None:
        """Wait until the device has finished all its work."""
        synchronize = getattr(self.module, "synchronize", None)
        if synchronize is not None:
            synchronize() if self.kind == "mps" else synchronize(self.index)

    def is_available(self) -> bool:
        """Return whether torch can use it here."""
        if self.kind == "mps":
            return bool(self.torch.backends.mps.is_available())
        ask = getattr(self.module, "is_available", None)
        return self.kind == "cpu" or (self.module is not None and (ask is None or bool(ask())))

    def clock(self) -> Callable[[], Any] | None:
        """Return a function that creates a timing event; None if this type has none."""
        made = getattr(self.module, "Event", None)
        if made is None or self.kind not in ("cuda", "xpu", "npu"):
            return None
        return lambda: made(enable_timing=True)

    def free_bytes(self) -> int | None:
        """Return the free memory on it; None if torch does not report it."""
        ask = getattr(self.module, "mem_get_info", None)
        try:
            return int(ask(self.index)[0]) if ask is not None else None
        except Exception:  # a type may have the function but not support it
            return None

    def select(self) -> None:
        """Make it the current device, on which events and streams are created."""
        choose = getattr(self.module, "set_device", None)
        if choose is not None and self.kind != "mps":
            choose(self.index)

    def release(self) -> None:
        """Return cached memory to the driver."""
        empty = getattr(self.module, "empty_cache", None)
        if empty is not None:
            empty()

    def about(self) -> dict[str, Any]:
        """Return its name, its target ("sm_90", "gfx942") and the targets that this build has kernels for."""
        told: dict[str, Any] = {"name": None, "target": None, "built_for": None}
        if self.kind != "cuda" or not self.is_available():
            return told
        properties = self.module.get_device_properties(self.index)  # type: ignore[union-attr]
        told["name"] = properties.name
        target = getattr(properties, "gcnArchName", "").partition(":")[0]
        told["target"] = target or f"sm_{properties.major}{properties.minor}"
        told["built_for"] = list(self.module.get_arch_list())  # type: ignore[union-attr]
        return told
