"""A node's answer from `accel doctor --json`: its findings; it has neither versions nor all readings."""

from collections.abc import Mapping
from typing import Any, Final

from accel.fleet.fingerprint import fingerprint
from accel.fleet.model import NodeAnswer, NodeDevice, NodeFinding
from accel.model.errors import BadInput
from accel.model.printable import printable

_ILL: Final = frozenset(("error", "warning"))


def answer_of_diagnosis(document: Mapping[str, Any], name: str, node: str) -> NodeAnswer:
    """Return the answer; raises BadInput if the document is not a diagnosis."""
    if not str(document.get("schema", "")).startswith("accel.diagnosis/"):
        raise BadInput(f"{name}: is neither a snapshot nor a diagnosis nor a line of accel fleet probe.")
    if document["schema"] != "accel.diagnosis/1":
        raise BadInput(f"{name}: was written by a newer accel. Update this one to read it.")
    try:
        findings = tuple(_finding(one, node) for one in document.get("findings") or ())
        devices = tuple(
            NodeDevice(id=str(one["id"]), name=one.get("name"))
            for one in document.get("devices") or ()
            if one.get("kind") != "cpu"
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{name}: a finding or device is incomplete: {error}. Let the node write it again.") from None
    ill = any(finding.severity in _ILL for finding in findings)
    undecided = document.get("verdict") == "undecided"
    return NodeAnswer(
        node=node,
        state="ill" if ill else "partial" if undecided else "ok",
        why="its diagnosis is undecided" if undecided and not ill else None,
        findings=findings,
        devices=devices,
        source=name,
    )


def _finding(one: Mapping[str, Any], node: str) -> NodeFinding:
    title = printable(str(one["title"]))[:300]
    return NodeFinding(
        code=printable(str(one["code"]))[:20],
        name=printable(str(one.get("name") or ""))[:80],
        severity=str(one["severity"]),
        title=title,
        fingerprint=fingerprint(str(one["code"]), title, node),
        devices=tuple(str(device) for device in one.get("devices") or ()),
        is_cause=bool(one.get("is_cause", True)),
    )
