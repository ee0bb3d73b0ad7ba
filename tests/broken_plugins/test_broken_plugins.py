"""One broken plugin costs its own line: everybody else is still there, in time, and one sentence says why."""

import json
import os
from pathlib import Path

import pytest
from acme_sources import AT_LOADING, AT_PROBING, BACKEND, HEAD, LEFT_BEHIND, LIAR, NO_PROBE, PURE, UNSOUND
from beside_acme import SECONDS, accel, at_once, devices, installed, plugin

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a probe that hangs is cut only where processes fork"),
]


@pytest.mark.parametrize("how", AT_LOADING)
def test_a_plugin_that_cannot_be_loaded_costs_itself_and_is_named(tmp_path: Path, how: str) -> None:
    source, words = AT_LOADING[how]
    installed(tmp_path, source)
    said = "CUDA error: no kernel image is available\n"
    (code, found, reason), (listed, row), (judged, out, _) = at_once(
        lambda: devices(tmp_path),
        lambda: plugin(tmp_path),
        lambda: accel(tmp_path, "doctor", "--from", "-", "--json", text=said),
    )
    assert code == 0
    assert "cpu:0" in found
    assert words in reason
    assert "accel plugins list" in reason
    assert (listed, row["status"]) == (1, "failed")
    assert words in row["reason"]
    assert "\n" not in row["reason"]
    assert judged in (0, 1, 3)
    if how.startswith("import"):  # a text asks no backend
        assert any(words in gap["reason"] for gap in json.loads(out)["gaps"])


@pytest.mark.parametrize("how", AT_PROBING)
def test_a_plugin_that_breaks_at_the_hardware_costs_its_devices_and_is_named(tmp_path: Path, how: str) -> None:
    source, words = AT_PROBING[how]
    code, found, reason = devices(installed(tmp_path, source))
    assert code == 1
    assert "cpu:0" in found
    assert "acme:0" not in found
    assert words in reason
    assert reason.count("\n") <= 1


@pytest.mark.parametrize("how", UNSOUND["records"])
def test_a_plugin_that_gives_no_sound_record_loses_that_and_the_table_is_printed(tmp_path: Path, how: str) -> None:
    given, listed, words = (UNSOUND["records"][how][key] for key in ("gives", "listed", "says"))
    folder = installed(tmp_path, f"{HEAD}{NO_PROBE.format(f'return {given}')}{BACKEND}{LIAR}")
    (_, found, reason), (_, table, _) = at_once(
        lambda: devices(folder), lambda: accel(folder, "devices", "--timeout", str(SECONDS))
    )
    assert "cpu:0" in found
    assert ("acme:0" in found) is listed
    assert words in reason
    assert len(reason) < 20_000
    assert "cpu:0" in table
    assert ("acme:0 " in table) is listed


@pytest.mark.parametrize(
    ("facts", "listed"),
    [
        ("r(d(), d())", ["acme:0", "acme:0"]),
        ("r(d(uuid='u'), d(id='acme:1', index=1, uuid='u'))", ["acme:0", "acme:1"]),
        ("r(d(memory_total_bytes=81559, power_watts=180000.0, temperature_celsius=334.0))", ["acme:0"]),
    ],
)
def test_duplicates_and_wrong_units_are_shown_as_given_and_nobody_else_is_lost(
    tmp_path: Path, facts: str, listed: list[str]
) -> None:
    folder = installed(tmp_path, f"{HEAD}{NO_PROBE.format(f'return {facts}')}{BACKEND}{LIAR}")
    code, found, _ = devices(folder)
    assert code == 0
    assert sorted(found) == [*listed, "cpu:0"]
    assert "cpu:0" in accel(folder, "devices")[1]


def test_masks_that_are_never_read_cost_their_plugin_its_visibility_only(tmp_path: Path) -> None:
    source = f"{HEAD}    def visible(self, devices, variables):\n        time.sleep(60)\n{BACKEND}"
    _, found, reason = devices(installed(tmp_path, source))
    assert found == ["acme:0", "cpu:0"]
    assert "visible did not return within" in reason


def test_masks_that_are_read_into_other_devices_are_not_used(tmp_path: Path) -> None:
    source = f"{HEAD}    def visible(self, devices, variables):\n        return [1]\n{BACKEND}"
    _, found, reason = devices(installed(tmp_path, source))
    assert found == ["acme:0", "cpu:0"]
    assert "visible() gave other devices than it was given" in reason


def test_masks_that_cannot_be_read_leave_the_device_there_with_its_visibility_unknown(tmp_path: Path) -> None:
    source = f"{HEAD}    def visible(self, devices, variables):\n        raise ValueError('odd mask')\n{BACKEND}"
    code, found, reason = devices(installed(tmp_path, source))
    assert code == 0
    assert found[-1] == "cpu:0"
    assert "acme:0" in found
    assert "odd mask" in reason


def test_a_plugin_of_another_api_is_not_loaded_and_says_what_to_upgrade(tmp_path: Path) -> None:
    installed(tmp_path, "raise RuntimeError('must not be imported')\n", api="7:9")
    code, found, reason = devices(tmp_path)
    assert code == 0
    assert "cpu:0" in found
    assert "plugin API 7" in reason
    code, row = plugin(tmp_path)
    assert (code, row["status"]) == (1, "clash")
    assert "upgrade accel-sdk" in row["reason"]


def test_a_hanging_probe_leaves_the_doctor_his_answer(tmp_path: Path) -> None:
    folder = installed(tmp_path, AT_PROBING["hang"][0])
    code, out, _ = accel(folder, "doctor", "--json", "--timeout", str(SECONDS))
    answer = json.loads(out)
    assert code in (1, 3)
    assert "cpu:0" in [device["id"] for device in answer["devices"]]
    assert any("did not return within" in gap["reason"] for gap in answer["gaps"] if gap["backend"] == "acme")
    assert answer["verdict"] != "clear"


def test_the_doctor_says_that_a_plugin_s_checks_cannot_be_had(tmp_path: Path) -> None:
    source = f"{HEAD}{BACKEND}\n@hookimpl\ndef accel_checks():\n    raise KeyError('rules')\n"
    folder = installed(tmp_path, source)
    _, out, _ = accel(folder, "doctor", "--json", "--timeout", str(SECONDS))
    (gap,) = [gap for gap in json.loads(out)["gaps"] if gap["backend"] == "acme"]
    assert gap["reason"] == "accel_checks: KeyError: 'rules'; see  accel plugins list"
    _, out, _ = accel(folder, "doctor", "--timeout", str(SECONDS))
    assert "accel_checks: KeyError: 'rules'" in " ".join(out.split())


def test_a_hanging_detect_is_its_plugin_s_fault_and_not_the_driver_s(tmp_path: Path) -> None:
    code, out, _ = accel(installed(tmp_path, AT_PROBING["detect-that-hangs"][0]), "doctor", "--json", "--timeout", "3")
    answer = json.loads(out)
    (gap,) = [gap for gap in answer["gaps"] if gap["backend"] == "acme"]
    assert "ACCEL_DISABLE" in gap["reason"]
    assert "driver-call-hangs" not in [finding["name"] for finding in answer["findings"]]
    assert answer["verdict"] != "clear"
    assert code in (1, 3)


def test_readers_and_checks_that_raise_are_gaps_and_the_others_run(tmp_path: Path) -> None:
    source = f"""{HEAD}
def _read(text):
    raise KeyError("row")
    yield

@hookimpl
def accel_readers():
    return [Reader(name="acme table", signs=(), read=_read)]

@check(code="ZZ901", name="acme-sick", layer="hardware")
def acme_sick(facts, specs):
    raise ZeroDivisionError("no boards")
    yield

@hookimpl
def accel_checks():
    return [acme_sick]
"""
    said = "RuntimeError: Found no NVIDIA driver on your system.\n$ python -V\nPython 3.11.4\n"
    code, out, _ = accel(installed(tmp_path, source), "doctor", "--from", "-", "--json", text=said)
    answer = json.loads(out)
    reasons = [gap["reason"] for gap in answer["gaps"]]
    assert code in (1, 3)
    assert any("KeyError: 'row'" in reason for reason in reasons)
    assert any("ZeroDivisionError: no boards" in reason for reason in reasons)
    assert "ZZ901" in [row["code"] for row in answer["undecided"]]
    assert len(answer["clear"]) + len(answer["undecided"]) + len(answer["not_applicable"]) > 50


def test_a_check_whose_code_is_taken_is_refused_and_the_owner_keeps_it(tmp_path: Path) -> None:
    source = f"""{HEAD}
@check(code="AC001", name="acme-thief", layer="hardware")
def acme_thief(facts, specs):
    yield

@hookimpl
def accel_checks():
    return [acme_thief]
"""
    code, row = plugin(installed(tmp_path, source))
    assert (code, row["status"]) == (1, "failed")
    assert "AC001 acme-thief" in row["reason"]
    code, out, _ = accel(tmp_path, "explain", "AC001")
    assert code == 0
    assert "torchvision-torch-mismatch" in out


@pytest.mark.parametrize("given", ["None", "['x', 3]", "(1 / 0 for _ in range(2))"])
@pytest.mark.parametrize("hook", ["accel_readers", "accel_checks"])
def test_what_is_no_reader_and_no_check_is_refused_and_the_others_are_there(
    tmp_path: Path, hook: str, given: str
) -> None:
    folder = installed(tmp_path, f"{HEAD}{BACKEND}\n@hookimpl\ndef {hook}():\n    return {given}\n")
    code, row = plugin(folder)
    assert (code, row["status"]) == (1, "failed")
    assert row["reason"].startswith(f"{hook}: ")
    code, out, _ = accel(folder, "doctor", "--from", "-", "--json", text="Python 3.11.4\nno CUDA GPUs are available\n")
    assert code in (1, 3)
    answer = json.loads(out)
    assert answer["verdict"] in ("faults", "undecided")
    assert any(gap["fact"] == "plugin acme" and hook in gap["reason"] for gap in answer["gaps"])


def test_a_check_that_yields_what_is_no_problem_is_a_gap(tmp_path: Path) -> None:
    source = f"""{HEAD}
@check(code="ZZ902", name="acme-odd", layer="hardware")
def acme_odd(facts, specs):
    yield "sick"

@hookimpl
def accel_checks():
    return [acme_odd]
"""
    _, out, _ = accel(installed(tmp_path, source), "doctor", "--from", "-", "--json", text="Python 3.11.4\n")
    answer = json.loads(out)
    assert "acme-odd" in [row["name"] for row in answer["undecided"]]
    assert any("it gave 'sick', no Problem" in gap["reason"] for gap in answer["gaps"])


@pytest.mark.parametrize(
    ("read", "found", "words"),
    [(row["body"], "return ()", row["says"]) for row in UNSOUND["readings"]]
    + [("return ()", row["body"], row["says"]) for row in UNSOUND["problems"]],
)
def test_readings_and_problems_that_are_not_sound_are_gaps_and_the_report_is_printed(
    tmp_path: Path, read: str, found: str, words: str
) -> None:
    folder = installed(tmp_path, f"{HEAD}{LIAR}{PURE.format(read, found)}")
    text = "RuntimeError: Found no NVIDIA driver on your system.\n$ python -V\nPython 3.11.4\n"
    code, out, _ = accel(folder, "doctor", "--from", "-", "--json", text=text)
    answer = json.loads(out)
    assert code in (1, 3)
    assert any(words in gap["reason"] for gap in answer["gaps"])
    assert len(answer["clear"]) + len(answer["undecided"]) + len(answer["not_applicable"]) > 50
    assert accel(folder, "doctor", "--from", "-", text=text)[0] == code


@pytest.mark.parametrize("how", LEFT_BEHIND)
def test_what_a_plugin_leaves_running_or_prints_keeps_no_command_from_its_end(tmp_path: Path, how: str) -> None:
    folder = installed(tmp_path, f"{LEFT_BEHIND[how]}{HEAD}{BACKEND}")
    (code, found, _), (_, row), (checked, out, _) = at_once(
        lambda: devices(folder),
        lambda: plugin(folder),
        lambda: accel(folder, "plugins", "check", "acme", "--json"),
    )
    assert (code, sorted(found)) == (0, ["acme:0", "cpu:0"])
    assert row["status"] == "loaded"
    assert checked in (0, 1)
    assert json.loads(out)["plugin"] == "acme"


def test_a_hook_that_ends_the_process_when_it_is_gone_through_costs_its_checks(tmp_path: Path) -> None:
    source = f"{HEAD}{BACKEND}\n@hookimpl\ndef accel_checks():\n    os._exit(0)\n    yield\n"
    code, row = plugin(installed(tmp_path, source))
    assert (code, row["status"]) == (1, "failed")
    assert row["reason"] == "accel_checks: it ended the process that tried it (exit 0)"


@pytest.mark.parametrize("how", ["import-that-leaves", "import-that-hangs", "import-that-replaces-json"])
def test_another_plugin_is_checked_beside_a_broken_one(tmp_path: Path, how: str) -> None:
    code, out, _ = accel(tmp_path, "plugins", "check", "cpu", "--json")
    alone = code, [(one["rule"], one["status"]) for one in json.loads(out)["outcomes"]]
    folder = installed(tmp_path, AT_LOADING[how][0])
    (code, out, _), (broken, told, _) = at_once(
        lambda: accel(folder, "plugins", "check", "cpu", "--json"),
        lambda: accel(folder, "plugins", "check", "acme", "--json"),
    )
    assert (code, [(one["rule"], one["status"]) for one in json.loads(out)["outcomes"]]) == alone
    assert broken == 1
    assert json.loads(told)["faults"]


def test_a_probe_that_floods_its_pipe_costs_itself(tmp_path: Path) -> None:
    lines = (
        "while True:",
        " for pipe in range(3, 30):",
        "  try:",
        "   os.write(pipe, b'x' * 65536)",
        "  except OSError:",
    )
    flood = "".join(f"\n            {line}" for line in (*lines, "   pass"))
    source = f"{HEAD}{NO_PROBE.format(f'if True:{flood}')}{BACKEND}"
    code, found, reason = devices(installed(tmp_path, source))
    assert (code, found) == (1, ["cpu:0"])
    assert "sent more than 64 MiB" in reason or "did not return within" in reason


def test_a_plugin_of_a_taken_name_is_listed_beside_its_owner(tmp_path: Path) -> None:
    installed(tmp_path, "raise RuntimeError('must not be imported')\n")
    (tmp_path / "acme_tools-1.2.dist-info" / "entry_points.txt").write_text("[accel.plugins]\ncpu = accel_acme\n")
    _, out, _ = accel(tmp_path, "plugins", "list", "--json")
    rows = {row["name"]: row for row in json.loads(out)["plugins"]}
    assert rows["cpu"]["status"] == "loaded"
    assert rows["cpu"]["devices"] == 1
    assert rows["cpu@acme-tools"]["status"] == "clash"
    assert "accel-sdk has a plugin of this name" in rows["cpu@acme-tools"]["reason"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("r(d(id='cpu:0', backend='cpu'))", "'cpu:0' of 'cpu' is not its own device"),
        ("r(d(id='cpu:0'))", "'cpu:0' of 'acme' is not its own device"),
        ("r(backend='cpu')", "a report of 'cpu' is not its own"),
    ],
)
def test_a_probe_speaks_for_its_own_devices_alone(tmp_path: Path, given: str, words: str) -> None:
    folder = installed(tmp_path, f"{HEAD}{NO_PROBE.format(f'return {given}')}{BACKEND}{LIAR}")
    _, found, reason = devices(folder)
    assert found == ["cpu:0"]
    assert words in reason


def test_a_process_that_a_probe_puts_out_of_reach_is_ended_and_named(tmp_path: Path) -> None:
    act = "import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True); return r(d())"
    folder = installed(tmp_path, f"{HEAD}{NO_PROBE.format(act)}{BACKEND}{LIAR}")
    _, found, reason = devices(folder)
    assert sorted(found) == ["acme:0", "cpu:0"]
    assert "it left a process running: sleep (process" in reason
