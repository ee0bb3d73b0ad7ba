"""Systems as people write them: what their names tell."""

import pytest

from accel.model.errors import BadInput
from accel.resolver.systems import NamedSystem, system_named
from accel.specs import load

NAMED = {
    "Ubuntu 22.04": NamedSystem(system="linux", libc="glibc 2.35"),
    "ubuntu": NamedSystem(system="linux", libc="glibc"),
    "Ubuntu 22.10.1": NamedSystem(system="linux", libc="glibc 2.36"),
    "jammy": NamedSystem(system="linux", libc="glibc 2.35"),
    "nvidia/cuda:12.4.1-devel-ubuntu22.04": NamedSystem(system="linux", libc="glibc 2.35"),
    "python:3.12-slim-bookworm": NamedSystem(system="linux", libc="glibc 2.36"),
    "Ubuntu 24.04 under WSL2": NamedSystem(system="linux", wsl=True, libc="glibc 2.39"),
    "Windows 11 Pro (WSL2, Ubuntu 22.04)": NamedSystem(system="linux", wsl=True, libc="glibc 2.35"),
    "WSL": NamedSystem(system="linux", wsl=True),
    "CentOS Linux release 7.9.2009 (Core)": NamedSystem(system="linux", libc="glibc 2.17"),
    "el8": NamedSystem(system="linux", libc="glibc 2.28"),
    "Red Hat Enterprise Linux Server release 7.9": NamedSystem(system="linux", libc="glibc 2.17"),
    "SUSE Linux Enterprise Server 15 SP5": NamedSystem(system="linux", libc="glibc 2.31"),
    "SLES15 SP2": NamedSystem(system="linux", libc="glibc 2.26"),
    "openEuler 22.03 LTS SP4": NamedSystem(system="linux", libc="glibc 2.34"),
    "银河麒麟 V10": NamedSystem(system="linux", libc="glibc 2.28"),
    "al2023": NamedSystem(system="linux", libc="glibc 2.34"),
    "Pop!_OS 22.04": NamedSystem(system="linux", libc="glibc 2.35"),
    "Alpine 3.20": NamedSystem(system="linux", libc="musl"),
    "Arch Linux": NamedSystem(system="linux", libc="glibc"),
    "JetPack 6.2": NamedSystem(system="linux", libc="glibc 2.35", machine="aarch64"),
    "L4T 35.4.1": NamedSystem(system="linux", libc="glibc 2.31", machine="aarch64"),
    "DGX OS 7": NamedSystem(system="linux", libc="glibc 2.39"),
    "Windows Server 2022": NamedSystem(system="windows"),
    "win11": NamedSystem(system="windows"),
    "macOS 13.6.1": NamedSystem(system="macos", version="13.6.1"),
    "macOS Sonoma": NamedSystem(system="macos", version="14"),
    "Darwin": NamedSystem(system="macos"),
}


@pytest.mark.parametrize("text", NAMED)
def test_a_name_tells_the_system_and_the_c_library_of_its_release(text: str) -> None:
    assert system_named(text, load()) == NAMED[text]


@pytest.mark.parametrize(("text", "near"), [("Ubunto 22.04", "ubuntu"), ("FreeBSD", ""), ("", ""), ("\x00" * 900, "")])
def test_another_name_is_refused_with_those_near_it(text: str, near: str) -> None:
    with pytest.raises(BadInput, match="is not known") as told:
        system_named(text, load())
    assert near in str(told.value)
