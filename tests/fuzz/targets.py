"""What is tried: each target makes an input of a Random, and holds that it costs one sentence at most.

A target's `run` raises AssertionError for what must never be: a reader, a mechanism, a rule or a check that broke, an
answer that is no JSON, a planted secret in a redacted snapshot. Any other exception but BadInput is a fault as well.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn

from invented import not_in_saved, not_in_text
from mutations import mutated, mutated_json
from seeds import AT, ROOT, registry, snapshots, texts, yaml_files

from accel.apps.privacy.redact import redacted
from accel.apps.render.diagnosis_text import diagnosis_view
from accel.apps.render.json import devices_json, diagnosis_json
from accel.apps.render.page import lines_of
from accel.apps.render.report.build import report
from accel.apps.render.report.given import Given
from accel.apps.render.report.html import html
from accel.apps.render.report.markdown import markdown
from accel.collect.text import decode_bytes, read_texts
from accel.diagnose.engine import diagnose
from accel.model.codec import decode_snapshot, encode_snapshot, is_snapshot
from accel.model.diagnosis import Diagnosis
from accel.model.errors import BadInput
from accel.model.observation import Complaint
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.specs.store import parse

_HIDDEN: Final = re.compile("«([^«»\n]+)»")
_BROKEN: Final = (" broke: ", "the reader broke")


@dataclass(frozen=True, slots=True)
class Target:
    """share: how many of a campaign's inputs are for it, in proportion to the others."""

    make: Callable[[Random], str]
    run: Callable[[str], None]
    share: int


def _report(text: str) -> None:
    """Read and judge a pasted text, and print what was found."""
    try:
        shown = decode_bytes("report", text.encode("utf-8", "surrogatepass"))
        snapshot = read_texts([("report", shown)], registry())
    except BadInput:
        return
    _answered(snapshot, _judged(snapshot))
    _no_device_invented(snapshot, not_in_text(snapshot.reports, shown, registry()))


def _snapshot(text: str) -> None:
    """Read and judge a saved snapshot; write it again, and read that."""
    try:
        snapshot = read_texts([("saved", text)], registry())
    except BadInput:
        return
    _answered(snapshot, _judged(snapshot))
    invented = (
        not_in_saved(snapshot.reports, text) if is_snapshot(text) else not_in_text(snapshot.reports, text, registry())
    )
    _no_device_invented(snapshot, invented)
    again = encode_snapshot(snapshot)
    decode_snapshot(again, {}, "again")


def _yaml(text: str) -> None:
    """Validate and use a folder of YAML of which one file was changed."""
    place, _, content = text.partition("\n")
    relative = place.removeprefix(AT).strip()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, relative)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        strange = Registry({"ACCEL_PLUGINS": folder}, [])
        assert isinstance(strange.specs.problems, tuple)
        snapshot = read_texts([("report", _ANY_REPORT)], strange)
        _judged(snapshot, strange)


_ANY_REPORT: Final = "RuntimeError: Found no NVIDIA driver on your system.\n$ python -V\nPython 3.11.4\n"


def _redact(text: str) -> None:
    """Redact a text in which a secret was planted, on a line of its own."""
    shown = _HIDDEN.sub(lambda found: found[1], text)
    hidden = _HIDDEN.findall(text)
    snapshot = redacted(Snapshot(observations=(Complaint(text=shown, form="words"),)))
    told = snapshot.observations[0].text
    left = [one for one in hidden if one in told]
    assert left == [], f"still there: {left}"


def _render(text: str) -> None:
    """Write the report's documents on a text."""
    try:
        snapshot = read_texts([("report", text)], registry())
    except BadInput:
        return
    given = Given(
        facts=_facts(snapshot),
        diagnosis=_judged(snapshot),
        specs=registry().specs,
        day="2026-01-01",
        destination=None,
        identifiers=False,
        written_at="2026-01-01T00:00:00Z",
        accel_version="0",
    )
    document = report(given)
    for written in (html(document), markdown(document)):
        shown = _UNSEEN.search(written)
        assert shown is None, f"{shown!r}"
    assert "<script" not in html(document)


_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _facts(snapshot: Snapshot) -> Any:
    from accel.facts.questions import Facts

    return Facts(snapshot)


def _judged(snapshot: Snapshot, using: Registry | None = None) -> Diagnosis:
    using = using or registry()
    diagnosis = diagnose(snapshot, using.specs, using.checks, using.rules)
    broke = [f"{gap.fact}: {gap.reason}" for gap in diagnosis.gaps if any(words in gap.reason for words in _BROKEN)]
    own = [reason for reason in broke if reason not in {f"{gap.fact}: {gap.reason}" for gap in _of_file(snapshot)}]
    assert own == [], own[:3]
    return diagnosis


def _of_file(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.gaps if snapshot.taken_at else ()


def _answered(snapshot: Snapshot, diagnosis: Diagnosis) -> None:
    devices = [device for one in snapshot.reports for device in one.devices]
    for answer in (diagnosis_json(diagnosis), devices_json(devices, diagnosis.gaps)):
        json.loads(answer, parse_constant=_no_number)
    for paragraph in diagnosis_view(diagnosis, snapshot, verbose=False):
        for line in lines_of(paragraph, 100):
            assert isinstance(line, str)


def _no_device_invented(snapshot: Snapshot, invented: list[str]) -> None:
    assert invented == [], f"invented device: {invented[:3]}"
    told = Counter(device.backend for report in snapshot.reports for device in report.devices)
    merged = Counter(device.backend for device in _facts(snapshot).devices)
    assert merged <= told, f"more devices than were told: {merged - told}"


def _no_number(word: str) -> NoReturn:
    raise AssertionError(f"{word} in JSON")


@cache
def _planted() -> tuple[str, ...]:
    told = parse(str(ROOT / "tests" / "planted.yaml"))
    return (*told["secrets"], *told["identifiers"])


def _with_secret(random: Random) -> str:
    lines = mutated(texts(), random).splitlines()
    lines.insert(random.randrange(len(lines) + 1), random.choice(_planted()))
    return "\n".join(lines)


def _changed_file(random: Random) -> str:
    place, _, content = random.choice(yaml_files()).partition("\n")
    return f"{place}\n{mutated((content,), random)}"


TARGETS: Final = {
    "report": Target(lambda random: mutated(texts(), random), _report, 80),
    "snapshot": Target(lambda random: mutated_json(snapshots(), random), _snapshot, 60),
    "redact": Target(_with_secret, _redact, 60),
    "render": Target(lambda random: mutated(texts(), random), _render, 8),
    "yaml": Target(_changed_file, _yaml, 2),
}
