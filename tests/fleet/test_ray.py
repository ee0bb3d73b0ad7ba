"""A round by Ray: what is made of its lists and errors; with ACCEL_RAY=1, on six raylets of this machine."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from made_nodes import node

from accel.fleet import NodeAnswer, diagnose, merging
from accel.fleet.carriers import ray as carrier
from accel.fleet.node import node_line
from accel.model.errors import BadInput

LINE = node_line(node("whoever", "nvidia:3 is ill"))
real = pytest.mark.skipif(os.environ.get("ACCEL_RAY") != "1", reason="starts a Ray cluster: set ACCEL_RAY=1")


def listed(name: str, host: str, alive: bool = True) -> dict[str, Any]:
    return {"NodeID": name * 12, "NodeManagerHostname": host, "NodeManagerAddress": f"10.0.0.{name}", "Alive": alive}


@pytest.mark.parametrize(
    ("nodes", "expected", "rows"),
    [
        ([listed("1", "a"), listed("2", "b")], [], []),
        ([listed("1", "a")], ["a", "b"], [("b", "unreachable")]),
        ([listed("1", "a"), listed("2", "b", False)], [], [("b", "dead")]),
        ([listed("1", "a"), listed("2", "b", False)], ["b"], [("b", "dead")]),
        ([listed("1", "a"), listed("2", "a", False)], [], []),  # it was started again
        ([listed("1", "a"), listed("2", "a", False)], ["a-22222222"], [("a-22222222", "dead")]),
        ([listed("1", "a")], ["10.0.0.1"], []),
    ],
)
def test_nodes_that_are_not_there_have_their_row(
    nodes: list[dict[str, Any]], expected: list[str], rows: list[tuple[str, str]]
) -> None:
    names = carrier._names([one for one in nodes if one["Alive"]])
    assert [(row.node, row.state) for row in carrier._missing(nodes, names, expected)] == rows


def test_nodes_of_one_name_are_told_apart_by_their_ids() -> None:
    names = carrier._names([listed("1", "a"), listed("2", "a"), listed("3", "b")])
    assert list(names.values()) == ["a-11111111", "a-22222222", "b"]


class StandIn(ModuleType):
    """As much of the module ray as one task's answer needs."""

    def __init__(self, answer: Any) -> None:
        super().__init__("ray")
        self.answer = answer

    def get(self, task: object, timeout: float) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def error(name: str, *bases: type, said: str = "") -> Exception:
    made: type[Exception] = type(name, bases or (Exception,), {})
    return made(said)


@pytest.mark.parametrize(
    ("answer", "state", "why"),
    [
        ((LINE, "", 1, {}, None), "ill", None),
        (("", "", None, {}, 25.0), "no_answer", "its probe did not end within 25 s, and was ended"),
        (("", "no accel", 127, {}, None), "tool_failed", "accel is not installed there: no accel"),
        (error("NodeDiedError"), "dead", "Ray lost it during the round"),
        (error("TaskUnschedulableError"), "dead", "Ray lost it during the round"),
        (error("RuntimeEnvSetupError", said="no such wheel\nmore"), "tool_failed", "no such wheel"),
        (error("WorkerCrashedError", said="\x1b[2Jgone"), "tool_failed", "WorkerCrashedError: \ufffd[2Jgone"),
    ],
)
def test_what_became_of_a_task(answer: Any, state: str, why: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    exceptions = ModuleType("ray.exceptions")
    exceptions.GetTimeoutError = type("GetTimeoutError", (Exception,), {})  # type: ignore[attr-defined]
    ray = StandIn(answer)
    ray.exceptions = exceptions  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.exceptions", exceptions)
    row = carrier._answer(ray, "task", "gpu1", 1.0)
    assert (row.node, row.state) == ("gpu1", state)
    assert row.why is None if why is None else why in (row.why or "")


def test_a_mask_of_the_worker_is_told_and_the_probe_does_not_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    shown = (sys.executable, "-c", "import os; print(os.environ.get('CUDA_VISIBLE_DEVICES'))")
    out, _, code, masks, ended = carrier.probe_here(shown, 5, 30, ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"))
    assert (out.strip(), code, masks, ended) == ("None", 0, {"CUDA_VISIBLE_DEVICES": "0,1"}, None)
    monkeypatch.setattr(StandIn, "get", lambda *_, **__: (LINE, "", 1, masks, None))
    monkeypatch.setitem(sys.modules, "ray", StandIn(None))
    monkeypatch.setitem(sys.modules, "ray.exceptions", ModuleType("ray.exceptions"))
    monkeypatch.setattr(sys.modules["ray"], "exceptions", sys.modules["ray.exceptions"], raising=False)
    told = carrier._answer(sys.modules["ray"], "task", "gpu1", 1.0).versions
    assert told == {"CUDA_VISIBLE_DEVICES of Ray's worker": "0,1"}


def test_a_probe_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    hang = ("/bin/sh", "-c", f"sleep 600 & echo $! $$ > {tmp_path}/pids; wait")
    *_, ended = carrier.probe_here(hang, 5, 0.5, ())
    assert ended == 0.5
    pids = (tmp_path / "pids").read_text().split()
    for _ in range(500):
        if not any(_runs(pid) for pid in pids):
            break
        time.sleep(0.02)
    assert [pid for pid in pids if _runs(pid)] == []


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_without_ray_the_command_to_install_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match="pip install"):
        diagnose(ray_address="auto")


@pytest.mark.parametrize("named", [{}, {"hosts": ["a"], "ray_address": "auto"}, {"hosts": ["a"], "probe_seconds": 0}])
def test_a_round_that_cannot_be_begun_is_refused(named: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        diagnose(**named)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.others = [made.add_node(num_cpus=1) for _ in range(5)]
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def asked(
    cluster: Any, code: str, deadline: float = 60, expected: tuple[str, ...] = (), **more: Any
) -> list[NodeAnswer]:
    made = carrier.Ray(address=cluster.address, command=(sys.executable, "-c", code), **more)
    return list(made.answers(expected, deadline))


FINE = f"print({LINE!r})"


def _held() -> None:
    time.sleep(120)


class Task:
    """As much of a remote function as pinning needs; known: the options of its Ray."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def options(self, **asked: Any) -> dict[str, Any]:
        if not {*asked} <= {"num_cpus", "max_retries", "name", *self.known}:
            raise ValueError("Invalid option keyword")
        return asked


@pytest.mark.parametrize(
    ("task", "labels", "pinned"),
    [
        (Task("label_selector", "scheduling_strategy"), {"ray.io/node-id": "1" * 12}, "label_selector"),
        (Task("scheduling_strategy"), {"ray.io/node-id": "1" * 12}, "scheduling_strategy"),  # Ray 2.10
        (Task("label_selector", "scheduling_strategy"), {}, "scheduling_strategy"),
    ],
)
def test_a_task_is_pinned_by_its_label_where_ray_has_labels(
    task: Task, labels: dict[str, str], pinned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategies = ModuleType("ray.util.scheduling_strategies")
    strategies.NodeAffinitySchedulingStrategy = lambda node_id, soft: (node_id, soft)  # type: ignore[attr-defined]
    for name in ("ray", "ray.util"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", strategies)
    made: Any = carrier.pinned(task, {**listed("1", "a"), "Labels": labels}, max_retries=0)
    assert made[pinned] in ({"ray.io/node-id": "1" * 12}, ("1" * 12, False))
    assert (made["num_cpus"], made["max_retries"]) == (0, 0)


@real
def test_ray_every_raylet_answers_once(cluster: Any) -> None:
    rows = asked(cluster, FINE)
    assert [row.state for row in rows] == ["ill"] * 6
    assert len({row.node for row in rows}) == 6


@real
def test_ray_answers_while_every_slot_is_taken(cluster: Any) -> None:
    import ray

    held = [ray.remote(num_cpus=1)(_held).remote() for _ in range(6)]
    assert [row.state for row in asked(cluster, FINE)] == ["ill"] * 6
    for one in held:
        ray.cancel(one, force=True)


@real
def test_ray_a_probe_that_hangs_and_one_that_is_missing(cluster: Any) -> None:
    hang = "import time; time.sleep(600)"
    assert {row.state for row in asked(cluster, hang, 3)} == {"no_answer"}
    (why,) = {row.why for row in carrier.Ray(command=("/nowhere/accel",)).answers((), 60)}
    assert why == "accel is not installed there: /nowhere/accel: No such file or directory"


@real
def test_ray_a_node_with_another_accel_is_named(cluster: Any, tmp_path: Path) -> None:
    lines = [node_line(node("x", accel="0.2.0", versions={"accel": "0.2.0"})).replace("node/1", "node/2")]
    lines += [node_line(node("x", accel=one, versions={"accel": one})) for one in ("0.0.9", *["0.1.0"] * 4)]
    for number, line in enumerate(lines):
        (tmp_path / str(number)).write_text(line)
    code = f"""import os
for name in sorted(os.listdir({str(tmp_path)!r})):
    try:
        os.rename({str(tmp_path)!r} + "/" + name, {str(tmp_path)!r} + "/taken-" + name)
        print(open({str(tmp_path)!r} + "/taken-" + name).read())
        break
    except OSError:
        pass"""
    rows = asked(cluster, code)
    newer = next(row for row in rows if row.state == "tool_failed")
    assert "was written by a newer accel" in (newer.why or "")
    (drift,) = (one for one in merging.merge(rows).drift if one.what == "accel")
    assert drift.majority == "0.1.0"
    assert list(drift.minority) == ["0.0.9"]


@real
def test_ray_whole_snapshots_come_a_few_at_a_time(cluster: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(carrier, "_SHARD", 4)
    accel = tmp_path / "accel"
    accel.write_text('#!/bin/sh\n[ "$1" = snapshot ] && echo \'{"schema": "x"}\'\n')
    accel.chmod(0o700)
    made = carrier.Ray(address=cluster.address, command=(str(accel), "fleet", "probe"))
    found = list(made.snapshots(60))
    assert [(text, why) for _, text, why in found] == [('{"schema": "x"}\n', "")] * 6
    accel.write_text("#!/bin/sh\necho 'no such command' >&2; exit 2\n")
    assert {(text, why) for _, text, why in made.snapshots(60)} == {(None, "no such command")}


@real
def test_ray_a_raylet_that_is_killed_is_dead_and_the_others_answer(cluster: Any) -> None:
    import threading

    before = {row.node for row in asked(cluster, FINE)}
    threading.Timer(1.0, lambda: cluster.remove_node(cluster.others.pop(), allow_graceful=False)).start()
    during = asked(cluster, f"import time; time.sleep(4); {FINE}")
    assert sorted(row.state for row in during) == ["dead", *["ill"] * 5]
    lost = next(row.node for row in during if row.state == "dead")
    cluster.remove_node(cluster.others.pop(), allow_graceful=False)
    soon = asked(cluster, FINE, 4)  # Ray does not know yet
    assert sorted(row.state for row in soon if row.node != lost)[-1] == "no_answer"
    for _ in range(60):
        after = {row.node: row.state for row in asked(cluster, FINE, 30, (*before, "never"))}
        if list(after.values()).count("dead") == 2:
            break
    assert after[lost] == "dead"
    assert after["never"] == "unreachable"
    assert sorted(after.values()) == ["dead", "dead", *["ill"] * 4, "unreachable"]


def named_actors(ray: Any) -> set[str]:
    return {name for name in ray.util.list_named_actors() if name.startswith("accel fleet watch")}


@real
def test_ray_actors_stay_between_rounds_and_are_gone_at_the_end(cluster: Any) -> None:
    import ray

    from accel.fleet.carriers.ray_actors import RayActors

    how = carrier.Ray(address=cluster.address, command=(sys.executable, "-c", FINE))
    with RayActors(how) as nodes:
        alive = sum(one["Alive"] for one in ray.nodes())
        assert [row.state for row in nodes.answers((), 60) if row.state != "dead"] == ["ill"] * alive
        first = named_actors(ray)
        assert [row.state for row in nodes.answers((), 60) if row.state != "dead"] == ["ill"] * alive
        assert len(first) == alive
        assert named_actors(ray) == first
    for _ in range(100):
        if not named_actors(ray):
            break
        time.sleep(0.1)
    assert named_actors(ray) == set()


@real
def test_ray_an_actor_that_hangs_is_replaced_and_a_killed_raylet_vanishes_and_returns(
    cluster: Any, tmp_path: Path
) -> None:
    import ray

    from accel.fleet.carriers.ray_actors import RayActors
    from accel.fleet.changes import Seen, advanced

    flag = tmp_path / "hang"
    code = f"import os, time\nif os.path.exists({str(flag)!r}): time.sleep(600)\n{FINE}"
    with RayActors(carrier.Ray(address=cluster.address, command=(sys.executable, "-c", code))) as nodes:
        before = {row.node: row for row in nodes.answers((), 60)}
        flag.touch()
        assert {row.state for row in nodes.answers((), 2) if row.state != "dead"} == {"no_answer"}
        flag.unlink()
        again = {row.node: row for row in nodes.answers((), 60)}
        assert {name: row.state for name, row in again.items()} == {name: row.state for name, row in before.items()}
        seen: dict[str, Seen] = {}
        seen, _ = advanced(seen, again.values(), 0.0, first=True)
        cluster.remove_node(cluster.others.pop(), allow_graceful=False)
        kinds: list[str] = []
        for number in range(1, 60):
            seen, changes = advanced(seen, nodes.answers(tuple(again), 4), float(number))
            kinds += [change.kind for change in changes]
            if "vanished" in kinds and any(row.answer and row.answer.state == "dead" for row in seen.values()):
                break
        assert "vanished" in kinds
        cluster.others.append(cluster.add_node(num_cpus=1))
        cluster.wait_for_nodes()
        seen, changes = advanced(seen, nodes.answers(tuple(again), 60), 100.0)
        assert "joined" in [change.kind for change in changes]  # on one machine its name has another id
    assert len([one for one in ray.nodes() if one["Alive"]]) >= 2
