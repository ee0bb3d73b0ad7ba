"""What probes wrote in the logs of their pods, read by `kubectl`; nothing is started in the cluster.

The pods are those of docs/examples/kubernetes: a Job or a DaemonSet whose pods run  accel fleet probe .
Source  kubernetes.io: Pod v1 and Node v1, kubectl get, kubectl logs, well-known labels
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.fleet.carriers.children import Children, Ended
from accel.fleet.carriers.outcome import failed, has_line, last_words, outcome
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput
from accel.model.printable import printable

_SECONDS: Final = 30.0  # for a list
_LINES: Final = "--tail=20"  # the last line of a probe is among them
_PLACES: Final = {
    "zone": ("topology.kubernetes.io/zone",),
    "rack": ("topology.kubernetes.io/rack", "topology.k8s.io/rack"),
    "type": ("node.kubernetes.io/instance-type",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubernetes:
    """How logs are read. selector: of the probes' pods; context: of kubectl's configuration, None for the usual one."""

    namespace: str = "default"
    selector: str = "app=accel-fleet"
    context: str | None = None
    at_once: int = 16
    program: str = "kubectl"

    def answers(self, deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield what each node with a probe's pod says, and a row for each node that is not ready or has no such pod.

        Raises BadInput where kubectl does not answer.
        """
        nodes = {_name(one): one for one in self._items("nodes")}
        pods = self._items("pods", f"--namespace={self.namespace}", f"--selector={self.selector}")
        newest: dict[str, Mapping[str, Any]] = {}
        for pod in sorted(pods, key=lambda one: str(_meta(one).get("creationTimestamp") or "")):
            newest[_on(pod)] = pod
        rows = {node: row for node in {*nodes, *newest} if (row := _silent(node, nodes.get(node), newest.get(node)))}
        yield from (rows[node] for node in sorted(rows))
        place = {node: _place(one) for node, one in nodes.items()}
        children = Children(
            command=lambda node: self._words(
                "logs", _name(newest[node]), f"--namespace={self.namespace}", _LINES, "--all-containers"
            ),
            judged=_judged,
            at_once=self.at_once,
            most_seconds=_SECONDS,
        )
        for answer in children.answers([node for node in newest if node not in rows], deadline_seconds):
            yield replace(answer, seconds=None, place={**place.get(answer.node, {}), **answer.place})

    def _words(self, *words: str) -> Sequence[str]:
        return (self.program, *(() if self.context is None else (f"--context={self.context}",)), *words)

    def _items(self, *words: str) -> list[Mapping[str, Any]]:
        command = self._words("get", *words, "--output=json", f"--request-timeout={_SECONDS:.0f}s")
        try:
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS + 5)
        except OSError as error:
            raise BadInput(f"{self.program} cannot be started here: {error.strerror}.") from None
        except subprocess.TimeoutExpired:
            raise BadInput(f"{self.program} did not answer within {_SECONDS:.0f} s.") from None
        if done.returncode:
            said = last_words(done.stderr.decode("utf-8", "replace")) or f"exit code {done.returncode}"
            raise BadInput(f"{self.program} get {words[0]}: {said}")
        try:
            items = json.loads(done.stdout)["items"]
            return [one for one in items if isinstance(one["metadata"]["name"], str)]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadInput(f"{self.program} get {words[0]} printed no list.") from None


def _meta(one: Mapping[str, Any]) -> Mapping[str, Any]:
    meta: Mapping[str, Any] = one["metadata"]
    return meta


def _name(one: Mapping[str, Any]) -> str:
    return str(_meta(one)["name"])


def _on(pod: Mapping[str, Any]) -> str:
    """Return the node that a pod is on, or that a DaemonSet made it for; else the pod's own name."""
    spec = pod.get("spec") or {}
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    needed = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    fields = [field for term in needed.get("nodeSelectorTerms") or () for field in term.get("matchFields") or ()]
    meant = [value for field in fields if field.get("key") == "metadata.name" for value in field.get("values") or ()]
    return str(spec.get("nodeName") or (meant[0] if meant else f"pod {_name(pod)}"))


def _silent(node: str, known: Mapping[str, Any] | None, pod: Mapping[str, Any] | None) -> NodeAnswer | None:
    """Return the row of a node whose pod has no log: why it has none. A pod that waits says nothing of the node."""
    conditions = ((known or {}).get("status") or {}).get("conditions") or ()
    ready = next((one.get("status") for one in conditions if one.get("type") == "Ready"), None)
    if ready == "Unknown":
        return failed(node, "dead", "Kubernetes: its kubelet does not answer")
    if pod is None:
        why = "Kubernetes: it is not ready" if ready == "False" else "it has no pod of the probe"
        return failed(node, "unreachable" if ready == "False" else "no_answer", why)
    status = pod.get("status") or {}
    if status.get("phase") not in ("Pending", "Unknown"):
        return None
    waits = [(one.get("state") or {}).get("waiting") or {} for one in status.get("containerStatuses") or ()]
    reasons = [one.get("reason") for one in (*waits, *(status.get("conditions") or ())) if one.get("reason")]
    reason = f": {printable(str(reasons[0]))[:80]}" if reasons else ""
    return failed(node, "no_answer", f"the pod of its probe is {str(status['phase']).lower()}{reason}")


def _place(node: Mapping[str, Any]) -> dict[str, str]:
    labels = _meta(node).get("labels") or {}
    found = {kind: next((labels[name] for name in names if labels.get(name)), None) for kind, names in _PLACES.items()}
    return {kind: str(value) for kind, value in found.items() if value}


def _judged(child: Ended) -> NodeAnswer:
    if child.exit_code and not has_line(child.stdout):
        return failed(child.node, "no_answer", f"its log cannot be read: {last_words(child.stderr)}", child.seconds)
    if not has_line(child.stdout):
        return failed(child.node, "tool_failed", last_words(child.stdout) or "its log is empty", child.seconds)
    return outcome(child.node, child.stdout, child.stderr, 0, child.seconds)
