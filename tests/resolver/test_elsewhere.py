"""What another machine is taken to be, where only its system is named, and what a text tells of its own."""

import pytest

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.resolver.remedies import machine_of
from accel.resolver.target import Accelerator, Target
from accel.resolver.what_if import changed
from accel.specs import load

_HERE = Target(
    system="linux",
    machine="x86_64",
    libc="2.36",
    python="3.12",
    accelerators=(Accelerator(vendor="nvidia", name="H100", code="9.0"),),
    drivers={"nvidia": "570.86"},
    installed={"torch": "2.4.0"},
)


def test_a_mac_has_neither_the_processor_nor_the_devices_of_this_machine() -> None:
    target = changed(_HERE, load(environment={}), system="macos")
    assert (target.machine, target.libc, target.accelerators, target.drivers, target.installed) == (
        None, None, None, {}, {},
    )  # fmt: skip
    assert target.python == "3.12"


def test_windows_on_this_machine_keeps_its_devices_and_not_its_driver() -> None:
    target = changed(_HERE, load(environment={}), system="windows")
    assert (target.machine, target.accelerators) == ("x86_64", _HERE.accelerators)
    assert (target.libc, target.drivers, target.installed) == (None, {}, {})


def test_the_same_system_changes_nothing_and_wsl_is_linux() -> None:
    for system in ("linux", "wsl"):
        target = changed(_HERE, load(environment={}), system=system)
        assert (target.drivers, target.libc, target.installed) == (_HERE.drivers, _HERE.libc, _HERE.installed)


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("macOS 15.0\n", "macos_arm64"),
        ("torch\\cuda\\__init__.py:215: UserWarning: x\n", "windows_x86_64"),
        ('File "lib\\site-packages\\torch\\_C.pyd"\n', "windows_x86_64"),
        ("Ubuntu 22.04\n", "linux_x86_64"),
    ],
)
def test_a_text_that_names_its_system_alone(text: str, platform: str) -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", f"{text}torch==2.5.1\n")], registry))
    assert machine_of(facts, registry.specs).platform == platform


def test_line_breaks_written_as_signs_are_no_path_of_windows() -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", '{"trace": "a.c\\nb.py\\nat x.py"}\ntorch==2.5.1\n')], registry))
    assert facts.host.system is None
