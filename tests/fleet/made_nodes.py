"""Answers of nodes that tests make up, and plans that run over such nodes."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from accel.fleet.fingerprint import fingerprint
from accel.fleet.halves import Group, Plan, Results, Suspects
from accel.fleet.model import NodeAnswer, NodeDevice, NodeFinding
from accel.fleet.node import node_line


def found(title: str, code: str = "NV006", severity: str = "error", node: str = "", **more: Any) -> NodeFinding:
    made = fingerprint(code, title, node)
    return NodeFinding(code=code, name="row-remap", severity=severity, title=title, fingerprint=made, **more)


def node(name: str, *titles: str | NodeFinding, devices: Sequence[NodeDevice] = (), **more: Any) -> NodeAnswer:
    findings = tuple(found(one, node=name) if isinstance(one, str) else one for one in titles)
    state = more.pop("state", "ill" if findings else "ok")
    return NodeAnswer(node=name, state=state, findings=findings, devices=tuple(devices), **more)


def device(number: int, load: str = "busy", /, **readings: float) -> NodeDevice:
    return NodeDevice(id=f"nvidia:{number}", name="NVIDIA H100", load=load, readings=readings)


def written(folder: Path, answers: Mapping[str, NodeAnswer]) -> Path:
    for file, answer in answers.items():
        (folder / file).write_text(node_line(answer), encoding="utf-8")
    return folder


def document(answer: NodeAnswer) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(node_line(answer))
    return made


def isolated(plan: Plan, test: Callable[[tuple[Group, ...]], Results]) -> Suspects:
    """Run a plan with a function that tests the groups of a round; return the suspects."""
    try:
        groups = next(plan)
        while True:
            groups = plan.send(test(groups))
    except StopIteration as done:
        found: Suspects = done.value
        return found
