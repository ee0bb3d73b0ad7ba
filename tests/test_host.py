"""Facts of recorded hosts."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.collect.host import host_facts
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine
from accel.model.snapshot import Host
from accel.specs.store import parse

CASES = parse(str(Path(__file__).parent / "cases/hosts.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_host_is_read_as_it_says_of_itself(case: str, tmp_path: Path) -> None:
    given: dict[str, Any] = CASES[case]["machine"]
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(given))
    host = host_facts(RecordedMachine(tmp_path))
    wanted = CASES[case]["host"]
    assert {name: getattr(host, name) for name in wanted} == wanted
    assert [gap.fact for gap in host.gaps] == CASES[case].get("gaps", [])


def test_nothing_known_is_said_of_a_bare_machine(tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text("")
    host = host_facts(RecordedMachine(tmp_path))
    assert host == Host(system="linux", wsl=False, gaps=host.gaps)


def test_this_host_is_read() -> None:
    machine = LiveMachine()
    host = host_facts(machine)
    assert host.system == machine.system
    assert host.machine
