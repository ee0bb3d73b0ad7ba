"""Finds which installed framework supports a device, and its name for it, by looking at files: nothing is imported."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine
    from accel.model.device import Device

SERVES: Final = {  # by runtime name, the preferred framework first
    "torch": ("cuda", "xpu", "npu", "mps", "mlu", "musa", "hpu", "cpu"),
    "jax": ("tpu", "cuda", "rocm", "gpu", "mps", "cpu"),
}
_BY_JAX_FIRST: Final = ("tpu",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A device and its `name` in a framework; both None, with the reason, if no framework supports it."""

    device: "Device"
    framework: str | None = None
    name: str | None = None
    reason: str | None = None


def installed(machine: "Machine", interpreter: "Interpreter") -> tuple[str, ...]:
    """Return the frameworks that an interpreter would find, by their files."""
    folders = [path.replace("\\", "/").rstrip("/") for path in interpreter.paths]
    return tuple(name for name in SERVES if any(machine.exists(f"{path}/{name}/__init__.py") for path in folders))


def served(device: "Device", found: Sequence[str]) -> Served:
    """Return the installed framework that measures a device."""
    if device.visible is False:
        return Served(device=device, reason="a mask variable hides it from programs: see  accel devices")
    names = device.runtime_names or (("cpu",) if device.kind == "cpu" else ())
    if not names:
        return Served(device=device, reason="its name in the framework is unknown: try  accel devices")
    kinds = {name.partition(":")[0]: name for name in reversed(names)}
    order = sorted(found, key=lambda one: (one == "jax") != any(kind in kinds for kind in _BY_JAX_FIRST))
    for framework in order:
        for kind in SERVES[framework]:
            if kind in kinds:
                return Served(device=device, framework=framework, name=kinds[kind])
    wanted = [name for name, served in SERVES.items() if any(kind in kinds for kind in served)]
    if not wanted:
        return Served(device=device, reason=f"neither torch nor JAX supports a {names[0].partition(':')[0]}.")
    missing = "neither torch nor JAX is installed" if len(wanted) > 1 else f"{wanted[0]} is not installed"
    return Served(device=device, reason=f"{missing} in that Python. What to install:  accel resolve {wanted[0]}")
