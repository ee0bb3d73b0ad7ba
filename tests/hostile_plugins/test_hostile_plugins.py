"""Whatever a stranger's plugin does costs that plugin alone: one sentence names it, and accel's own answer is whole."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import warm_accel

from accel.specs.store import parse

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="a stranger's code runs apart only where processes fork"
)

ATTACKS: dict[str, dict[str, str]] = {
    name: attack
    for group in parse(str(Path(__file__).parent / "attacks.yaml")).values()
    for name, attack in group.items()
}
TEXT = """\
$ nvidia-smi
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver \
is installed and running.
$ pip list
torch 2.4.0+cu121
RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver
"""
PLUGIN = """\
import dataclasses, os, signal, sys, threading, time
{import_}
from accel.model.device import Device
from accel.model.observation import Fact
from accel.model.report import Report
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.contract.check import Problem, check
from accel.vendors.contract.hookspecs import hookimpl
from accel.vendors.contract.rule import rule

def read(text):
    yield from ()
{read}

@hookimpl
def accel_readers():
{hook}
    return [Reader(name="acme table", signs=(), read=read)]

@check(code="ZZ901", name="acme-odd", layer="hardware")
def acme_odd(facts, specs):
    yield from ()
{check}

{top}

@hookimpl
def accel_checks():
    return [acme_odd]

@rule(gives={{"acme-fact": "there is an acme"}})
def acme_rule(seen, specs):
    yield from ()
{rule}

@hookimpl
def accel_rules():
    return [acme_rule]
"""
CONSTANTS = {  # short deadlines; a busy machine needs its time to import a plugin
    "accel.plugins.guest.LOAD_SECONDS": 1.5,
    "accel.plugins.guest.CALL_SECONDS": 1.0,
    "accel.plugins.guard.MOST_MEMORY": 64 << 20,
}


def plugin_of(attack: dict[str, str]) -> str:
    places = {place: indented(attack.get(place, "pass")) for place in ("read", "hook", "check", "rule")}
    return PLUGIN.format(import_=attack.get("import", ""), top=attack.get("top", ""), **places)


def indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.splitlines())


def installed(folder: Path, source: str, name: str = "acme", distribution: str = "acme_tools-1.2") -> Path:
    (folder / f"accel_{name}.py").write_text(source, encoding="utf-8")
    metadata = folder / f"{distribution}.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(f"[accel.plugins]\n{name} = accel_{name}\n", encoding="utf-8")
    return folder


def accel(folder: Path, *words: str, text: str = TEXT) -> tuple[int, str, str]:
    """Run a command in a process of its own, with these plugins and short deadlines; return how it ended and said."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    child = warm_accel.Started("accel", words, environment, lean=True, constants=CONSTANTS)
    said, told = child.communicate(text, timeout=20.0)
    return child.wait(), said, told


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What accel answers without any plugin of a stranger's."""
    code, out, told = accel(tmp_path_factory.mktemp("alone"), "doctor", "--from", "-", "--json")
    assert code == 1, told
    answer: dict[str, Any] = json.loads(out)
    assert answer["findings"]
    return answer


def own(answer: dict[str, Any], key: str) -> list[Any]:
    """Return what of an answer is accel's own."""
    return [row for row in answer[key] if not str(row.get("code")).startswith("ZZ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_plugin_costs_itself_and_is_named(tmp_path: Path, alone: dict[str, Any], name: str) -> None:
    attack = ATTACKS[name]
    code, out, told = accel(installed(tmp_path, plugin_of(attack)), "doctor", "--from", "-", "--json")
    assert code == 1, told
    answer = json.loads(out)
    for key in ("findings", "clear", "undecided", "not_applicable", "devices"):
        assert own(answer, key) == own(alone, key)
    assert "BANNER" not in out
    assert "Traceback" not in told
    assert "\x1b" not in told
    reasons = [gap["reason"] for gap in answer["gaps"] if gap not in alone["gaps"]]
    if "says" in attack:
        assert any(attack["says"] in reason for reason in reasons), (reasons, told)
        assert any("acme" in gap["reason"] + gap["fact"] for gap in answer["gaps"])
    else:
        assert reasons == [], told
    assert attack.get("printed", "") in told
    assert len(told) < 4000
