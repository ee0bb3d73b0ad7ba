"""Every reader on hand-made texts: <case>.txt, and what must come of it in <case>.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.model.merge import merged_devices, merged_driver
from accel.model.observation import Noted
from accel.vendors.contract.backend import Reading
from accel.vendors.toolkit.members import readers_of

TEXTS = Path(__file__).parent / "texts"
CASES = sorted(path.stem for path in TEXTS.glob("*.txt"))


def readings(text: str) -> list[Reading]:
    found: list[Reading] = []
    for reader in readers_of("accel_ascend"):
        if not reader.signs or any(sign in text for sign in reader.signs):
            found.extend(reader.read(text))
    return found


def as_expected(value: Any, field: str) -> Any:
    if field == "processes" and value is not None:
        return [[process.pid, process.name, process.memory_bytes] for process in value]
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", CASES)
def test_a_text_gives_what_it_says_and_no_more(case: str) -> None:
    expected = json.loads((TEXTS / f"{case}.json").read_text())
    found = readings((TEXTS / f"{case}.txt").read_text())
    reports = [report for reading in found for report in reading.reports]
    devices, _ = merged_devices(reports)

    assert len(devices) == len(expected["devices"]), [device.id for device in devices]
    for device, want in zip(devices, expected["devices"], strict=True):
        got = {field: as_expected(getattr(device, field), field) for field in want}
        assert got == want

    driver = merged_driver(sorted(reports, key=lambda report: -report.trust))
    assert (driver.version if driver else None) == expected.get("driver")
    if "firmware" in expected:
        assert driver is not None
        assert driver.firmware_version == expected["firmware"]
    observations = [one for report in reports for one in report.observations]
    observations += [one for reading in found for one in reading.observations]
    noted = [one.fact for one in observations if isinstance(one, Noted)]
    assert noted == expected.get("facts", [])
    environments = [reading.environment for reading in found if reading.environment]
    toolkits = [[t.name, t.version] for environment in environments for t in environment.toolkits]
    toolkits = [one for place, one in enumerate(toolkits) if one not in toolkits[:place]]  # several readers may tell it
    assert toolkits == expected.get("toolkits", [])
    packages = [[p.name, p.version, p.variant] for environment in environments for p in environment.packages or ()]
    assert packages == expected.get("packages", [])
    gaps = {gap.fact for report in reports for gap in report.gaps}
    assert gaps >= set(expected.get("gaps", []))


def test_every_device_of_a_report_has_its_own_id() -> None:
    for case in CASES:
        for reading in readings((TEXTS / f"{case}.txt").read_text()):
            for report in reading.reports:
                ids = [device.id for device in report.devices]
                assert len(ids) == len(set(ids)), case


def test_eight_processes_of_a_chip_may_not_be_all() -> None:
    text = (TEXTS / "a2-with-processes.txt").read_text()
    line = next(line for line in text.splitlines() if "4243" in line)
    text = text.replace(line, "\n".join(line.replace("4243", str(5000 + n)) for n in range(7)))
    report = readings(text)[0].reports[0]
    assert len(report.devices[0].processes or ()) == 8
    assert any(gap.fact == "processes" and gap.device == "ascend:2" for gap in report.gaps)
