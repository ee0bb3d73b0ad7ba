"""What a check says that it must know to be clear, and whether that is known.

"nvidia.driver.version"               a field of a backend's driver
"nvidia.devices.temperature_celsius"  a field of each whole device; without a field: that they are listed
"framework.torch|jax.cuda_version"    a field of a framework's build; of several, any one
"package.vllm"                        the version of an installed distribution
"environment.variables"               a field of the environment that programs run in
"host.shm_bytes"                      a field of the host
"source.kernel log"                   that this source was read
"wiring.ports"                        network ports for RDMA, or PCI functions ("wiring.functions"): that there are any
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.facts.questions import Facts


_WIRED: Final = {"ports": "network port for RDMA is", "functions": "PCI function of an accelerator is"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedState:
    """Whether what a need is about is here, and which fact of it is not known.

    absent   a sentence: what is not here; None if it is
    unknown  the fact that is not known, "temperature_celsius of nvidia:3"; None if all is known
    """

    absent: str | None = None
    unknown: str | None = None


def state_of(need: str, facts: "Facts") -> NeedState:
    """Return what is known of a need."""
    subject, _, rest = need.partition(".")
    where = "on this machine" if facts.live else "in this text"
    if subject == "framework":
        return _framework(rest, facts, where)
    if subject == "package":
        return _package(rest, facts, where)
    if subject == "host":
        return NeedState(unknown=None if getattr(facts.host, rest) is not None else f"host's {rest}")
    if subject == "environment":
        known = getattr(facts.environment, rest)
        return NeedState() if known not in (None, ()) else NeedState(unknown=f"environment's {rest}")
    if subject == "source":
        read = any(report.source == rest and report.status != "failed" for report in facts.snapshot.reports)
        return NeedState() if read else NeedState(absent=f"no {rest} {where}")
    if subject == "wiring":
        told = getattr(facts.snapshot.wiring, rest, None)
        return NeedState() if told else NeedState(absent=f"no {_WIRED.get(rest, rest)} known {where}")
    kind, _, field = rest.partition(".")
    if kind == "driver":
        return _driver(subject, field, facts, where)
    return _devices(subject, field, facts, where)


def _driver(backend: str, field: str, facts: "Facts", where: str) -> NeedState:
    driver = facts.driver(backend)
    if driver is None and not facts.of(backend):
        return NeedState(absent=f"no {backend} driver or device found {where}")
    value: Any = getattr(driver, field or "version", None)
    return NeedState(unknown=None if value is not None else f"{backend} driver's {field or 'version'}")


def _devices(backend: str, field: str, facts: "Facts", where: str) -> NeedState:
    devices = facts.of(backend)
    if not devices:
        return NeedState(absent=f"no {backend} device found {where}")
    unknown = [d.id for d in devices if field and getattr(d, field, None) in (None, "unknown")]
    return NeedState(unknown=f"{field} of {', '.join(unknown[:8])}" if unknown else None)


def _framework(rest: str, facts: "Facts", where: str) -> NeedState:
    names, _, field = rest.partition(".")
    found = [f for name in names.split("|") if (f := facts.framework(name)) is not None]
    if not found:
        return NeedState(absent=f"no {' or '.join(names.split('|'))} found {where}")
    if any(getattr(f, field or "version", None) is not None for f in found):
        return NeedState()
    return NeedState(unknown=f"{found[0].name}'s {field or 'version'}")


def _package(names: str, facts: "Facts", where: str) -> NeedState:
    found = facts.packages(*names.split("|"))
    if not found:
        return NeedState(absent=f"no {' or '.join(names.split('|'))} found {where}")
    return NeedState(unknown=None if any(p.version for p in found) else f"{found[0].name}'s version")
