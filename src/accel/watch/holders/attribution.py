"""The owner of a process: container, pod, batch job, Ray task, systemd unit. Pure.

/proc/<pid>/cgroup      "0::/system.slice/docker-<id>.scope"; version 1: "4:memory:/slurm/uid_1000/job_71/step_0"
/proc/<pid>/mountinfo   of a process that sees its own group as "/": its engine's mounts identify the container
/proc/<pid>/environ     "SLURM_JOB_ID=71"
/proc/<pid>/cmdline     "ray::train_step": a title that the process set itself
The patterns are data: specs/system/attribution.yaml. The keys of the results are fields of RunningProcess.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

_HEX: Final = "[0-9a-f]{64}"
_UID: Final = "[0-9a-f]{8}[_-][0-9a-f]{4}[_-][0-9a-f]{4}[_-][0-9a-f]{4}[_-][0-9a-f]{12}"
_LONGEST: Final = 4096  # of a group's path or a mount: no known owner has a longer one
_Form = tuple["re.Pattern[str]", Mapping[str, str], frozenset[str]]


def by_cgroup(text: str) -> dict[str, str]:
    """Return the owner that the lines of a cgroup file imply; of nested containers, the innermost counts.

    >>> by_cgroup("0::/system.slice/slurmstepd.scope/job_71/step_batch/user/task_0")
    {'scheduler': 'slurm', 'job': '71', 'job_step': 'batch'}
    """
    found: dict[str, str] = {}
    paths = dict.fromkeys(line.split(":", 2)[2] for line in text.splitlines() if line.count(":") >= 2)
    for path in sorted(paths, key=len, reverse=True):  # of version 1, a controller that is not used is at "/"
        _add(found, "cgroups", path)
    if {"container", "container_name", "job"} & found.keys():
        found.pop("unit", None)  # created by the engine: it adds no information
    return found


def by_mounts(text: str) -> dict[str, str]:
    """Return the container that the mounts of a process imply."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if "/containers/" in line or "/pods/" in line or "/overlay-containers/" in line:
            _add(found, "mounts", line)
    return found


def by_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the job and pod that the variables of a process imply."""
    found: dict[str, str] = {}
    for row in _table()["variables"]:
        if row["has"] in variables and not (row["is"] and "job" in found):
            told = {field: variables[name] for name, field in row["gives"].items() if variables.get(name)}
            for field, value in {**row["is"], **told}.items():
                found.setdefault(field, value[:200])
    return found


def by_title(command: Sequence[str]) -> dict[str, str]:
    """Return the owner that a process's self-assigned title implies."""
    found: dict[str, str] = {}
    if command:
        _add(found, "titles", command[0], from_start=True)
    return found


def _add(found: dict[str, str], kind: str, text: str, from_start: bool = False) -> None:
    if len(text) > _LONGEST:
        return
    for form, means, unless in _forms(kind):
        hit = form.match(text) if from_start else None
        if not from_start:
            for hit in form.finditer(text):  # noqa: B007  # the last one counts
                pass
        told = hit.groupdict() if hit is not None else {}
        if hit is None or unless.intersection(told.values()) or any(key in found for key in told):
            continue
        found.update(
            {**means, **{key: value.replace("_", "-") if key == "pod_uid" else value for key, value in told.items()}}
        )


@cache
def _table() -> Any:
    from accel.specs import load

    return load().table("system/attribution")


@cache
def _forms(kind: str) -> tuple[_Form, ...]:
    return tuple(
        (
            re.compile(row["form"].replace("{hex}", _HEX).replace("{uid}", _UID)),
            row["is"],
            frozenset(row.get("except", ())),
        )
        for row in _table()[kind]
    )
