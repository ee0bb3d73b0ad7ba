"""To whom a process belongs, by every form of the table."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.specs import load
from accel.specs.store import parse
from accel.text.backtracking import faults
from accel.watch.holders.attribution import by_cgroup, by_mounts, by_title, by_variables

HEX, UID = "0123456789abcdef" * 4, "12345678-1234-1234-1234-123456789012"
CASES = parse(str(Path(__file__).parent / "attribution.yaml"))
READS = {
    "cgroup": lambda given: by_cgroup(f"0::{given}\n"),
    "mounts": by_mounts,
    "title": lambda given: by_title((given,)),
    "variables": by_variables,
}


def filled(value: Any) -> Any:
    text = json.dumps(value).replace("UNDERSCORED", UID.replace("-", "_")).replace("OUTER", "f" * 64)
    return json.loads(text.replace("HEX", HEX).replace("UID", UID))


@pytest.mark.parametrize(("kind", "case"), [(kind, case) for kind in CASES for case in CASES[kind]])
def test_it_tells_whose_a_process_is(kind: str, case: str) -> None:
    given, tells = filled(CASES[kind][case]["given"]), filled(CASES[kind][case]["tells"])
    assert READS[kind](given) == tells


def test_of_version_1_the_longest_path_counts() -> None:
    assert by_cgroup(f"9:name=systemd:/\n4:memory:/docker/{HEX}\n0::/\n")["container"] == HEX


def test_the_forms_are_linear() -> None:
    table = load().table("system/attribution")
    forms = [row["form"] for kind in ("cgroups", "mounts", "titles") for row in table[kind]]
    assert [
        fault for form in forms for fault in faults(form.replace("{hex}", "[0-9a-f]{64}").replace("{uid}", "[0-9]{36}"))
    ] == []
