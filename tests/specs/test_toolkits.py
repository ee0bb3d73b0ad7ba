"""CUDA toolkits, the drivers that run them, and architectures."""

import pytest

from accel.specs import load


@pytest.mark.parametrize(
    ("version", "linux", "windows", "floor", "floor_windows"),
    [
        ("10.2", "440.33", "441.22", "440.33", "441.22"),
        ("11.0", "450.36.06", "451.22", "450.36.06", "451.22"),
        ("11.8", "520.61.05", "520.06", "450.80.02", "452.39"),
        ("12.0", "525.60.13", "527.41", "525.60.13", "527.41"),
        ("12.1", "530.30.02", "531.14", "525.60.13", "528.33"),
        ("12.1.105", "530.30.02", "531.14", "525.60.13", "528.33"),
        ("12.8", "570.26", "570.65", "525.60.13", "528.33"),
        ("13.0", "580.65.06", None, "580", "580"),
        ("13.4", None, None, "580", "580"),
    ],
)
def test_a_toolkit_names_its_driver_and_its_floor(
    version: str, linux: str | None, windows: str | None, floor: str, floor_windows: str
) -> None:
    toolkit = load().toolkit("cuda", version)
    assert toolkit is not None
    assert (toolkit.driver_minimum, toolkit.driver_minimum_windows) == (linux, windows)
    assert (toolkit.driver_floor, toolkit.driver_floor_windows) == (floor, floor_windows)


@pytest.mark.parametrize("version", ["12", "12.7", "99.0", "", "abc"])
def test_a_version_that_was_not_released_is_no_toolkit(version: str) -> None:
    assert load().toolkit("cuda", version) is None


@pytest.mark.parametrize(
    ("driver", "system", "toolkit"),
    [
        ("470.223.02", "linux", "11.4"),
        ("535.104.05", "linux", "12.2"),
        ("565.57.01", "linux", "12.7"),
        ("580.65.06", "linux", "13.0"),
        ("418.39", "linux", "10.1"),
        ("537.58", "windows", "12.2"),
        ("528.49", "windows", "12.0"),
        ("581.15", "windows", "13.0"),
        ("304.137", "linux", None),
        ("999.1", "linux", None),
        ("999.1", "windows", None),
        ("N/A", "linux", None),
    ],
)
def test_a_driver_serves_the_toolkit_of_its_branch(driver: str, system: str, toolkit: str | None) -> None:
    assert load().toolkit_of_driver("cuda", driver, system) == toolkit


@pytest.mark.parametrize(
    ("version", "has", "lacks"),
    [
        ("10.2", {"sm_30", "sm_75"}, {"sm_80", "sm_20"}),
        ("11.0", {"sm_35", "sm_80"}, {"sm_30", "sm_86"}),
        ("11.8", {"sm_35", "sm_89", "sm_90"}, {"sm_100"}),
        ("12.8", {"sm_50", "sm_120"}, {"sm_35", "sm_121", "sm_103"}),
        ("13.0", {"sm_75", "sm_110", "sm_121"}, {"sm_50", "sm_70", "sm_101"}),
    ],
)
def test_a_toolkit_targets_what_its_compiler_knows(version: str, has: set[str], lacks: set[str]) -> None:
    toolkit = load().toolkit("cuda", version)
    assert toolkit is not None
    targets = set(toolkit.architectures or ())
    assert has <= targets
    assert not lacks & targets


def test_toolkits_are_listed_from_old_to_new() -> None:
    versions = [toolkit.version for toolkit in load().toolkits("cuda")]
    assert versions[0].startswith("7.0")
    assert versions.index("9.2.148") < versions.index("10.0.130") < versions.index("12.9.1")


@pytest.mark.parametrize(
    ("capability", "name", "first_toolkit", "last_toolkit", "last_driver", "bf16"),
    [
        ("3.7", "kepler", "6.0", "11.8", "470", False),
        ("5.2", "maxwell2", "6.5", "12.9", "580", False),
        ("6.1", "pascal", "8.0", "12.9", "580", False),
        ("7.0", "volta", "9.0", "12.9", "580", False),
        ("7.5", "turing", "10.0", None, None, False),
        ("8.6", "ampere", "11.1", None, None, True),
        ("9.0", "hopper", "11.8", None, None, True),
        ("12.0", "blackwell_rtx", "12.8", None, None, True),
    ],
)
def test_a_capability_names_its_architecture(
    capability: str, name: str, first_toolkit: str, last_toolkit: str | None, last_driver: str | None, bf16: bool
) -> None:
    found = load().architecture("nvidia", compute_capability=capability)
    assert found is not None
    assert (found.name, found.first_toolkit, found.last_toolkit, found.last_driver) == (
        name,
        first_toolkit,
        last_toolkit,
        last_driver,
    )
    assert found.dtypes is not None
    assert ("bf16" in found.dtypes) is bf16


@pytest.mark.parametrize(
    ("vendor", "name", "capability", "found"),
    [
        ("nvidia", "hopper", None, "hopper"),
        ("nvidia", "Hopper", "9.0", "hopper"),
        ("nvidia", None, "99.0", None),
        ("nvidia", "no-such", None, None),
        ("nvidia", None, None, None),
        ("amd", None, "gfx90a", "cdna2"),
        ("ascend", "ascend910b", None, "ascend910b"),
        ("huawei", "910c", None, "ascend910_93"),
        ("tpu", "tpu7x", None, "v7x"),
        ("nobody", "hopper", None, None),
    ],
)
def test_an_architecture_is_found_by_name_or_capability(
    vendor: str, name: str | None, capability: str | None, found: str | None
) -> None:
    architecture = load().architecture(vendor, name=name, compute_capability=capability)
    assert (architecture and architecture.name) == found
