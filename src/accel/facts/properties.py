"""Properties of a machine or text that queries can name: "@devices-listed", "@wsl". Pure.

Each is True, False, or None if unknown. Among mutually exclusive ones (systems, kinds of environments, installers), a
known one makes the others False.

@live                        the snapshot is of this machine, not of a text
@linux, @windows, @macos, @wsl    the system; @system-known: it is known
@container, @kubernetes, @image-build, @containerized    where programs run
@no-container                a text that shows its system and mentions no container
@secure-boot                 Secure Boot is on
@variables-known             the environment variables are known
@nodes                       the report is about several machines
@devices-listed              a tool or program, not prose, listed accelerators of the vendor
@driver-known                the version of a driver is known
@cuda-build, @cpu-build      what the installed torch was built for
@torch-seen                  torch is installed, or a text shows its output
@holder-listed               a process that uses a device is named
@env-conda, @env-plain       the environment is conda's, or packages are elsewhere
@by-pip, @by-conda, @by-pixi, @by-uv, @by-poetry    an installer that was called, or whose output is in the text
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from accel.facts.containers import CONTAINER, IMAGE_BUILD, KUBERNETES, in_container, in_image_build, is_kubernetes
from accel.facts.installers import SPOKEN
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.observation import Command, Complaint, Raised

Property = Callable[["Facts"], bool | None]

_WSL: Final = "wsl-named"
_SPOKEN_OF: Final = "spoken-of"
_FEW_LINES: Final = 10  # of a text: it may leave out that it is about a container
_INSTALLERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("pip", "pip3", "py"), "pip"),
    **dict.fromkeys(("conda", "mamba", "micromamba"), "conda"),
    "pixi": "pixi",
    "uv": "uv",
    "poetry": "poetry",
}


def _system(name: str) -> Property:
    def known(facts: Facts) -> bool | None:
        system = _system_of(facts)
        return None if system is None else system == name

    return known


def _system_of(facts: Facts) -> str | None:
    return "wsl" if facts.on_wsl else facts.host.system


def _installer(name: str) -> Property:
    def known(facts: Facts) -> bool | None:
        called = {_INSTALLERS[tool] for tool in _tools(facts) if tool in _INSTALLERS}
        return name in called if called else None

    return known


def _tools(facts: Facts) -> Iterator[str]:
    """Yield the tools that were called, and installers whose own errors are in the text."""
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice:
            yield one.tool
        elif isinstance(one, Raised | Complaint):
            yield from (tool for tool, form in SPOKEN.items() if form.search(one.text))


def _listed(facts: Facts) -> list[Device]:
    reports = (
        r for r in facts.snapshot.reports if r.grade in ("measured", "printed") and r.status in ("ok", "partial")
    )
    return [device for report in reports for device in report.devices if device.kind != "cpu"]


def _without_container(facts: Facts) -> bool | None:
    """Return True for a text that shows its surroundings and no container; None if it shows too little."""
    longest = max((one.last_line or one.line or 0 for one in facts.snapshot.observations), default=0)
    tells = facts.host.kernel or facts.host.distribution or longest > _FEW_LINES
    if facts.live or facts.host.system is None or not (tells or facts.host.system in ("windows", "macos")):
        return None
    named = any(fact.value("subject") == "container" for fact in facts.stated(_SPOKEN_OF))
    return not (named or in_container(facts) or is_kubernetes(facts)) or None


def _built_for(facts: Facts, build: str) -> bool:
    torch = facts.framework("torch")
    return torch is not None and torch.built_for == build


def _in_conda(facts: Facts) -> bool | None:
    if facts.variable("CONDA_PREFIX") is not None:
        return True
    return False if any("-packages/" in one.text for one in facts.snapshot.observations) else None


def _outside_conda(facts: Facts) -> bool | None:
    inside = _in_conda(facts)
    return None if inside is None else not inside


def _held(facts: Facts) -> bool:
    holdings = facts.snapshot.holdings
    return any(device.processes for device in _listed(facts)) or bool(holdings is not None and holdings.holders)


PROPERTIES: Final[Mapping[str, tuple[tuple[str, ...], Property]]] = {  # the facts that it reads, and how it is known
    "@live": ((), lambda facts: facts.live),
    "@linux": ((_WSL,), _system("linux")),
    "@windows": ((_WSL,), _system("windows")),
    "@macos": ((_WSL,), _system("macos")),
    "@wsl": ((_WSL,), _system("wsl")),
    "@system-known": ((), lambda facts: facts.host.system is not None),
    "@containerized": ((), lambda facts: facts.host.containerized),
    "@container": (CONTAINER, in_container),
    "@kubernetes": ((KUBERNETES,), is_kubernetes),
    "@no-container": ((*CONTAINER, KUBERNETES, _SPOKEN_OF), _without_container),
    "@image-build": (IMAGE_BUILD, in_image_build),
    "@secure-boot": ((), lambda facts: facts.host.secure_boot),
    "@variables-known": ((), lambda facts: facts.variables_known),
    "@nodes": ((), lambda facts: bool(facts.snapshot.parts)),
    "@devices-listed": ((), lambda facts: bool(_listed(facts))),
    "@driver-known": ((), lambda facts: any(r.driver and r.driver.version for r in facts.snapshot.reports)),
    "@cuda-build": ((), lambda facts: _built_for(facts, "cuda")),
    "@cpu-build": ((), lambda facts: _built_for(facts, "cpu")),
    "@torch-seen": ((), lambda facts: facts.framework("torch") is not None),
    "@holder-listed": ((), _held),
    "@env-conda": ((), _in_conda),
    "@env-plain": ((), _outside_conda),
    **{f"@by-{name}": ((), _installer(name)) for name in ("pip", "conda", "pixi", "uv", "poetry")},
}
