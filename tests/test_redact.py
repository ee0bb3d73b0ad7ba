"""A redacted snapshot names nobody, keeps what belongs together together, and is still read by accel."""

import pytest

from accel.model.device import Device, Process
from accel.model.environment import Environment, Framework, Package
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.redact import redacted


def shown(text: str, host: str | None = None) -> str:
    """Return what becomes of a variable's value."""
    snapshot = Snapshot(host=Host(name=host), environments=(Environment(variables=(("NCCL_X", text),)),))
    variables = redacted(snapshot).environments[0].variables
    assert variables is not None
    return variables[0][1]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("hf_AbCdEfGhIjKlMnOpQr", "hf_Ab"),
        ("--api-key abcdef0123456789 --port 80", "abcdef0123456789"),
        ("--hf-token=abcdef0123456789", "abcdef0123456789"),
        ("Authorization: Bearer abcdef.0123456789", "abcdef.0123456789"),
        ("curl -H 'bearer abcdef0123456789'", "abcdef0123456789"),
        ("https://olga:pa55wort@git.example/x", "pa55wort"),
        ("password = hunter2", "hunter2"),
        ("10.1.2.3:29500", "10.1.2.3"),
        ("fe80::1ff:fe23:4567:890a", "fe23"),
        ("[2001:db8::7]:29500", "db8"),
        ("2001:db8:0:0:0:0:0:7", "db8"),
        ("aa:bb:cc:dd:ee:0f", "cc:dd"),
        ("olga.berg@example.org", "olga"),
        ("/home/olga/lib:/scratch/olga", "olga"),
        (r"C:\Users\olga\cuda", "olga"),
        ("GPU-5c1d9a30-7f02-4e6b-9a11-0d2e4c6b8f10", "7f02"),
    ],
)
def test_what_names_somebody_is_replaced(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in shown(text)


@pytest.mark.parametrize(
    "text",
    ["127.0.0.1", "0000:3b:00.0", "c10::Error", "std::bad_alloc", "--tokenizer llama", "max_tokens 512", "12:30:45"],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert shown(text) == text


def test_a_host_is_replaced_in_its_long_and_its_short_form() -> None:
    assert shown("node-17.lab.example node-17 node-170", host="node-17.lab.example") == "host-1 host-2 node-170"


@pytest.mark.parametrize("host", ["torch", "nvidia", "ubuntu", "numpy"])
def test_a_host_that_is_called_like_a_package_leaves_the_packages_their_names(host: str) -> None:
    packages = (Package(name="torch", version="2.4.0"), Package(name="numpy", version="1.26.4"))
    device = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu")
    snapshot = Snapshot(
        host=Host(name=host),
        environments=(Environment(packages=packages, frameworks=(Framework(name="torch"),)),),
        reports=(Report(backend="nvidia", source="nvml", devices=(device,)),),
    )
    result = redacted(snapshot)
    assert result.host.name == "host-1"
    assert result.environments == snapshot.environments
    assert result.reports == snapshot.reports


def test_one_value_has_one_placeholder_and_two_values_have_two() -> None:
    holder = Process(pid=7, name="/home/olga/run.py", user="olga")
    devices = tuple(
        Device(id=f"nvidia:{n}", index=n, backend="nvidia", vendor="NVIDIA", kind="gpu", serial=s, processes=(holder,))
        for n, s in enumerate(("1650001", "1650002", "1650001"))
    )
    snapshot = Snapshot(reports=(Report(backend="nvidia", source="nvml", devices=devices),))
    first, second, third = redacted(snapshot).reports[0].devices
    assert first.serial == third.serial != second.serial
    assert first.processes == (Process(pid=7, name="/home/user-1/run.py", user="user-1"),)


def test_a_version_of_four_numbers_is_no_address() -> None:
    driver = Driver(version="470.223.2.1", library_version="10.2.3.4")
    snapshot = Snapshot(reports=(Report(backend="nvidia", source="nvml", driver=driver),))
    assert redacted(snapshot) == snapshot
