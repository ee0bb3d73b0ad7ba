"""What-if machines and the answers that follow from the tables: machines.yaml."""

from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

import accel
from accel.resolver.records import Resolution
from accel.specs.store import parse

CASES: dict[str, dict[str, Any]] = parse(str(Path(__file__).parent / "machines.yaml"))


def resolution_of(case: dict[str, Any], **more: Any) -> Resolution:
    return accel.resolve(case["asks"], **{**case["given"], **more})


@pytest.mark.parametrize("name", CASES)
def test_the_answer_follows_from_the_tables(name: str) -> None:
    case = CASES[name]
    found = resolution_of(case)
    if "nothing_fits" in case:
        assert not found.chosen
        assert found.command is None
        assert found.rejected[0].rule == case["nothing_fits"] or case["nothing_fits"] in [
            r.rule for r in found.rejected if r.version == found.rejected[0].version
        ]
    else:
        assert found.fits, found.rejected[:5]
        versions = {c.package: c.version for c in found.chosen}
        for package, bound in case["fits"].items():
            if package == "variant":
                assert bound in [c.variant for c in found.chosen]
            else:
                assert SpecifierSet(bound).contains(versions[package]), (package, versions[package])
    rejected = {f"{r.version} {r.variant} {r.rule}" for r in found.rejected}
    assert set(case.get("rejects", ())) <= rejected, sorted(rejected)
    for key, texts in (("upgrade", found.upgrade), ("assumed", found.assumed), ("command", (found.command or "",))):
        if key in case:
            assert any(case[key] in text for text in texts), (key, texts)


@pytest.mark.parametrize("name", CASES)
def test_every_rejection_has_its_figures_and_the_answer_is_stable(name: str) -> None:
    found = resolution_of(CASES[name])
    assert found == resolution_of(CASES[name])
    assert all(r.rule and r.because for r in found.rejected)
    assert all(c.why for c in found.chosen)


@pytest.mark.parametrize("installer", ["pip", "uv", "conda"])
@pytest.mark.parametrize("name", CASES)
def test_each_installer_gives_the_same_choice_and_its_own_line(name: str, installer: str) -> None:
    found = resolution_of(CASES[name], installer=installer)
    assert found.chosen == resolution_of(CASES[name]).chosen
    if found.command is not None:
        fetched, _, line = found.command.rpartition(" && ")  # a board's wheel that lies on no index is fetched first
        assert not fetched or (fetched.startswith("wget ") and "jetpack-4" in name)
        assert line.split()[0] == installer
        for chosen in found.chosen:
            assert chosen.version in found.command
    elif found.chosen:
        assert installer == "conda"
        assert found.notes
