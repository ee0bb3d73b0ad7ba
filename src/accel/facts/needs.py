"""What a check says that it must know to be clear, and whether that is known.

"nvidia.driver.version"               a field of a backend's driver
"accelerators"                        that any accelerator is there
"nvidia.devices.temperature_celsius"  a field of each whole device; without a field: that they are listed
"framework.torch|jax.cuda_version"    a field of a framework's build; of several, any one
"package.vllm"                        the version of an installed distribution
"environment.variables"               a field of the environment that programs run in
"host.shm_bytes"                      a field of the host
"source.kernel log"                   that this source was read, whole: of a text nobody knows
"wiring.ports.state"                  network ports for RDMA, or PCI functions ("wiring.functions"): that there are any,
                                      and that some of them tells this field
"fact.disk-use.free"                  a fact that is stated of every machine of its kind, and a value of it
"run.program"                         that a program ran to its end, and ended well; so run.installation, run.build
"use.torch|jax"                       that a program of one of these frameworks could use a device
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from accel.model.observation import Raised

if TYPE_CHECKING:
    from accel.facts.questions import Facts


NOTHING_SEEN: Final = "nothing that it looks for was seen"
# What tells that a run ended well, and that it did not; and what is then wanted.
_RUNS: Final = {
    "program": ("program-ended", "program-failed", "what the program said before it ended"),
    "installation": ("installation-ended", "installation-failed", "what the installer said before it gave up"),
    "build": ("build-ended", "build-failed", "what the compiler said before the build stopped"),
}
LAST_WORDS: Final = frozenset(
    words for _, _, words in _RUNS.values()
)  # wanted no more where a finding tells why it ended
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
    if subject == "accelerators":
        return NeedState() if facts.accelerators else NeedState(absent=f"no accelerator found {where}")
    if subject == "host":
        return NeedState(unknown=None if getattr(facts.host, rest) is not None else f"host's {rest}")
    if subject == "environment":
        known = getattr(facts.environment, rest)
        if rest == "packages" and known == () and facts.environment.complete:
            return NeedState(absent="no package is installed in this environment")
        return NeedState() if known not in (None, ()) else NeedState(unknown=f"environment's {rest}")
    if subject == "source":
        return _source(rest, facts)
    if subject == "run":
        return _run(rest, facts)
    if subject == "use":
        return _use(rest, facts)
    if subject == "fact":
        return _fact(rest, facts)
    if subject == "wiring":
        return _wiring(rest, facts, where)
    kind, _, field = rest.partition(".")
    if kind == "driver":
        return _driver(subject, field, facts, where)
    return _devices(subject, field, facts, where)


def _source(name: str, facts: "Facts") -> NeedState:
    if any(report.source == name and report.status != "failed" for report in facts.snapshot.reports):
        return NeedState()
    if any(gap.fact == name for gap in facts.gaps):
        hosts = name == "kernel log" and facts.host.containerized  # who runs in a container asks the host
        return NeedState(absent=f"the {name} is its host's") if hosts else NeedState(unknown=name)
    if name == "kernel log" and facts.live and facts.host.system == "linux":
        return NeedState()  # it is always asked for, and what hinders is a gap
    return NeedState(absent=NOTHING_SEEN)


def _wiring(rest: str, facts: "Facts", where: str) -> NeedState:
    kind, _, field = rest.partition(".")
    told = getattr(facts.snapshot.wiring, kind, None)
    if not told:
        return NeedState(absent=f"no {_WIRED.get(kind, kind)} known {where}")
    known = not field or any(getattr(one, field) is not None for one in told)
    return NeedState(unknown=None if known else f"{field} of any of the {kind}")


def _run(kind: str, facts: "Facts") -> NeedState:
    """A run that ended well proves that nothing stopped it; one that failed without a word proves nothing."""
    well, badly, wanted = _RUNS[kind]
    ended, failed = facts.states((well,)), facts.states((badly,))
    raised = kind == "program" and any(isinstance(one, Raised) for one in facts.snapshot.observations)
    if failed and not ended and not raised:
        return NeedState(unknown=wanted)
    if ended and not failed and not raised:
        return NeedState()
    return NeedState(absent=NOTHING_SEEN)


def _use(names: str, facts: "Facts") -> NeedState:
    tried = [f for name in names.split("|") if (f := facts.framework(name)) is not None and f.available is not None]
    if not tried:
        return NeedState(absent=NOTHING_SEEN)
    if any(f.available for f in tried):
        return NeedState()
    return NeedState(unknown=f"why {tried[0].name} cannot use a device")


def _fact(rest: str, facts: "Facts") -> NeedState:
    name, _, value = rest.partition(".")
    found = facts.stated(name)
    if not found:
        return NeedState(absent=NOTHING_SEEN)
    unknown = value and any(not fact.value(value) for fact in found)
    return NeedState(unknown=f"{name}'s {value}" if unknown else None)


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
