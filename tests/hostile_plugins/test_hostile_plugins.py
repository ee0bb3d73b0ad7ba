"""Whatever a stranger's plugin does costs that plugin alone: one sentence names it, and accel's own answer is whole."""

import json
import os
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="a stranger's code runs apart only where processes fork"
)

ATTACKS: dict[str, dict[str, str]] = {
    name: attack
    for group in yaml.safe_load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8")).values()
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
LOAD_SECONDS, CALL_SECONDS = 1.5, 1.0  # in these tests; a busy machine needs its time to import a plugin


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
    """Run a command in a fork of this process, with these plugins and short deadlines; return how it ended and said."""
    streams = [folder / name for name in ("stdin", "stdout", "stderr")]
    streams[0].write_text(text, encoding="utf-8")
    pid = os.fork()
    if pid == 0:
        try:
            run_command(folder, words, streams)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(99)
    status = ended_within(pid, 20.0)
    said, told = (stream.read_text(encoding="utf-8", errors="replace") for stream in streams[1:])
    return os.waitstatus_to_exitcode(status), said, told


_LOOK_SECONDS = 0.005


def ended_within(pid: int, seconds: float) -> int:
    """Wait for a command, and for no command that does not end."""
    for _ in range(int(seconds / _LOOK_SECONDS)):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(_LOOK_SECONDS)
    os.killpg(pid, 9)
    return os.waitpid(pid, 0)[1]


def run_command(folder: Path, words: tuple[str, ...], streams: list[Path]) -> None:
    from accel.apps.cli import entry

    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(os.open(stream, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if number else 0), 0o600), number)
    os.closerange(3, 1024)
    sys.stdin = sys.__stdin__ = open(0, closefd=False, encoding="utf-8")  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False, encoding="utf-8")  # type: ignore[misc]  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, closefd=False, encoding="utf-8")  # type: ignore[misc]  # noqa: SIM115
    sys.path.insert(0, str(folder))
    shorten()
    sys.argv = ["accel", *words]
    entry()


def shorten() -> None:
    try:
        from accel.plugins import guard, guest
    except ImportError:
        return
    guard.MOST_MEMORY = 64 << 20  # type: ignore[misc]
    guest.CALL_SECONDS, guest.LOAD_SECONDS = CALL_SECONDS, LOAD_SECONDS  # type: ignore[misc]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What accel answers without any plugin of a stranger's; its tables are read here, for all forks."""
    warm_up()
    code, out, told = accel(tmp_path_factory.mktemp("alone"), "doctor", "--from", "-", "--json")
    assert code == 1, told
    answer: dict[str, Any] = json.loads(out)
    assert answer["findings"]
    return answer


def warm_up() -> None:
    from accel.collect.live import judged
    from accel.collect.text import read_texts
    from accel.plugins.registry import Registry

    for module in ("answers", "guest", "guest_backend", "guest_host", "stated", "validation"):
        import_module(f"accel.plugins.{module}")
    import_module("accel.vendors.contract.hookspecs")
    known = Registry({})
    judged(read_texts([("report", TEXT)], known), known)


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
