"""Several machines in one snapshot: what each reports, and which of them differ from the majority. Pure."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.facts.row_subjects import Sibling
from accel.model.observation import Limit, Noted
from accel.model.snapshot import Part, Snapshot
from accel.vendors.contract.check import Evidence, applies

_PACKAGES: Final = ("torch", "jax", "jaxlib", "tensorflow", "vllm", "torch-npu", "deepspeed", "nvidia-nccl-cu12")
_JOB: Final = ("NCCL_", "GLOO_", "UCX_", "HCCL_", "RCCL_", "OMP_NUM_THREADS", "PYTORCH_", "LD_LIBRARY_PATH", "FI_")
_OWN: Final = ("NCCL_HOSTID", "NCCL_COMM_ID")  # legitimately different on each machine
_MANY: Final = 3  # minimum machines for one of them to be the odd one
_NAMED: Final = 4


def nodes_of(facts: Facts) -> dict[str, Facts]:
    """Return the facts of each machine by its name; ends the check if there are too few.

    Of two machines in a text, neither is the odd one, and a finding itself says how they differ; two saved snapshots
    that somebody passes together are meant to be compared.
    """
    named: dict[str, list[Part]] = {}
    for part in facts.snapshot.parts:
        name = dict(part.kinds).get("machine")
        if part.apart and name is not None:
            named.setdefault(part.says.removeprefix("on "), []).append(part)
    saved = all(not part.lines for parts in named.values() for part in parts)
    applies(len(named) >= (2 if saved else 3), "nothing is there to compare this machine with")
    return {name: _joined(parts) for name, parts in named.items()}


def unlike_nodes(asked: str, facts: Facts) -> Iterator[Sibling]:
    """Yield each of the "releases", "devices" or "settings" that machines report, but not all alike.

    "clearly" is a value only if most of three or more machines agree.
    """
    found: dict[str, dict[str, str]] = {}
    for name, node in nodes_of(facts).items():
        for what, value in _ASKED[asked](node).items():
            found.setdefault(what, {})[name] = value
    for what, values in found.items():
        counted = Counter(values.values()).most_common(2)
        if len(counted) < 2:
            continue
        (first, most), (_, second) = counted
        odd = [(name, value) for name, value in values.items() if most == second or value != first]
        more = f" and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        told = {
            "what": what,
            "told": ", ".join(dict.fromkeys(value for _, value in odd[:_NAMED])),
            "names": ", ".join(name for name, _ in odd[:_NAMED]) + more,
            **({"usual": first} if most > second else {}),
            **({"clearly": "yes"} if most > second and len(values) >= _MANY else {}),
        }
        yield Sibling(None, told, tuple(Evidence(fact=f"{what} on {name}", value=value) for name, value in odd[:8]))


def _joined(parts: list[Part]) -> Facts:
    return Facts(
        Snapshot(
            host=parts[0].host,
            environments=tuple(e for part in parts for e in part.environments),
            observations=tuple(o for part in parts for o in part.observations),
            reports=tuple(r for part in parts for r in part.reports),
        )
    )


def _releases(facts: Facts) -> dict[str, str]:
    told: dict[str, str] = {}
    for backend in dict.fromkeys(report.backend for report in facts.snapshot.reports):
        driver = facts.driver(backend)
        if driver is not None and driver.version:
            told[f"The {backend} driver"] = driver.version
    if facts.host.kernel:
        told["The kernel"] = facts.host.kernel
    for toolkit in facts.environment.toolkits:
        if toolkit.version:
            told.setdefault(f"The {toolkit.name} toolkit", toolkit.version)
    for package in facts.packages(*_PACKAGES):
        if package.version:
            told.setdefault(package.name, f"{package.version}{f'+{package.variant}' if package.variant else ''}")
    for framework in facts.environment.frameworks:
        if framework.version:
            told.setdefault(framework.name, framework.version)
        if framework.nccl_version:
            told.setdefault("NCCL", framework.nccl_version)
    if facts.environment.python_version:
        told["Python"] = facts.environment.python_version
    return told


def _devices(facts: Facts) -> dict[str, str]:
    counted = Counter(device.name for device in facts.accelerators if device.is_top_level and device.name)
    return {"The list of devices": ", ".join(f"{n} × {name}" for name, n in sorted(counted.items()))} if counted else {}


def _settings(facts: Facts) -> dict[str, str]:
    told = {
        name: value for name, value in facts.environment.variables or () if name.startswith(_JOB) and name not in _OWN
    }
    for one in facts.snapshot.observations:
        if isinstance(one, Noted) and one.fact == "kernel-settings":
            told |= {f"The kernel's {name}": value for name, value in one.values}
        elif isinstance(one, Limit):
            told.setdefault(f"The limit {one.resource}", "unlimited" if one.value is None else str(one.value))
    return told


_ASKED: Final = {"releases": _releases, "devices": _devices, "settings": _settings}
