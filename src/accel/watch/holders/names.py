"""Names of containers and pods, from the files of their engines: specs/system/attribution.yaml, `files`.

    /var/lib/docker/containers/<id>/config.v2.json       {"Name": "/train", …}                 root only
    /run/containerd/…/k8s.io/<id>/config.json            annotations of the pod                root only
    /var/log/pods/<namespace>_<pod>_<uid>/               anybody may list it
No engine is queried: its socket may hang, and its command would start a program.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import names_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_LIMIT_BYTES: Final = 4 << 20


def names_of(machine: "Machine", known: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Return what the files add to the known owner of a process, and whether this user may not read one of them."""
    from accel.specs import load

    table = load().table("system/attribution")
    found: dict[str, str] = {}
    closed = False
    container = known.get("container")
    for row in table["files"] if container else ():
        try:
            text = machine.read(row["path"].replace("{container}", container or ""), _LIMIT_BYTES)
        except PermissionError:
            closed = True
            continue
        except OSError:
            continue
        told = _json(text)
        for one in row["gives"]:
            value = _at(told, one["at"])
            if value and one["is"] not in known:
                found.setdefault(one["is"], value.lstrip("/")[:200])
        closed = False
        break
    uid = known.get("pod_uid")
    if uid and "pod" not in {*known, *found}:
        found.update(_of_logs(names_in(machine, table["pod_logs"]), uid))
    return found, closed and "container_name" not in {*known, *found}


def _of_logs(folders: tuple[str, ...], uid: str) -> dict[str, str]:
    """Return pod and namespace from the folder whose name ends with the pod's uid.

    >>> _of_logs(("ml_train-7_12345678-1234-1234-1234-123456789012",), "12345678-1234-1234-1234-123456789012")
    {'pod_namespace': 'ml', 'pod': 'train-7'}
    """
    for name in folders:
        parts = name.split("_")
        if len(parts) == 3 and parts[2] == uid:
            return {"pod_namespace": parts[0], "pod": parts[1]}
    return {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _at(value: Any, keys: list[str]) -> str | None:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
