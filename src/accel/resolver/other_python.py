"""The remedy that creates an environment with another Python, if there is no wheel for the current one. Pure."""

from typing import TYPE_CHECKING

from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.resolver.remedy_words import BASES, label, lead
from accel.specs.versions import numbers
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import bounded_word, chained, command_line, match_word, name_word, version_word

if TYPE_CHECKING:
    from accel.resolver.records import Resolution
    from accel.resolver.target import Target
    from accel.specs import Specs


def other_python(
    specs: "Specs", package: str, asked: str | None, on: "Target", manager: str | None = None
) -> Remedy | None:
    """Return the remedy that creates an environment with a Python for which the requested package has wheels.

    asked    the version specifier: "==1.13.1+cu117"; None for any release
    manager  the tool that manages the user's environments: poetry, pipenv, pixi, conda; None if none
    Returns None if the tables do not have the package, or no Python helps. Newest release first, then newest Python.
    """
    from packaging.version import Version

    from accel.resolver.choose import resolve_requests
    from accel.resolver.request import parse_request

    pythons = {p for release in specs.frameworks(package) for p in release.pythons or () if not p.endswith("t")}
    best: tuple[str, Resolution] | None = None
    try:
        request = parse_request(f"{package}{asked or ''}")
        machine = replace(with_usual_device(specs, package, request.variant, on), installed={})
        for python in sorted(pythons - {on.python}, key=numbers, reverse=True):
            found = resolve_requests(specs, [request], replace(machine, python=python), "uv", hints=False)
            if found.fits and (best is None or Version(lead(found).version) > Version(lead(best[1]).version)):
                best = python, found
    except BadInput:
        return None
    if best is None:
        return None
    python, found = best
    text = f"{label(lead(found))} has wheels for Python {python}: make an environment with that."
    if manager == "poetry":
        return Remedy(text=text, command=command_line("poetry env use", version_word(python), "&& poetry install"))
    if manager == "pixi":
        return Remedy(text=text, command=command_line("pixi add", bounded_word("python", f"=={python}.*")))
    if manager == "conda":
        name = name_word(f"py{python.replace('.', '')}")
        make = command_line("conda create -y -n", name, match_word(f"python={python}"))
        install = found.command or ""
        return Remedy(text=text, command=chained(make, command_line("conda run -n", name, install.removeprefix("uv "))))
    if manager == "pipenv":
        return Remedy(text=text, command=command_line("pipenv --python", version_word(python), "install"))
    return Remedy(text=text, command=chained(command_line("uv venv --python", version_word(python)), found.command))


def with_usual_device(specs: "Specs", package: str, have: str | None, target: "Target") -> "Target":
    """Return the target with the build's usual device, or the installed one's, if no device is seen."""
    from accel.resolver.candidates import candidates
    from accel.resolver.catalogue import catalogue_of
    from accel.resolver.target import Accelerator

    catalogue = catalogue_of(specs)
    if target.accelerators or (have is None and target.accelerators is not None) or package not in catalogue.packages:
        return target
    if have is None:
        made = [c for c in candidates(catalogue, package) if c.platform == target.platform]
        usual = [c.family for c in made if c.default or package in BASES]
    else:
        usual = [catalogue.family_of_variant(have)]
    name = usual[0] if usual else "cpu"
    vendor = next((f["vendor"] for f in catalogue.families if f["name"] == name), "cpu")
    return target if vendor == "cpu" else replace(target, accelerators=(Accelerator(vendor=vendor),))
