"""Environments that pip installed, each with its fault, and sound ones; nothing that `pip check` finds is missed."""

import json
import re
import shutil
from collections.abc import Iterator

import pytest
from built_by_pip import STATED, Builder, doctor

_SAID_BY_PIP = re.compile(
    r"^(?P<by>\S+) (?P<version>\S+) (?:requires|has requirement) (?P<needs>[A-Za-z0-9._-]+)", re.MULTILINE
)


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    folder = tmp_path_factory.mktemp("by-pip")
    builder = Builder(folder)
    yield builder
    builder.end()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATED["environments"])
def test_an_environment_that_pip_built_is_judged_as_stated(name: str, builder: Builder) -> None:
    python = builder.build(name)
    found = doctor(python, builder.variables(name))
    told = {finding["name"]: finding["severity"] for finding in found if finding["severity"] != "info"}
    assert told == STATED["environments"][name]["finds"]
    evidence = [json.dumps(finding) for finding in found]
    for said in _SAID_BY_PIP.finditer(builder.pip_check(python)):
        stale = f"metadata of {said['version']} was left"  # pip takes it for what is installed
        assert any((said["by"] in one and said["needs"] in one) or stale in one for one in evidence), said[0]
