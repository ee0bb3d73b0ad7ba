"""Reads the probes' output from their pods' logs with `kubectl`; nothing is started in the cluster.

The pods are those of docs/examples/kubernetes: a Job or a DaemonSet whose pods run  accel fleet probe .
Source  kubernetes.io: Pod v1 and Node v1, kubectl get, kubectl logs, well-known labels
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final

from accel.fleet.carriers.children import Children, Ended
from accel.fleet.carriers.outcome import failed, has_line, is_missing, last_words, outcome
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput
from accel.model.printable import printable

_SECONDS: Final = 30.0  # for a list
_LINES: Final = "--tail=20"  # the last line of a probe is among them
_OLD_SECONDS: Final = 1800.0  # since the last line of a pod that looks every five minutes
_FORBIDDEN: Final = "(Forbidden)"
_PLACES: Final = {
    "zone": ("topology.kubernetes.io/zone",),
    "rack": ("topology.kubernetes.io/rack", "topology.k8s.io/rack"),
    "type": ("node.kubernetes.io/instance-type",),
}


Pod = Mapping[str, Any]  # or a node, as kubectl prints them


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubernetes:
    """How logs are read. selector: for the probes' pods; context: a kubectl context, None for the current one."""

    namespace: str = "default"
    selector: str = "app=accel-fleet"
    context: str | None = None
    at_once: int = 16
    program: str = "kubectl"
    now: Callable[[], float] = time.time

    def answers(self, deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield the answer of each node with a probe pod, and a row for each node that is not ready or has no such pod.

        Raises BadInput if kubectl does not respond.
        """
        nodes = {_name(one): one for one in self._items("nodes")}
        pods = self._items("pods", f"--namespace={self.namespace}", f"--selector={self.selector}")
        if not pods:
            raise BadInput(
                f"No pod of the namespace {printable(self.namespace)} has the labels {printable(self.selector)}. Start "
                "those of docs/examples/kubernetes, or name others by --namespace and --selector."
            )
        chosen: dict[str, Pod] = {}
        for pod in sorted(pods, key=_preferred):
            chosen[_on(pod)] = pod
        rows = {node: row for node in {*nodes, *chosen} if (row := _silent(node, nodes.get(node), chosen.get(node)))}
        place = {node: _place(one) for node, one in nodes.items()}
        children = Children(
            command=lambda node: self._words(
                "logs", _name(chosen[node]), f"--namespace={self.namespace}", _LINES, "--all-containers"
            ),
            judged=lambda child: _judged(child, chosen[child.node], self.now()),
            at_once=self.at_once,
            most_seconds=_SECONDS,
        )
        asked = [node for node in chosen if node not in rows]
        for answer in chain((rows[node] for node in sorted(rows)), children.answers(asked, deadline_seconds)):
            yield replace(answer, seconds=None, place={**place.get(answer.node, {}), **answer.place})

    def _words(self, *words: str) -> Sequence[str]:
        return (self.program, *(() if self.context is None else (f"--context={self.context}",)), *words)

    def _items(self, *words: str) -> list[Pod]:
        command = self._words("get", *words, "--output=json", f"--request-timeout={_SECONDS:.0f}s")
        try:
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS + 5)
        except OSError as error:
            raise BadInput(f"{self.program} cannot be started here: {error.strerror}.") from None
        except subprocess.TimeoutExpired:
            raise BadInput(f"{self.program} did not answer within {_SECONDS:.0f} s.") from None
        if done.returncode:
            said = last_words(done.stderr.decode("utf-8", "replace")) or f"exit code {done.returncode}"
            if _FORBIDDEN in said:
                said += ". What is needed:  docs/examples/kubernetes/reader.yaml"
            raise BadInput(f"{self.program} get {words[0]}: {said}")
        try:
            items = json.loads(done.stdout)["items"]
            return [one for one in items if isinstance(one["metadata"]["name"], str)]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadInput(f"{self.program} get {words[0]} printed no list.") from None


def _meta(one: Pod) -> Pod:
    meta: Pod = one["metadata"]
    return meta


def _name(one: Pod) -> str:
    return str(_meta(one)["name"])


def _preferred(pod: Pod) -> tuple[bool, str]:
    """Return a sort key that puts the pod to read last among those of its node: the newest that was not evicted."""
    status = pod.get("status") or {}
    return status.get("reason") != "Evicted", str(_meta(pod).get("creationTimestamp") or "")


def _on(pod: Pod) -> str:
    """Return the node that a pod is on, or that its DaemonSet created it for; else the pod's own name."""
    spec = pod.get("spec") or {}
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    needed = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    fields = [field for term in needed.get("nodeSelectorTerms") or () for field in term.get("matchFields") or ()]
    meant = [value for field in fields if field.get("key") == "metadata.name" for value in field.get("values") or ()]
    return str(spec.get("nodeName") or (meant[0] if meant else f"pod {_name(pod)}"))


def _silent(node: str, known: Pod | None, pod: Pod | None) -> NodeAnswer | None:
    """Return the row of a node whose pod has no log, with the reason. A pending pod says nothing about the node."""
    conditions = ((known or {}).get("status") or {}).get("conditions") or ()
    ready = next((one.get("status") for one in conditions if one.get("type") == "Ready"), None)
    if ready == "Unknown":
        return failed(node, "dead", "Kubernetes: its kubelet does not answer")
    if pod is None:
        why = "Kubernetes: the node is not ready" if ready == "False" else "it has no probe pod"
        return failed(node, "unreachable" if ready == "False" else "no_answer", why)
    status = pod.get("status") or {}
    if status.get("reason") == "Evicted":
        said = printable(str(status.get("message") or "")).strip()[:160]
        return failed(node, "no_answer", f"its probe pod was evicted: {said}".rstrip(": "))
    if status.get("phase") not in ("Pending", "Unknown"):
        return None
    waits = [(one.get("state") or {}).get("waiting") or {} for one in status.get("containerStatuses") or ()]
    reasons = [one.get("reason") for one in (*waits, *(status.get("conditions") or ())) if one.get("reason")]
    reason = f": {printable(str(reasons[0]))[:80]}" if reasons else ""
    return failed(node, "no_answer", f"the pod of its probe is {str(status['phase']).lower()}{reason}")


def _place(node: Pod) -> dict[str, str]:
    labels = _meta(node).get("labels") or {}
    found = {kind: next((labels[name] for name in names if labels.get(name)), None) for kind, names in _PLACES.items()}
    return {kind: str(value) for kind, value in found.items() if value}


def _judged(child: Ended, pod: Pod, now: float) -> NodeAnswer:
    if not has_line(child.stdout):
        if child.exit_code:
            said = last_words(child.stderr)
            why = "this user may not read it (pods/log)" if _FORBIDDEN in said else said
            return failed(child.node, "no_answer", f"its log cannot be read: {why}", child.seconds)
        container, code = _container(pod)
        said = last_words(child.stdout)
        why = f"accel is not installed in its image: {said}" if is_missing(code) else said or "its log is empty"
        return failed(child.node, "tool_failed", f"{why}{container}", child.seconds)
    answer = outcome(child.node, child.stdout, child.stderr, 0, child.seconds)
    age = _age(answer.taken_at, now)
    if (pod.get("status") or {}).get("phase") == "Running" and age is not None and age > _OLD_SECONDS:
        why = f"its probe has written nothing for {age / 60:.0f} min: it hangs, or clocks differ"
        return failed(child.node, "no_answer", why, child.seconds)
    return answer


def _container(pod: Pod) -> tuple[str, int | None]:
    """Return Kubernetes' description of a container that is not running, and the exit code of its last run."""
    told, code = [], None
    for one in (pod.get("status") or {}).get("containerStatuses") or ():
        now, before = one.get("state") or {}, one.get("lastState") or {}
        ended = now.get("terminated") or before.get("terminated") or {}
        code = ended.get("exitCode", code)
        reasons = ((now.get("waiting") or {}).get("reason"), ended.get("reason"))
        told += [str(reason) for reason in reasons if reason and reason not in ("Error", "Completed")]
    ending = f", exit code {code}" if code else ""
    return (f" ({printable(', '.join(told))[:80]}{ending})" if told else ""), code


def _age(taken_at: str | None, now: float) -> float | None:
    try:
        return now - datetime.fromisoformat((taken_at or "").replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None
