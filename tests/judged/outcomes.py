"""Which of the four outcomes of each check are proven: by its own cases, and by situations made of what it needs.

    found            a case that states `finds`
    clear            a case that states `clear`; or a situation in which all that it needs is known
    undecided        a case; or a situation that lacks one thing that the check `needs`
    not applicable   a case; or a situation without what it is about

A situation is no more than a snapshot and how every check that has a need of its kind must end there: see SITUATIONS
and `without`. All are run through the engine, and nothing counts that did not come out so.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final

from check_cases import faults, snapshot_of
from every_case import Case

from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.vendors.contract.check import Check

OUTCOMES: Final = ("found", "clear", "undecided", "not applicable")
UNREAD: Final = "readings"  # the fact of a gap by which a backend says that a device answered nothing
_OF_CASES: Final = {
    "finds": "found",
    "clear": "clear",
    "undecided": "undecided",
    "not_applicable": "not applicable",
}
# A need, or its beginning -> situations as cases are, each with the outcome of every check that has this need alone.
SITUATIONS: Final[Mapping[str, Iterable[Mapping[str, Any]]]] = {
    "run.program": (
        {"text": "Process finished with exit code 0\n", "ends": "clear"},
        {"text": "exitcode  : 1 (pid: 4211)\n", "ends": "undecided"},
    ),
    "run.installation": (
        {"text": "Successfully installed torch-2.4.0\n", "ends": "clear"},
        {"text": "error: metadata-generation-failed\n", "ends": "undecided"},
    ),
    "run.build": (
        {"text": "[100%] Built target llama-server\n", "ends": "clear"},
        {"text": "ninja: build stopped: subcommand failed.\n", "ends": "undecided"},
    ),
    "source.kernel log": (
        {"live": True, "host": {"system": "linux"}, "ends": "clear"},
        {
            "live": True,
            "host": {"system": "linux"},
            "gaps": [{"fact": "kernel log", "reason": "/dev/kmsg: Operation not permitted", "source": "kernel log"}],
            "ends": "undecided",
        },
    ),
    "use.": (
        {"frameworks": [{"name": "{name}", "version": "2.4.0", "available": True}], "ends": "clear"},
        {"frameworks": [{"name": "{name}", "version": "2.4.0", "available": False}], "ends": "undecided"},
    ),
}


def proven(checks: Iterable[Check], cases: Iterable[Case], registry: Registry) -> dict[str, set[str]]:
    """Return the outcomes that each check was seen to come to, by its name."""
    checks = tuple(checks)
    found: dict[str, set[str]] = {check.name: set() for check in checks}
    for case in cases:
        stated = next((_OF_CASES[end] for end in _OF_CASES if end in case.given), None)
        proves = case.check in found and stated is not None and stated not in found[case.check]
        if proves and not faults(case.check, case.given, registry, case.diagnosis):
            found[case.check].add(stated)
    for outcome, snapshot, concerned in situations(checks, registry):
        diagnosis = diagnose(snapshot, registry.specs, registry.checks, registry.rules)
        for check in concerned:
            if ended(check.name, diagnosis) == outcome:
                found[check.name].add(outcome)
    return found


def situations(checks: Iterable[Check], registry: Registry) -> Iterator[tuple[str, Snapshot, tuple[Check, ...]]]:
    """Yield an outcome, a snapshot, and the checks that must come to it there."""
    checks = tuple(checks)
    yield "not applicable", snapshot_of({"text": "Hello.\n"}, registry), tuple(c for c in checks if c.needs or c.reads)
    by_need: dict[str, list[Check]] = {}
    for check in checks:
        for need in check.needs:
            by_need.setdefault(need, []).append(check)
    given: list[tuple[str, dict[str, Any], Check]] = []
    for need, concerned in by_need.items():
        for start, cases in SITUATIONS.items():
            if need.startswith(start):
                name = need.partition(".")[2].split("|")[0]
                for check, case in product(concerned, cases):
                    given.append((case["ends"], {**_filled(case, name), **_subjects(check)}, check))
    for check in checks:
        lacking: dict[str, Any] = {}
        for need in check.needs:
            for key, value in (without(need) or {}).items():
                lacking[key] = {**lacking.get(key, {}), **value} if isinstance(value, dict) else value
        if lacking:
            given.append(("undecided", lacking, check))
    alike: dict[str, list[tuple[str, dict[str, Any], Check]]] = {}
    for one in given:
        alike.setdefault(f"{one[:2]}", []).append(one)
    for several in alike.values():
        ends, machine, _ = several[0]
        yield ends, snapshot_of(machine, registry), tuple(check for _, _, check in several)


def without(need: str) -> dict[str, Any] | None:
    """Return a machine that has what a need is about, and of which the needed fact is not known; None if none can be.

    >>> without("package.torch|jax")
    {'packages': {'torch': ''}}
    """
    subject, _, rest = need.partition(".")
    if subject == "package":
        return {"packages": {rest.split("|")[0]: ""}}
    if subject == "framework":
        return {"frameworks": [{"name": rest.partition(".")[0].split("|")[0]}]}
    if subject == "wiring":
        parts = {"ports": [{"card": "mlx5_0", "port": 1}], "functions": [{"address": "0000:3b:00.0", "role": "port"}]}
        return {"wiring": parts}
    if subject in ("environment", "host"):
        return {"text": "Hello.\n"}
    kind, _, field = rest.partition(".")
    if kind == "driver" or (kind == "devices" and field):
        return {"devices": [{"backend": subject, "index": 0}]}
    if kind == "devices":
        unread = {"fact": UNREAD, "reason": "it did not answer in time", "backend": subject, "device": f"{subject}:0"}
        return {"devices": [{"backend": subject, "index": 0}], "gaps": [unread]}
    return None


def _subjects(check: Check) -> dict[str, Any]:
    """Return the devices that a check is about, as a case gives them; {} if it is about none."""
    subjects = [need.partition(".") for need in check.needs]
    backends = [one[0] for one in subjects if one[2] == "devices"] + [
        "acme" for one in subjects if one[0] == "accelerators"
    ]
    return {"devices": [{"backend": name, "index": 0} for name in backends]} if backends else {}


def ended(name: str, diagnosis: Diagnosis) -> str:
    """Return the outcome of a check, one of OUTCOMES."""
    if any(finding.name == name for finding in diagnosis.findings):
        return "found"
    if any(one.name == name for one in diagnosis.undecided):
        return "undecided"
    return "clear" if any(one.name == name for one in diagnosis.clear) else "not applicable"


def _filled(case: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a situation as a case, with the need's name in it."""
    told = {key: value for key, value in case.items() if key != "ends"}
    if "frameworks" in told:
        told["frameworks"] = [{**one, "name": name} for one in told["frameworks"]]
    return told
