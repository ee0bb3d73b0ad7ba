"""Nodes of a running Ray cluster, through its public API: a task on each node starts the probe in a child.

Each task is pinned to its node by label, or before Ray 2.49 by hard affinity, requests no CPU, so that a full
cluster answers too, and is never retried elsewhere. Ray would wait forever for a lost node, so the round has
a deadline of its own. Ray does not know nodes that never joined: those are named in `expected`.
Source  docs.ray.io: Use labels to control scheduling, NodeAffinitySchedulingStrategy, ray.wait, ray.nodes,
        ray.exceptions
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from accel.fleet.carriers.outcome import failed, last_words, outcome
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput
from accel.model.printable import printable

_MASKS: Final = (
    *("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"),
    *("HABANA_VISIBLE_MODULES", "NEURON_RT_VISIBLE_CORES", "ONEAPI_DEVICE_SELECTOR", "TPU_VISIBLE_CHIPS"),
)
_LABEL: Final = "ray.io/node-id"
_GRACE_SECONDS: Final = 5.0  # for a worker's start and the way back
_SHARD: Final = 16  # nodes with complete snapshots in transit at a time
_AT_MOST_AT_ONCE: Final = 1.0  # second that one look at the answers waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Ray:
    """How nodes are queried through Ray.

    address        the cluster's, as ray.init takes it; "auto" for the one of this machine
    probe_seconds  limit for the probe on a node
    command        what a node starts; None: accel in the Python of Ray's workers
    ask            (ray, node, arguments of `probe_here`) -> a future for its answer; None: one task per round
    """

    address: str = "auto"
    probe_seconds: float = 20.0
    command: Sequence[str] | None = None
    ask: Callable[[Any, Mapping[str, Any], tuple[Any, ...]], Any] | None = None

    def answers(self, expected: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives; after the deadline, the missing ones at once.

        expected  names of nodes that should have joined, as hosts or as an earlier round named them: one that Ray does
                  not know is "unreachable", one that it lost is "dead"; so is a lost node that is not in `expected`,
                  unless a node with its name is alive. Raises BadInput without Ray or without a cluster. An existing
                  connection is used and kept.
        """
        until = time.monotonic() + deadline_seconds
        with connected(self.address) as ray:
            yield from self._round(ray, expected, until, deadline_seconds)

    def snapshots(self, deadline_seconds: float) -> Iterator[tuple[str, str | None, str]]:
        """Yield (node, output of `accel snapshot` or None, why there is none), a few nodes at a time.

        A document has some hundred kilobytes: from all nodes at once, they would all be in the head node's memory.
        """
        until = time.monotonic() + deadline_seconds
        with connected(self.address) as ray:
            nodes = [one for one in ray.nodes() if one["Alive"]]
            names = _names(nodes)
            program = (sys.executable, "-m", "accel") if self.command is None else self.command[:1]
            for first in range(0, len(nodes), _SHARD):
                tasks = {self._asked(ray, one, (*program, "snapshot")): one for one in nodes[first : first + _SHARD]}
                ray.wait(list(tasks), num_returns=len(tasks), timeout=max(until - time.monotonic(), 0))
                for task, one in tasks.items():
                    yield (names[str(one["NodeID"])], *_document(ray, task))

    def _round(self, ray: Any, expected: Sequence[str], until: float, deadline: float) -> Iterator[NodeAnswer]:
        start = time.monotonic()
        listed = ray.nodes()
        alive = {str(one["NodeID"]): one for one in listed if one["Alive"]}
        names = _names(list(alive.values()))
        yield from _missing(listed, names, expected)
        waiting = {self._asked(ray, one, self.command): node_id for node_id, one in alive.items()}
        while waiting:
            left = until - time.monotonic()
            done, _ = ray.wait(list(waiting), num_returns=1, timeout=max(min(left, _AT_MOST_AT_ONCE), 0))
            for task in done:
                node = names[waiting.pop(task)]
                yield _answer(ray, task, node, time.monotonic() - start)
            if done:
                continue
            lost = {str(one["NodeID"]) for one in ray.nodes() if not one["Alive"]}
            for task in [task for task, node_id in waiting.items() if node_id in lost]:
                node = names[waiting.pop(task)]
                yield failed(node, "dead", "Ray lost it during the round", time.monotonic() - start)
            if left <= 0:
                break
        for task, node_id in waiting.items():
            with suppress(Exception):
                ray.cancel(task, force=True)
            yield failed(names[node_id], "no_answer", f"no answer after {deadline:.0f} s", deadline)

    def _asked(self, ray: Any, node: Mapping[str, Any], command: Sequence[str] | None) -> Any:
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # its nodes may have another accel, or none
        own = None if command is None else tuple(command)
        words = own, self.probe_seconds, self.probe_seconds + _GRACE_SECONDS, _MASKS
        if self.ask is not None:
            return self.ask(ray, node, words)
        return pinned(ray.remote(probe_here), node, max_retries=0, name="accel fleet probe").remote(*words)


def pinned(task: Any, node: Mapping[str, Any], **options: Any) -> Any:
    """Return a task, or an actor class, that runs only on this node and takes no CPU."""
    node_id = str(node["NodeID"])
    common = {"num_cpus": 0, **options}
    if _LABEL in (node.get("Labels") or {}):
        with suppress(ValueError):  # a Ray before 2.49 has no such option
            return task.options(label_selector={_LABEL: node_id}, **common)
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return task.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False), **common)


def the_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise BadInput('accel fleet --ray needs Ray, which is not installed here:  pip install "ray>=2.10"') from None
    return ray


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Give Ray, connected to the cluster at this address; an existing connection is used and kept."""
    ray = the_ray()
    own = not ray.is_initialized()
    try:
        if own:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:
        said = printable(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)[:200]
        raise BadInput(f"Ray at {printable(address)[:80]}: {said}. Pass the address of a running cluster.") from None
    try:
        yield ray
    finally:
        if own:
            ray.shutdown()


def _missing(
    listed: Sequence[Mapping[str, Any]], names: Mapping[str, str], expected: Sequence[str]
) -> Iterator[NodeAnswer]:
    """Yield a row for each expected node that is missing, and for each that Ray lost."""
    here = {str(one[word]) for one in listed if one["Alive"] for word in ("NodeManagerHostname", "NodeManagerAddress")}
    here.update(names.values())
    lost: dict[str, str] = {}  # each name that a lost node had -> its host's
    for one in listed:
        if not one["Alive"]:
            host = str(one["NodeManagerHostname"])
            lost.update({host: host, _with_id(one): host})
    for name in expected:
        if name in lost and name not in here:
            yield failed(name, "dead", "Ray lost it")
        elif name not in here:
            yield failed(name, "unreachable", "it has not joined this Ray cluster")
    told = {lost.get(name) for name in expected if name not in here}
    for host in dict.fromkeys(lost.values()):
        if host not in here and host not in told:
            yield failed(host, "dead", "Ray lost it")


def _with_id(node: Mapping[str, Any]) -> str:
    return f"{node['NodeManagerHostname']}-{str(node['NodeID'])[:8]}"


def _names(nodes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return id -> host name; if several share a name, the first characters of the id are appended."""
    hosts = [str(one["NodeManagerHostname"]) for one in nodes]
    return {
        str(one["NodeID"]): host if hosts.count(host) == 1 else _with_id(one)
        for one, host in zip(nodes, hosts, strict=True)
    }


def _answer(ray: Any, task: Any, node: str, seconds: float) -> NodeAnswer:
    from ray import exceptions

    try:
        stdout, stderr, exit_code, masks, timed_out = ray.get(task, timeout=_GRACE_SECONDS)
    except Exception as error:  # Ray's own kinds, and whatever a worker could not start with
        names = {kind.__name__ for kind in type(error).__mro__}
        said = printable(str(error).strip().splitlines()[0] if str(error).strip() else "")[:200]
        if names & {"NodeDiedError", "TaskUnschedulableError", "OwnerDiedError"}:
            return failed(node, "dead", "Ray lost it during the round", seconds)
        if isinstance(error, exceptions.GetTimeoutError):
            return failed(node, "no_answer", "its answer did not arrive", seconds)
        if "RuntimeEnvSetupError" in names:
            return failed(node, "tool_failed", f"Ray could not prepare its environment there: {said}", seconds)
        return failed(node, "tool_failed", f"{type(error).__name__}: {said}", seconds)
    if timed_out:
        return failed(node, "no_answer", f"its probe did not end within {timed_out:.0f} s, and was ended", seconds)
    answer = outcome(node, stdout, stderr, exit_code, seconds)
    told = {f"{name} of Ray's worker": printable(value)[:80] or "empty" for name, value in masks.items()}
    return replace(answer, versions={**answer.versions, **told}) if told else answer


def _document(ray: Any, task: Any) -> tuple[str | None, str]:
    """Return a snapshot's text, or None and why there is none."""
    try:
        stdout, stderr, _, _, timed_out = ray.get(task, timeout=0)
    except Exception as error:  # Ray's own kinds, and whatever a worker could not start with
        with suppress(Exception):
            ray.cancel(task, force=True)
        return None, type(error).__name__
    if stdout.lstrip().startswith("{"):
        return stdout, ""
    return None, last_words(stderr) or ("it did not end in time" if timed_out else "it printed none")


def probe_here(
    command: Sequence[str] | None, probe_seconds: float, most: float, masks: Sequence[str]
) -> tuple[str, str, int | None, dict[str, str], float | None]:
    """Run the probe on a node, from Ray's worker: in a child without the device masks, ended after `most` seconds.

    A child that hangs in a driver does not block the worker. Return its output, its exit code, the worker's masks, and
    the seconds after which it was ended.
    """
    import signal
    import subprocess

    seen = {name: os.environ[name] for name in masks if name in os.environ}
    environment = {name: value for name, value in os.environ.items() if name not in seen}
    words = [*(command or (sys.executable, "-m", "accel", "fleet", "probe")), "--timeout", f"{probe_seconds:g}"]
    try:
        child = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return "", f"{words[0]}: {error.strerror}", 127, seen, None
    try:
        stdout, stderr = child.communicate(timeout=most)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            child.wait(1)
        return "", "", None, seen, most
    code = child.returncode
    return stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"), code if code >= 0 else None, seen, None
