"""What the records say of a machine in one word, for tables that ask: "@devices-listed". Pure.

@devices-listed    a tool or a program listed accelerators of the maker's; not prose
@driver-known      the version of a driver is known
@cuda-build, @cpu-build   what the installed torch is built for
@torch-seen        torch is installed, or a text shows what it says
@holder-listed     a process is named that holds a device
@on-linux, @on-windows, @on-wsl, @on-mac
@env-conda, @env-plain     the environment is one of conda's, or packages lie elsewhere
@by-pip, @by-conda, @by-pixi, @by-uv, @by-poetry    an installer that was called, or speaks in the text
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.facts.installers import SPOKEN
from accel.model.observation import Command, Complaint, Raised

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_INSTALLERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("pip", "pip3", "py"), "pip"),
    **dict.fromkeys(("conda", "mamba", "micromamba"), "conda"),
    "pixi": "pixi",
    "uv": "uv",
    "poetry": "poetry",
}

CONDITIONS = frozenset(
    (
        *("devices-listed", "driver-known", "cuda-build", "cpu-build", "torch-seen", "holder-listed"),
        *("on-linux", "on-windows", "on-wsl", "on-mac", "env-conda", "env-plain"),
        *("by-pip", "by-conda", "by-pixi", "by-uv", "by-poetry"),
    )
)


def conditions(facts: "Facts") -> frozenset[str]:
    """Return those that hold, each with its "@"."""
    listed = [r for r in facts.snapshot.reports if r.grade in ("measured", "printed") and r.status in ("ok", "partial")]
    accelerators = [d for report in listed for d in report.devices if d.kind != "cpu"]
    torch = facts.framework("torch")
    built = torch.built_for if torch is not None else None
    system, wsl = facts.host.system, bool(facts.host.wsl)
    holders = facts.snapshot.holdings.holders if facts.snapshot.holdings is not None else ()
    held = any(d.processes for d in accelerators) or bool(holders)
    conda = facts.variable("CONDA_PREFIX") is not None
    holds = {
        "devices-listed": bool(accelerators),
        "driver-known": any(report.driver is not None and report.driver.version for report in facts.snapshot.reports),
        "cuda-build": built == "cuda",
        "cpu-build": built == "cpu",
        "torch-seen": torch is not None,
        "holder-listed": held,
        "on-linux": system == "linux" and not wsl,
        "on-windows": system == "windows",
        "on-wsl": wsl,
        "on-mac": system == "macos",
        "env-conda": conda,
        "env-plain": not conda and any("-packages/" in one.text for one in facts.snapshot.observations),
    }
    called = {f"by-{_INSTALLERS[tool]}" for tool in _tools(facts) if tool in _INSTALLERS}
    return frozenset(f"@{name}" for name in (*(name for name, so in holds.items() if so), *called))


def suits(only: Iterable[str], held: frozenset[str]) -> bool:
    """Whether what is meant for some situations fits: of each kind one of these holds, or none is known.

    >>> suits(["@by-conda"], frozenset({"@by-pip"})), suits(["@by-conda"], frozenset({"@on-linux"}))
    (False, True)
    """
    kinds = {one.partition("-")[0] for one in only}
    return all(
        held & {one for one in only if one.startswith(f"{kind}-")}
        or not any(one.startswith(f"{kind}-") for one in held)
        for kind in kinds
    )


def _tools(facts: "Facts") -> Iterator[str]:
    """Yield the tools that were called, and installers whose own errors are there."""
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice:
            yield one.tool
        elif isinstance(one, Raised | Complaint):
            yield from (tool for tool, form in SPOKEN.items() if form.search(one.text))
