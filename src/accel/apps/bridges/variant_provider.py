"""accel as a provider of wheel variants: which accelerator builds run on this machine.

    [variant.providers.accel]                               in the pyproject.toml of a package that publishes variants
    requires = ["accel-sdk"]
    plugin-api = "accel.apps.bridges.variant_provider"

    accel :: stack :: cuda            for machines with a CUDA device; several values: any of them
    accel :: cuda_minimum :: 12.4     for drivers that support CUDA 12.4 or newer
    accel :: code :: cuda_9.0         contains code that one of the devices runs; several values: any of them

Follows PEP 817 (draft, "Provider plugin API"; PEP 825, the draft that was split from it, leaves this part to a later
one), and variantlib 0.2.2.
Installers call it in its own process. It needs none of their modules: they access attributes by name.
"""

import sys
from functools import cache
from typing import Final

from accel.apps.bridges.served import Served, served_here
from accel.model.dataclass import dataclass
from accel.resolver.build_families import families, family_of, plain, stack_name
from accel.specs import Specs, load
from accel.specs.versions import numbers

namespace: Final = "accel"
is_aot_plugin: Final = False  # the answer depends on the machine; PEP 817's and variantlib's term
all_properties_compatible: Final = False
_DISTRIBUTION: Final = "accel-sdk"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantFeature:
    """A feature and its values, preferred first. multi_value: a wheel may list several, one of which must match."""

    name: str
    values: list[str]
    multi_value: bool


def get_all_configs() -> list[VariantFeature]:
    """Return every feature and value that a wheel may use; the same on every machine."""
    return [
        VariantFeature(name=name, values=list(values), multi_value=name in ("stack", "code"))
        for name, values in _every().items()
    ]


def get_supported_configs() -> list[VariantFeature]:
    """Return those that this machine supports; [] without an accelerator. Probes in child processes with a deadline."""
    return supported(served_here(), load())


def supported(stacks: "tuple[Served, ...]", specs: Specs) -> list[VariantFeature]:
    """Return the features that a machine with these stacks supports, limited to those in get_all_configs."""
    met: dict[str, list[str]] = {"stack": [stack.name for stack in _preferred(stacks, specs)], "code": []}
    for stack in _preferred(stacks, specs):
        if stack.version is not None:
            met[f"{stack.name}_minimum"] = _served_releases(f"{stack.name}_minimum", stack.version)
        met["code"] += [f"{stack.name}_{code}" for code in _runnable(stack, specs)]
    met["code"] = met.pop("code")  # the least specific comes last
    every = _every()
    kept = {name: [v for v in dict.fromkeys(values) if v in every.get(name, ())] for name, values in met.items()}
    return [
        VariantFeature(name=name, values=values, multi_value=name in ("stack", "code"))
        for name, values in kept.items()
        if values
    ]


@cache
def _every() -> dict[str, tuple[str, ...]]:
    """Return all values of each feature, from accel's own tables and plugins: others would differ by machine."""
    from accel.plugins.discovery import installed

    specs = load()
    known = [(family["vendor"], stack_name(family["vendor"], family)) for family in families(specs)]
    vendors = {vendor for vendor, _ in known}
    own = [p.name for p in installed(sys.path) if p.distribution == _DISTRIBUTION and p.name not in {*vendors, "cpu"}]
    known += [(name, plain(name)) for name in own]
    found = {"stack": tuple(name for _, name in known)}
    for family in families(specs):
        if family.get("toolkit"):
            releases = (".".join(map(str, numbers(t.version)[:2])) for t in specs.toolkits(family["toolkit"]))
            found[f"{stack_name(family['vendor'], family)}_minimum"] = tuple(reversed(list(releases)))
    codes = (f"{name}_{plain(code)}" for vendor, name in known for code in _codes(specs, vendor))
    return {**found, "code": tuple(dict.fromkeys(codes))}


def _codes(specs: Specs, vendor: str) -> list[str]:
    """Return the targets of the vendor's compiled code, newest first."""
    table = specs.table(f"{vendor}/architectures") or {}
    capabilities = [row["compute_capability"] for row in table.get("compute_capabilities") or ()]
    if capabilities:
        return sorted(capabilities, key=numbers, reverse=True)
    family = family_of(specs, vendor) or {}
    rows = [
        row for row in table.get("architectures") or () if row["name"] in (family.get("architectures") or [row["name"]])
    ]
    targets = [target for row in rows for target in row.get("compute_targets") or ()]
    return list(reversed(targets or [row["name"] for row in rows]))


def _runnable(stack: Served, specs: Specs) -> list[str]:
    """Return the codes that at least one of the devices runs, each device's own before older compatible ones."""
    from accel.resolver.code import fit_of_capability, limits_of

    family = family_of(specs, stack.backend)
    found: list[str] = []
    for code in stack.codes:
        if family is None or family.get("code") != "capability":
            found.append(plain(code))
            continue
        limits = limits_of(specs, stack.backend, code)
        for made_for in _codes(specs, stack.backend):
            machine_code = (f"sm_{made_for.replace('.', '')}",)
            alone = limits_of(specs, stack.backend, made_for).integrated  # a Jetson's code runs only on Jetsons
            if fit_of_capability(machine_code, None, None, code, limits) == "machine" and (
                not alone or made_for == code
            ):
                found.append(made_for)
    return list(dict.fromkeys(found))


def _served_releases(feature: str, newest: str) -> list[str]:
    return [release for release in _every().get(feature, ()) if numbers(release) <= numbers(newest)[:2]]


def _preferred(stacks: "tuple[Served, ...]", specs: Specs) -> list[Served]:
    """Return the stacks in the builds' order of preference, those without a family last."""
    order = [family["vendor"] for family in families(specs)]
    return sorted(stacks, key=lambda s: order.index(s.backend) if s.backend in order else len(order))
