"""The last driver branch for a GPU, and what to do if there is no newer one. From specs/nvidia. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.vendors.contract.check import Facts, Remedy, Specs
from accel_nvidia.version import older, parts

if TYPE_CHECKING:
    from accel.specs.architectures import Architecture

_FILLED: Final = ("says", "command")
_UNTOLD: Final = " The command depends on the distribution, which  cat /etc/os-release  shows."
_BY_HAND: Final = " If the distribution has no package of it, NVIDIA's installer is at nvidia.com/drivers."


def last_branch(facts: Facts, specs: Specs) -> Mapping[str, Any] | None:
    """Return the row of the last branch for a GPU here; None if the newest branch supports all."""
    generation = next(_ended(facts, specs), None)
    return _row(generation.last_driver, specs) if generation is not None and generation.last_driver else None


def last_toolkit(facts: Facts, specs: Specs, branch: int) -> str | None:
    """Return the newest CUDA supported by both this branch and a GPU here for which it is the last branch."""
    generation = next(_ended(facts, specs), None)
    known = (specs.toolkit_of_driver("cuda", str(branch), "linux"), generation.last_toolkit if generation else None)
    return min((version for version in known if version is not None), key=parts, default=None)


def _ended(facts: Facts, specs: Specs) -> "Iterator[Architecture]":
    """Yield the generations of the GPUs here that newer drivers no longer support."""
    printed = {fact.value("capability") for fact in facts.stated("capability-printed")}
    alone = printed.pop() if len(printed) == 1 and len(facts.of("nvidia")) == 1 else None
    for device in facts.of("nvidia"):
        named = specs.compute_capability(device.name) if device.name else None
        capability = device.compute_capability or named or alone
        generation = specs.architecture("nvidia", compute_capability=capability) if capability else None
        if generation is not None and generation.last_driver is not None:
            yield generation


def legacy_branch(version: str | None, specs: Specs) -> Mapping[str, Any] | None:
    """Return the row of a driver's branch if it is the last for some GPUs ("340.108", "470xx"), else None."""
    return _row(str(parts(version)[0]), specs) if version and parts(version) else None


def branch_driver(facts: Facts, specs: Specs, row: Mapping[str, Any]) -> Remedy:
    """Return how to install the last branch for a GPU, and hold it there."""
    told, packages = (facts.host.distribution or "").lower(), row.get("packages") or {}
    text = f"Branch {row['branch']} is the last driver for {row['gpus']}: install that one, and no newer."
    for way in _installs(specs):
        if any(name in told for name in way["names"]) and (way["of"] is None or way["of"] in packages):
            filled = {key: (way[key] or "").replace("{packages}", packages.get(way["of"], "")) for key in _FILLED}
            return Remedy(text=f"{text} {filled['says']}".rstrip(), command=filled["command"] or None, action="admin")
    return Remedy(text=text + (_BY_HAND if told else _UNTOLD), action="admin")


def older_kernel(row: Mapping[str, Any], facts: Facts, specs: Specs) -> Remedy:
    """Return what to do if the last branch for a GPU does not build for the kernel: there is no newer driver."""
    release, packages = row["release"] or row["branch"], row.get("packages") or {}
    kernel, here = row["newest_kernel"], facts.host.kernel
    fits = f"builds for Linux up to {kernel}" if kernel else f"does not build for Linux {row['too_new']} and newer"
    if kernel is None and here is not None and older(here, row["too_new"]):
        fits = "is fitted to no newer kernel"
    kinds = {way["of"]: way["kind"] for way in _installs(specs) if way["kind"] is not None}
    patched = ", ".join(f"{packages[of].split()[0]} ({kind})" for of, kind in kinds.items() if of in packages)
    wanted = f"a kernel of {kernel} or older" if kernel else "an older kernel of long support"
    return Remedy(
        text=f"There is no newer driver to install: branch {row['branch']} is the last for {row['gpus']}, and "
        f"{release} as shipped by NVIDIA {fits}. Boot {wanted}, or use a package of it that is patched for "
        f"newer kernels: {patched}. Without CUDA, nouveau drives the display.",
        action="admin",
    )


def _installs(specs: Specs) -> Sequence[Mapping[str, Any]]:
    table: Mapping[str, Any] = specs.table("nvidia/drivers") or {}
    return tuple(table.get("legacy_installs", ()))


def _row(branch: str, specs: Specs) -> Mapping[str, Any] | None:
    rows = (specs.table("nvidia/drivers") or {}).get("legacy", ())
    return next((row for row in rows if str(row["branch"]) == branch), None)
