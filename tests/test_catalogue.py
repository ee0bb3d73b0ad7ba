"""What the build wrote down of accel's own plugins is what they register when they are imported."""

import os
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from accel.checks.rows import Row, table_rows
from accel.plugins import catalogue as module
from accel.plugins.registry import Registry
from accel.specs import load
from accel.vendors.contract.check import Check


def stated(check: Check) -> dict[str, Any]:
    return {field.name: getattr(check, field.name) for field in fields(Check) if field.name != "run"}


@pytest.fixture
def told() -> Registry:
    registry = Registry({})
    if registry._catalogue is None:
        pytest.skip("a source file is newer than the catalogue: python specs/compile.py")
    return registry


def test_the_catalogue_tells_what_the_plugins_register(told: Registry) -> None:
    whole = Registry({}, whole=True)
    assert [(r.name, r.signs) for r in told.all_readers] == [(r.name, r.signs) for r in whole.all_readers]
    assert [stated(check) for check in told.checks] == [stated(check) for check in whole.checks]
    assert [(r.name, dict(r.gives), r.triggers) for r in told.rules] == [
        (r.name, dict(r.gives), r.triggers) for r in whole.rules
    ]
    assert told.backend_names == whole.backend_names


def test_no_code_and_no_name_of_a_check_is_given_twice() -> None:
    """Of two checks with one code the registry drops one, and says so only where a plugin brought it."""
    specs = load(environment={})
    rows = [
        row
        for kind in ("/inference/", "/checks/")
        for topic, table in specs.tables("", kind)
        for row in table_rows(topic, table)
    ]
    registry = Registry({}, whole=True)
    in_code = [check for check in registry.checks if not isinstance(check.run, Row)]
    codes = Counter([check.code for check in in_code] + [row["code"] for row in rows])
    names = Counter([check.name for check in in_code] + [row["name"] for row in rows])
    assert len(in_code) + len(rows) == len(registry.checks)
    assert [code for code, count in codes.items() if count > 1] == []
    assert [name for name, count in names.items() if count > 1] == []
    assert [(one.name, one.reason) for one in registry.plugins if one.status == "failed"] == []


def test_every_backend_of_accel_says_whether_it_watches_closely_or_is_sampled() -> None:
    backends = Registry({}).backends
    assert len(backends) > 10
    assert [one.name for one in backends if not (hasattr(one, "readings") or hasattr(one, "sample"))] == []


def test_a_stand_in_does_and_says_what_the_function_does(told: Registry) -> None:
    whole = {check.code: check for check in Registry({}, whole=True).checks}
    for check in told.checks:
        assert check.run.__doc__ == whole[check.code].run.__doc__
    text = "NVIDIA-SMI has failed"
    assert [list(r.read(text)) for r in told.readers] == [list(r.read(text)) for r in Registry({}, whole=True).readers]


def test_a_disabled_plugin_offers_nothing(told: Registry) -> None:
    without = Registry({"ACCEL_DISABLE": "nvidia"})
    assert not any(check.code.startswith("NV") for check in without.checks)
    assert "nvidia" not in without.backend_names


def test_a_catalogue_older_than_a_source_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / module.FILE).write_text("{}", encoding="utf-8")
    os.utime(tmp_path / module.FILE, (1, 1))
    monkeypatch.setattr(module, "COMPILED", str(tmp_path))
    assert module.catalogue.__wrapped__() is None


def test_no_check_is_a_premise_of_itself_by_its_family_or_by_others(told: Registry) -> None:
    """One circle would leave all checks in the order of their codes."""
    place = {check.name: at for at, check in enumerate(told.checks)}
    late = {
        (check.name, premise.name)
        for check in told.checks
        for premise in told.checks
        if premise is not check
        and {premise.name, premise.family} & set(check.requires)
        and place[premise.name] > place[check.name]
    }
    assert late == set()
