"""The torch of an environment, from any evidence in a text. Pure.

(you have 2.0.1+cu118)                  as reported by the failing program; a list may be from another Python
torch 2.6.0, PyTorch: 2.3.1+cu121       collect_env, pip list, prose
pip install torch==2.4.1+cu118          as requested from an installer
vllm 0.8.5, xformers==0.0.28.post2      each pins one release of torch, installed or requested
torchaudio==2.1.1+cu118                 so do torch's companions
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.resolver.pins import requirements_of
from accel.resolver.target import variant_of
from accel.resolver.typed import typed_pin
from accel.specs import Specs
from accel.text.pattern import pattern

_LABEL: Final = pattern(r"\d\+(?P<label>cu1[0-9]{2}|rocm\d(?:\.\d{1,2}){0,2})(?![0-9a-z])")
_NIGHTLY: Final = pattern(r"dev|git|[ab]\d|nv", exact_case=True)
_COMPANIONS: Final = ("torchvision", "torchaudio")


@dataclass(frozen=True, slots=True, kw_only=True)
class Torch:
    """version: "2.6.0" or None; label: of its build, "cu124", or None."""

    version: str | None = None
    label: str | None = None

    @property
    def is_release(self) -> bool:
        """Return whether it is a plain release that add-ons may be built for: not a nightly or a vendor's own build."""
        return self.version is not None and _NIGHTLY.search(self.version) is None

    @property
    def minor(self) -> str:
        """Return the release without its patch: "2.6"."""
        return ".".join((self.version or "").split(".")[:2])


def torch_here(facts: Facts, specs: Specs, told: str | None = None) -> Torch:
    """Return the torch of the environment. told: as reported by the failing program, "2.1.0+cu121"."""
    named, _, local = (told or "").partition("+")
    if named:
        return Torch(version=named, label=local or None)
    version, label = _installed(facts)
    return Torch(version=version or next(implied_torch(facts, specs), None), label=label or label_said(facts))


def label_said(facts: Facts) -> str | None:
    """Return the build label of the versions in the text, from "2.1.1+cu118"; None if they have several."""
    found = {hit["label"].lower() for one in facts.snapshot.observations for hit in _LABEL.finditer(one.text)}
    found |= {one.variant for one in facts.packages(*_COMPANIONS) if one.variant}
    return found.pop() if len(found) == 1 else None


def group(specs: Specs, name: str) -> tuple[str, ...]:
    """Return a package group of specs/frameworks/add_on_wheels.yaml: the releases of "hosts" pin their torch."""
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("groups", ())
    return next((tuple(row["packages"]) for row in rows if row["group"] == name), ())


def _installed(facts: Facts) -> tuple[str, str | None]:
    framework, package = facts.framework("torch"), facts.package("torch")
    pin = typed_pin(facts, ("torch",))
    version = next((one.version for one in (framework, package, pin) if one is not None and one.version), "")
    label = variant_of(framework) if framework is not None else None
    return version.partition("+")[0], label or (package.variant if package is not None else None) or pin.build


def implied_torch(facts: Facts, specs: Specs) -> Iterator[str]:
    """Yield the releases of torch that packages in the text pin."""
    hosts = group(specs, "hosts")
    asked = [(name, typed_pin(facts, (name,)).version) for name in (*hosts, *group(specs, "torch-by-release"))]
    named = [(name, fact.value("version")) for name in hosts for fact in facts.stated(f"{name}-version-named")]
    listed = [(one.name, one.version) for one in facts.packages(*hosts, *_COMPANIONS)]
    for name, version in (*listed, *named, *asked):
        bound = requirements_of(name, version.partition("+")[0], specs).get("torch", "") if version else ""
        if bound.startswith("==") and "*" not in bound:
            yield bound.removeprefix("==")
