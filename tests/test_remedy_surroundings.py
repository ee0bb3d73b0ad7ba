"""Whatever is found, and wherever: the first remedy is one that its reader can do there.

One found case of every check is judged again as if its text came from a cluster's job, a notebook, or a container that
was started out of an image; what is then advised keeps to that place. Managers of projects share the cases among them,
and so do providers of machines: what is theirs alone is a row of a table.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from typing import Any

import pytest
from every_case import Case, every_case, registry

from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.observation import Command, Experiment, Noted, Observation
from accel.model.snapshot import Snapshot
from accel.remedies.actions import Inspect, actions_of
from accel.remedies.environment import Environment
from accel.remedies.planner import plan
from accel.vendors.contract.check import Check, Problem

_SUDO = re.compile(r"(?:^|[\s;&|(])sudo\s")
_BARE_INSTALL = re.compile(r"^(?:sudo )?(?:(?:uv )?pip|conda|apt|apt-get) (?:install|uninstall)\b")
_JOB = Command(text="sbatch train.sh", tool="sbatch", operands=("train.sh",), grade="printed")
_PROJECTS = tuple(
    Command(text=f"{name} lock", tool=name, verb="lock", grade="printed") for name in ("uv", "poetry", "pixi")
)
_PROVIDERS = ("runpod", "aks")
_CUT_OFF = Noted(fact="no-way-out-said", text="the nodes have no internet access")
_ON_HOST = re.compile(r"\b(?:modprobe|reboot|nvidia-driver|ubuntu-drivers|systemctl|docker|dkms|gpu-reset)\b")
_CELL = Command(text="!pip list", tool="pip", verb="list", grade="printed")
_START = Command(
    text="docker run --gpus all app:1", tool="docker", verb="run", options=("--gpus=all",), operands=("app:1",)
)


@cache
def one_of_each() -> tuple[Case, ...]:
    """Return one case of each check in which a report's text tells of a fault."""
    first: dict[str, Case] = {}
    for case in every_case():
        whole = not case.snapshot.parts  # each part of a text is judged by its own lines, without what is added here
        if "finds" in case.given and case.text_alone and whole and case.check not in first:
            first[case.check] = case
    return tuple(first.values())


def beside(snapshot: Snapshot, *seen: Observation) -> Snapshot:
    return replace(snapshot, observations=(*snapshot.observations, *seen))


def judged(snapshot: Snapshot) -> Diagnosis:
    known = registry()
    return diagnose(snapshot, known.specs, known.checks, known.rules)


def facts_of(snapshot: Snapshot) -> Facts:
    return Facts(snapshot, infer(snapshot, registry().specs, registry().rules)[0])


def _environment(snapshot: Snapshot) -> Environment:
    return Environment(facts=facts_of(snapshot), specs=registry().specs)


def _problem(finding: Finding) -> Problem:
    return Problem(title=finding.title, evidence=finding.evidence, remedies=finding.remedies)


def _check(finding: Finding) -> Check:
    return Check(code=finding.code, name=finding.name, layer="driver", run=lambda facts, specs: ())


def test_a_first_remedy_looks_only_where_no_other_can_lead() -> None:
    wrong = {}
    for case in every_case():
        for finding in case.diagnosis.findings:
            if len(finding.remedies) < 2 or finding.remedies[0].kind != "look":
                continue
            again = plan(_problem(finding), _check(finding), facts_of(case.snapshot), registry().specs)
            if again.remedies and again.remedies[0].kind != "look":
                wrong[case.check, case.name] = finding.remedies[0].text
    assert wrong == {}


def test_a_job_on_a_cluster_gets_no_step_of_roots() -> None:
    wrong, asked = {}, 0
    for case in one_of_each():
        snapshot = beside(case.snapshot, _JOB)
        if _environment(snapshot).root is not False:
            continue  # the writer was root in the text
        for finding in judged(snapshot).findings:
            for remedy in finding.remedies:
                asked += remedy.request is not None
                if remedy.command is not None and _SUDO.search(remedy.command):
                    wrong[case.check, finding.code] = remedy.command
                if "administrators of this cluster do it" in remedy.text and remedy.request is None:
                    wrong[case.check, finding.code] = remedy.text
    assert wrong == {}
    assert asked > 50


@pytest.mark.parametrize("manager", _PROJECTS, ids=lambda one: one.tool)
def test_a_project_is_given_what_its_manager_writes_down(manager: Command) -> None:
    wrong, written_down = {}, 0
    for case in one_of_each()[_PROJECTS.index(manager) :: len(_PROJECTS)]:
        for finding in judged(beside(case.snapshot, manager)).findings:
            for remedy in finding.remedies:
                command = remedy.command or ""
                written_down += command.startswith((f"{manager.tool} add", f"{manager.tool} remove"))
                if re.match(r"pip3? (?:install|uninstall)\b", command):
                    wrong[case.check, finding.code] = command
    assert wrong == {}
    assert written_down > 8


def test_a_machine_without_a_way_out_is_sent_to_no_index() -> None:
    wrong, fetched = {}, 0
    for case in one_of_each():
        for finding in judged(beside(case.snapshot, _CUT_OFF)).findings:
            for remedy in finding.remedies:
                installs = re.search(r"\bpip3? install\b", remedy.command or "")
                fetched += "--no-index" in (remedy.command or "")
                if installs and "--no-index" not in (remedy.command or "") and "no index" not in remedy.text:
                    wrong[case.check, finding.code] = remedy.command
    assert wrong == {}
    assert fetched > 20


@pytest.mark.parametrize("provider", _PROVIDERS)
def test_what_only_the_provider_can_do_is_asked_of_it(provider: str) -> None:
    rented = Noted(fact="machine-rented", text="a rented machine", values=(("provider", provider),))
    row = _environment(beside(one_of_each()[0].snapshot, rented)).provider
    assert row is not None
    wrong, asked = {}, 0
    for case in one_of_each()[_PROVIDERS.index(provider) :: len(_PROVIDERS)]:
        for finding in judged(beside(case.snapshot, rented)).findings:
            for remedy in finding.remedies:
                asked += remedy.kind == "ask" and (remedy.request or "").startswith(f"To: {row['to']}")
                command = remedy.command or ""
                of_host = remedy.action == "admin" and not command.startswith("kubectl") and _ON_HOST.search(command)
                if remedy.kind == "mend" and row["is"] == "container" and of_host:
                    wrong[case.check, finding.code] = remedy.command
            first = finding.remedies[0] if finding.remedies else None
            if first is not None and first.action in ("reset", "reboot", "service"):
                wrong[case.check, finding.code] = first.text
    assert wrong == {}
    assert asked > 10


def test_a_notebook_is_given_cells() -> None:
    wrong, cells = {}, 0
    for case in one_of_each():
        for finding in judged(beside(case.snapshot, _CELL)).findings:
            for remedy in finding.remedies:
                command = remedy.command or ""
                cells += command.startswith(("%", "!", "import os"))
                if _BARE_INSTALL.match(command) and not re.search(r"&& (?:export|rm|cd|\w+=|source)|sudo", command):
                    wrong[case.check, finding.code] = command
    assert wrong == {}
    assert cells > 50


def test_an_image_is_given_lines_of_its_dockerfile() -> None:
    wrong, lines = {}, 0
    for case in one_of_each():
        host = replace(case.snapshot.host, containerized=True, container="docker")
        snapshot = beside(replace(case.snapshot, host=host), _START)
        for finding in judged(snapshot).findings:
            for remedy in finding.remedies:
                command = remedy.command or ""
                lines += command.startswith("RUN ")
                outside = re.search(r"\b(?:host|node|cluster)\b", remedy.text, re.IGNORECASE)
                kernel = re.search(r"modprobe|dkms|linux-headers", command)
                for_this_shell = "export " in command  # what is set there is gone in the next line of a Dockerfile
                installs = re.match(r"(?:sudo )?(?:apt|apt-get) install\b", command) and not for_this_shell
                if installs and not outside and not kernel:
                    wrong[case.check, finding.code] = command
    assert wrong == {}
    assert lines > 30


@pytest.mark.parametrize("share", range(2))
def test_what_was_tried_in_vain_is_not_first(share: int) -> None:
    wrong, tried = {}, 0
    for case in one_of_each()[share::2]:
        for finding in case.diagnosis.findings[:1]:
            first = finding.remedies[0] if finding.remedies else None
            if first is None or first.command is None or not first.command.startswith("export ") or finding.cured:
                continue
            vain = Experiment(text="tried in vain", relation="with", condition=first.command, outcome="fails")
            again = judged(beside(case.snapshot, vain)).findings
            same = next((f for f in again if f.code == finding.code), None)
            tried += 1
            if same is not None and len(finding.remedies) > 1 and same.remedies[0].command == first.command:
                wrong[case.check, finding.code] = first.command
    assert wrong == {}
    assert tried > 5


@pytest.mark.parametrize("share", range(2))
def test_what_was_told_to_be_done_is_not_first_again(share: int) -> None:
    wrong, told = {}, 0
    for act in (registry().specs.table("language/done_acts") or {})["acts"][share::2]:
        fitting = (case for case in one_of_each() if _does(case, act))
        for case in islice(fitting, 2):
            finding = case.diagnosis.findings[0]
            says = f"done already: {finding.remedies[0].command}"  # some acts count only for what the sentence names
            vain = Experiment(text=says, condition=f"act {act['act']}", outcome="fails")
            again = judged(beside(case.snapshot, vain)).findings
            same = next((f for f in again if f.code == finding.code), None)
            told += 1
            if same is None or same.remedies[0].command == finding.remedies[0].command:
                wrong[act["act"], case.check] = finding.remedies[0].command
    assert wrong == {}
    assert told > 10


def _does(case: Case, act: Mapping[str, Any]) -> bool:
    """Return whether the first remedy of a case is one step of an act, besides those that only show something."""
    remedies = case.diagnosis.findings[0].remedies if case.diagnosis.findings else ()
    if "bound" in act or not remedies or remedies[0].kind != "mend":
        return False
    steps = [one for one in actions_of(remedies[0].command, registry().specs) if not isinstance(one, Inspect)]
    line = " ".join(token.value or token.raw for one in steps for token in one.step.words).removeprefix("sudo ")
    return len(steps) == 1 and any(fnmatchcase(line, form) for form in act.get("steps", ()))
