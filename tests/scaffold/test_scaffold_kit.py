"""A plugin out of the template and the conformance kit: all promises are kept, and what is broken is named."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # processes, and deadlines that run out


def test_it_reaches_the_highest_level(plugin: Any) -> None:
    done = plugin.accel("plugins", "check", plugin.name, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert answer["level"] == "diagnose", [o for o in answer["outcomes"] if o["status"] in ("failed", "not proven")]


def test_its_tests_hold_the_kit_one_test_a_rule(acme: Any) -> None:
    done = acme.python("pytest", "-p", "no:cacheprovider", "-rA", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stdout
    assert "Its amounts are in the units that the fields' names say" in done.stdout


BROKEN = {  # one file changed: what, into what, and the rule that must name it
    "memory-in-mebibytes": (
        "readers/acme_smi.py",
        'a.capacity(said("memory total"))',
        'a.count((said("memory total") or "").split()[0])',
        "units",
    ),
    "power-in-milliwatts": ("readers/acme_smi.py", 'a.number(said("power"))', "180000.0", "units"),
    "unknown-as-zero": (
        "readers/acme_smi.py",
        'a.number(said("temperature"))',
        'a.number(said("temperature")) or 0.0',
        "unknown-is-none",
    ),
    "the-same-device-twice": ("readers/acme_smi.py", "devices=devices,", "devices=(*devices, *devices),", "device-ids"),
    "well-without-evidence": (
        "readers/acme_smi.py",
        '_HEALTH.get((health or "").lower(), "unknown")',
        '"ok"',
        "replay",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_promise_broken_in_one_line_is_named(acme: Any, tmp_path: Path, how: str) -> None:
    file, right, wrong, rule = BROKEN[how]
    site = tmp_path / "site"
    shutil.copytree(acme.site, site, ignore=shutil.ignore_patterns("__pycache__"))
    path = site / "accel_acme" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    done = acme.accel("plugins", "check", "acme", "--json", PYTHONPATH=str(site))
    assert done.returncode == 1
    failed = {outcome["rule"] for outcome in json.loads(done.stdout)["outcomes"] if outcome["status"] == "failed"}
    assert rule in failed
