"""Warm rounds through Ray: an actor on each node that stays between rounds and is removed at the end.

Source  docs.ray.io: named actors, ray.kill, actor lifetimes: one that is not detached ends with its driver
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from accel.fleet.carriers import ray as by_tasks
from accel.fleet.carriers.ray import probe_here
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import replace

_NAME: Final = "accel fleet watch"
_KILLED: Final = ("ActorDiedError", "ActorUnavailableError", "RayActorError")


class RayActors:
    """Rounds over a Ray cluster, as a context manager: `with RayActors(Ray(…)) as nodes: nodes.answers(…)`.

    Actors request no CPU, are pinned to their node, and are never restarted by Ray. One that did not answer or failed
    is ended after the round; the next round starts a new one.
    """

    def __init__(self, ray: by_tasks.Ray) -> None:
        self._how = replace(ray, ask=self._ask)
        self._actors: dict[str, Any] = {}
        self._calls: dict[str, Any] = {}
        self._cluster = by_tasks.connected(ray.address)

    def __enter__(self) -> "RayActors":
        self._ray = self._cluster.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for node_id in tuple(self._actors):
            self._end(node_id)
        self._cluster.__exit__(None, None, None)

    def answers(self, expected: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer, like `Ray.answers`."""
        try:
            for row in self._how.answers(expected, deadline_seconds):
                lost = row.state == "tool_failed" and (row.why or "").startswith(_KILLED)
                yield replace(row, why="Ray lost its worker there") if lost else row
        finally:
            self._end_useless()

    def _ask(self, ray: Any, node: Mapping[str, Any], words: tuple[Any, ...]) -> Any:
        node_id = str(node["NodeID"])
        if node_id not in self._actors:
            self._actors[node_id] = _started(ray, node)
        self._calls[node_id] = self._actors[node_id].probe.remote(*words)
        return self._calls[node_id]

    def _end_useless(self) -> None:
        """End actors that still wait on their node, have failed, or have lost their node."""
        alive = {one["NodeID"] for one in self._ray.nodes() if one["Alive"]}
        for node_id, call in tuple(self._calls.items()):
            try:
                done, _ = self._ray.wait([call], timeout=0)
                if done and node_id in alive:
                    self._ray.get(call, timeout=1)
                    continue
            except Exception:  # Ray's own kinds: reported in this round's row
                pass
            self._end(node_id)
        self._calls.clear()

    def _end(self, node_id: str) -> None:
        with suppress(Exception):
            self._ray.kill(self._actors.pop(node_id), no_restart=True)


def _started(ray: Any, node: Mapping[str, Any]) -> Any:
    for module in (__name__, by_tasks.__name__):  # its nodes may have another accel, or none
        ray.cloudpickle.register_pickle_by_value(sys.modules[module])
    name = f"{_NAME} {os.getpid()} {node['NodeID']}-{os.urandom(4).hex()}"
    return by_tasks.pinned(ray.remote(_Prober), node, max_restarts=0, max_task_retries=0, name=name).remote()


class _Prober:
    """Runs on a node, in Ray's worker."""

    def probe(self, *words: Any) -> Any:
        return probe_here(*words)
