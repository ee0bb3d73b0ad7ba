"""Each text of cases/ is read into the facts of the JSON beside it: null means that nothing may be said."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.facts.readers import core_readers
from accel.facts.readers.frameworks import frameworks_of
from accel.model.environment import Environment
from accel.model.merge import filled
from accel.model.merge_environment import merged_environment
from accel.model.observation import Conflict
from accel.model.snapshot import Host
from accel.text.clean import clean, sections
from accel.vendors.contract.backend import Reading

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))


def read_all(text: str) -> list[Reading]:
    return [
        reading
        for _, section in sections(clean(text))
        for reader in core_readers()
        if not reader.signs or any(sign.lower() in section.lower() for sign in reader.signs)
        for reading in reader.read(section)
    ]


def facts_of(text: str) -> tuple[Environment, Host, list[Conflict]]:
    readings = read_all(text)
    host = Host()
    for reading in readings:
        host = filled(host, reading.host or Host())
    environment = merged_environment([r.environment for r in readings if r.environment])
    conflicts = [one for reading in readings for one in reading.observations if isinstance(one, Conflict)]
    return environment, host, conflicts


def full_version(package: Any) -> str:
    return f"{package.version}+{package.variant}" if package.variant else str(package.version)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_text_is_read_into_the_facts_beside_it(path: Path) -> None:
    wanted = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    environment, host, conflicts = facts_of(path.read_text(encoding="utf-8"))
    packages = {p.name: full_version(p) for p in reversed(environment.packages or ())}
    toolkits = {t.name: t.version for t in reversed(environment.toolkits)}
    libraries = {item.name: item.version for item in reversed(environment.libraries)}
    variables = dict(environment.variables or ())
    frameworks = {f.name: f for f in environment.frameworks}
    said: dict[str, Any] = {
        "python_version": environment.python_version,
        "complete": environment.complete,
        "packages": {name: packages.get(name) for name in wanted.get("packages", {})},
        "toolkits": {name: toolkits.get(name) for name in wanted.get("toolkits", {})},
        "libraries": {name: libraries.get(name) for name in wanted.get("libraries", {})},
        "variables": {name: variables.get(name) for name in wanted.get("variables", {})},
        "host": {field: getattr(host, field) for field in wanted.get("host", {})},
        "gaps": [gap.fact for gap in environment.gaps],
        "conflicts": {one.component: [one.by, one.has, one.wants] for one in conflicts},
        "frameworks": {
            name: shown(frameworks.get(name), fields) for name, fields in wanted.get("frameworks", {}).items()
        },
        "package_frameworks": {
            name: shown({f.name: f for f in frameworks_of(environment.packages or ())}.get(name), fields)
            for name, fields in wanted.get("package_frameworks", {}).items()
        },
    }
    assert {key: said[key] for key in wanted} == wanted


def shown(record: object | None, fields: dict[str, Any] | None) -> dict[str, Any] | None:
    if record is None:
        return None
    values = {name: getattr(record, name) for name in fields or {"version": None}}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def test_every_case_has_its_facts_and_is_named_in_the_provenance() -> None:
    provenance = (Path(__file__).parent / "cases" / "PROVENANCE.md").read_text(encoding="utf-8")
    assert [p.stem for p in CASES if p.stem not in provenance or not p.with_suffix(".json").exists()] == []


def test_every_file_with_a_reader_is_found_once() -> None:
    names = [reader.name for reader in core_readers()]
    assert "torch collect_env" in names
    assert len(names) == len(set(names))
