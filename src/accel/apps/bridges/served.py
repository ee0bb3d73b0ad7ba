"""The facts of a machine that decide which builds run on it, for tools that choose packages.

A stack is the target of a build: "cuda", "rocm", "cann". Its name is the title of the family of builds in
specs/frameworks/installers.yaml; a backend without a family uses its own name. Masks hide nothing here: an
installation outlives the shell that created it.
"""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from accel.model.dataclass import dataclass
from accel.resolver.build_families import family_of, stack_name

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.plugins.registry import Registry

_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One stack of a machine.

    version  the newest release that the driver supports, or the installed one if drivers do not report it: CUDA
             "12.8"; the driver's own version if the stack has no releases; None if unknown
    codes    the distinct targets of compiled code: ("9.0", "8.6"), ("gfx90a",), ("ascend910b",)
    """

    backend: str
    name: str
    version: str | None = None
    codes: tuple[str, ...] = ()


@cache
def served_here() -> tuple[Served, ...]:
    """Return this machine's stacks, probed in child processes with a deadline; () if probing fails."""
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry

    try:
        return served(LiveMachine(), Registry(os.environ, sys.path), isolate=True)
    except Exception as error:  # the calling tool would crash for lack of an answer that it can do without
        import logging

        logging.getLogger("accel").warning("accel could not probe this machine: %s. Try  accel doctor", error)
        return ()


def served(machine: "Machine", registry: "Registry", isolate: bool) -> tuple[Served, ...]:
    """Return the stacks of a machine's accelerators, sorted by name."""
    from accel.collect.environment.libraries import toolkits
    from accel.collect.live import reports
    from accel.model.merge import merged_devices, merged_driver
    from accel.resolver.target import accelerator_of

    found = reports(machine, registry, depth="devices", isolate=isolate, timeout_seconds=_SECONDS)
    specs, installed = registry.specs, {kit.name: kit.version for kit in toolkits(machine)}
    whole = [d for d in merged_devices(found)[0] if d.kind != "cpu" and d.is_top_level]
    stacks = []
    for backend in dict.fromkeys(device.backend for device in whole):
        family = family_of(specs, backend)
        driver = merged_driver(report for report in found if report.backend == backend)
        known = [accelerator_of(device, specs) for device in whole if device.backend == backend]
        codes = dict.fromkeys(code for a in known if (code := a.code or a.architecture) is not None)
        version = driver.toolkit_version if driver is not None else None
        if version is None and family is None:
            version = driver.version if driver is not None else None
        elif version is None and family is not None and not family.get("toolkit"):
            version = installed.get(stack_name(backend, family))
        elif version is None and family is not None and driver is not None and driver.version:
            version = specs.toolkit_of_driver(family["toolkit"], driver.version, system=machine.system)
        name = stack_name(backend, family)
        stacks.append(Served(backend=backend, name=name, version=version, codes=tuple(codes)))
    return tuple(sorted(stacks, key=lambda stack: stack.name))
