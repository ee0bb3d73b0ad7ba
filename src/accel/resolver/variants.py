"""Which of a package's published wheel variants a machine would get, and why not the others. Pure.

    torch-2.9.0-variants.json    {"variants": {"cu128": {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}, "null": {}}}

The format follows PEP 825, a draft. Installers query each namespace's provider; here the properties that accel knows
are checked against the machine (specs/frameworks/variant_properties.yaml), so the answer includes reasons, and also
works for other machines.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.resolver.build_families import family_of, plain, stack_name
from accel.resolver.code import fit_of_capability, limits_of
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.resolver.target import Target
    from accel.specs import Specs

_MOST: Final = 1000  # variants of one release
_SM: Final = re.compile(r"(?:sm_?)?(\d{2,3})([af]?)(?:_(real|virtual))?")
_VERSION: Final = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVariant:
    """One variant, and whether a machine meets all of its properties. fits is None if one of them cannot be determined.

    label       as in the wheel's name: "cu128"; "null" is the one without properties
    properties  ("nvidia :: cuda_version_lower_bound :: 12.8",)
    why         a sentence for each property that is not met or unknown; if the variant fits, what meets its properties
    """

    label: str
    fits: bool | None
    properties: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


def published_variants(document: object, target: "Target", specs: "Specs") -> tuple[PublishedVariant, ...]:
    """Return the variants of an index, fitting ones first; an installer would take the first.

    Among those that fit, variants for devices come before the one without properties, then those that need the newer
    toolkit, then those with more properties. Raises BadInput for a document that is not an index of variants.
    """
    listed = document.get("variants") if isinstance(document, dict) else None
    if not isinstance(listed, dict) or not all(isinstance(one, dict) for one in listed.values()):
        raise BadInput('it has no "variants": pass the NAME-VERSION-variants.json that is next to the wheels.')
    if len(listed) > _MOST:
        raise BadInput(f"it has {len(listed)} variants. Give the index of one release.")
    rows = specs.table("frameworks/variant_properties") or {"properties": ()}
    known = {(row["namespace"], row["feature"]): row for row in rows["properties"]}
    found = [(_judged(str(label), told, known, target, specs), _newest(told)) for label, told in listed.items()]
    order = sorted(
        found, key=lambda one: (_rank(one[0].fits), not one[0].properties, [-n for n in one[1]], -_count(one[0]))
    )
    return tuple(variant for variant, _ in order)


def _judged(
    label: str, told: Mapping[str, Any], known: Mapping[tuple[str, str], Any], target: "Target", specs: "Specs"
) -> PublishedVariant:
    properties: list[str] = []
    answers: list[tuple[bool | None, str]] = []
    for namespace, feature, values in _properties(told):
        said = f"{namespace} :: {feature} :: {', '.join(values)}"
        properties.append(said)
        row = known.get((namespace, feature))
        if row is None:
            answers.append((None, f"{said}: accel does not know what it requires; its own provider does"))
            continue
        met, why = _met(row, values, target, specs)
        answers.append((met, f"{said}: {why}"))
    fits = (
        False if any(met is False for met, _ in answers) else None if any(met is None for met, _ in answers) else True
    )
    shown = [why for met, why in answers if met is fits] if fits is not True else [why for _, why in answers]
    return PublishedVariant(label=label, fits=fits, properties=tuple(properties), why=tuple(shown))


def _properties(told: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for namespace, features in told.items():
        for feature, values in features.items() if isinstance(features, dict) else ():
            listed = values if isinstance(values, list) else [values]
            yield str(namespace), str(feature), tuple(str(value)[:64] for value in listed)


def _met(row: Mapping[str, Any], values: Sequence[str], target: "Target", specs: "Specs") -> tuple[bool | None, str]:
    """Return whether one of the values is met, and by what."""
    asks, vendor = row["asks"], row["vendor"]
    if asks == "processor":
        return _processor(values, target)
    if target.accelerators is None:
        return None, "which devices the machine has is not known"
    if asks == "stack":
        return _stack(values, target, specs)
    if asks == "code":
        return _code(values, vendor, target, specs)
    if not target.of(vendor):
        return False, f"the machine has no {vendor} device"
    served = target.serves.get(vendor) or _served(target, vendor, specs)
    if served is None:
        return None, "what the driver supports is unknown:  nvidia-smi  shows it as CUDA Version"
    bounds = [value for value in values if _VERSION.fullmatch(value)]
    if not bounds:
        return None, "it is not a version"
    if asks == "toolkit-least":
        met = any(numbers(bound)[:2] <= numbers(served)[:2] for bound in bounds)
    else:
        met = any(numbers(served)[:2] < numbers(bound)[:2] for bound in bounds)
    return met, f"the driver supports {served}"


def _served(target: "Target", vendor: str, specs: "Specs") -> str | None:
    driver = target.drivers.get(vendor)
    family = family_of(specs, vendor) or {}
    if driver is None or "toolkit" not in family:
        return None
    return specs.toolkit_of_driver(family["toolkit"], driver, system=target.driver_platform)


def _stack(values: Sequence[str], target: "Target", specs: "Specs") -> tuple[bool | None, str]:
    here = dict.fromkeys(_stack_of(one.vendor, specs) for one in target.accelerators or ())
    return any(value in here for value in values), f"the machine's stacks are {', '.join(here) or 'none'}"


def _stack_of(vendor: str, specs: "Specs") -> str:
    return stack_name(vendor, family_of(specs, vendor))


def _code(values: Sequence[str], vendor: str | None, target: "Target", specs: "Specs") -> tuple[bool | None, str]:
    answers: list[bool | None] = []
    devices = target.of(vendor or "*")
    for device in devices:
        for value in values:
            wanted = value
            if vendor is None:
                stack, _, wanted = value.partition("_")
                if stack != _stack_of(device.vendor, specs):
                    continue
            answers.append(_runs(device.vendor, device.code or device.architecture, wanted, specs))
    shown = ", ".join(dict.fromkeys(device.title for device in devices)) or "none"
    met = True if True in answers else None if None in answers else False
    return met, f"the devices are {shown}"


def _runs(vendor: str, code: str | None, wanted: str, specs: "Specs") -> bool | None:
    if code is None:
        return None
    if not code[:1].isdecimal():
        return plain(code) == wanted
    dotted = _VERSION.fullmatch(wanted) if "." in wanted else None
    found = _SM.fullmatch(wanted.replace(".", "") if dotted else wanted)
    if found is None:
        return None
    kind = "compute" if found[3] == "virtual" else "sm"
    fit = fit_of_capability((f"{kind}_{found[1]}{found[2]}",), None, None, code, limits_of(specs, vendor, code))
    if kind == "compute" and fit == "unknown":
        return True  # portable code for an older chip: which toolkit made it is asked by another property
    return None if fit == "unknown" else fit != "no"


def _processor(values: Sequence[str], target: "Target") -> tuple[bool | None, str]:
    if target.machine != "x86_64":
        return (None, "its processor is not known") if target.machine is None else (False, f"it is {target.machine}")
    return (
        (True, "every x86-64 has it") if "v1" in values else (None, "which level the processor has was not looked at")
    )


def _newest(told: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the newest minimum toolkit that it requires; zeros if none."""
    asked = [values for _, feature, values in _properties(told) if feature.endswith(("_minimum", "_lower_bound"))]
    versions = [numbers(value) for values in asked for value in values if _VERSION.fullmatch(value)]
    return (*max(versions, default=()), 0, 0, 0)[:3]


def _rank(fits: bool | None) -> int:
    return {True: 0, None: 1, False: 2}[fits]


def _count(variant: PublishedVariant) -> int:
    return len(variant.properties)
