"""A redacted snapshot names nobody, keeps what belongs together together, and is still read by accel."""

from dataclasses import replace

import pytest
from accel_amd.model import AmdDevice
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.apps.privacy.home_folders import owners
from accel.apps.privacy.redact import redacted
from accel.model.device import Device, Process
from accel.model.environment import Environment, Framework, Package
from accel.model.holding import Holder, Holdings, RunningProcess
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot


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


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (r"C:\Users\Jane Doe\AppData\x.dll", r"C:\Users\user-1\AppData\x.dll"),
        (r"C:\\Users\\Jane Doe\\AppData", r"C:\\Users\\user-1\\AppData"),
        (r"c:\users\jane doe", r"c:\users\user-1"),
        (r"C:\Documents and Settings\Jane Doe\x", r"C:\Documents and Settings\user-1\x"),
        (r"C:\Users\Mary Ann O'Brien\x", r"C:\Users\user-1\x"),
        (r"C:\Users\Jane Doe\bin;C:\Windows;C:\Users\Jane Doe", r"C:\Users\user-1\bin;C:\Windows;C:\Users\user-1"),
        ('File "C:\\Users\\Jane Doe\\a.py", line 3, in f', 'File "C:\\Users\\user-1\\a.py", line 3, in f'),
        (r"'C:\Users\Jane Doe\x' is not recognized", r"'C:\Users\user-1\x' is not recognized"),
        ('"run C:\\Users\\jane doe"', '"run C:\\Users\\user-1"'),
        (r"(base) C:\Users\Jane Doe>python -c 1", r"(base) C:\Users\user-1>python -c 1"),
        (r"PS C:\Users\jane doe> python", r"PS C:\Users\user-1> python"),
        (r"\\?\C:\Users\Jane Doe\x", r"\\?\C:\Users\user-1\x"),
        ("C:/Users/Jane Doe/miniconda3/python.exe -m torch", "C:/Users/user-1/miniconda3/python.exe -m torch"),
        ("/mnt/c/Users/Jane Doe/x", "/mnt/c/Users/user-1/x"),
        ("/c/Users/Jane Doe/x", "/c/Users/user-1/x"),
        (r"\\nas01\jane$\x", r"\\host-1\share-1\x"),
        (r"\\nas01\Users\Jane Doe\x", r"\\host-1\Users\user-1\x"),
        (r"\\wsl$\Ubuntu\home\jane\x", r"\\wsl$\Ubuntu\home\user-1\x"),
        (r"\\wsl.localhost\Ubuntu\home\jane", r"\\wsl.localhost\Ubuntu\home\user-1"),
        ("file:///C:/Users/Jane%20Doe/x", "file:///C:/Users/user-1/x"),
        ("file:///C%3A/Users/Jane%20Doe/x", "file:///C%3A/Users/user-1/x"),
        ("file:///home/jane/x", "file:///home/user-1/x"),
        ("/home/jane.doe/x", "/home/user-1/x"),
        ("it is in /home/jane.doe.", "it is in /home/user-1."),
        ("/Users/Jané/x", "/Users/usér-1/x"),
        ("'/Users/Jane Doe/x y'", "'/Users/user-1/x y'"),
        ('"/Users/jane doe"', '"/Users/user-1"'),
        (r"/Users/Jane\ Doe/x", "/Users/user-1/x"),
        ("/home/jane,/home/bob", "/home/user-1,/home/user-2"),
    ],
)
def test_the_owner_of_a_home_folder_is_replaced_with_all_of_the_name(text: str, safe: str) -> None:
    assert shown(text) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (r"I am in C:\Users\jane and it fails", r"I am in C:\Users\user-1 and it fails"),
        (r"look at C:\Users\jane please", r"look at C:\Users\user-1 please"),
        (r"I am in C:\Users\Jane Doe and it fails", r"I am in C:\Users\user-1 and it fails"),
        (r"C:\Users\jane but conda/env", r"C:\Users\user-1 but conda/env"),
        (r"C:\Users\jane --x y", r"C:\Users\user-1 --x y"),
        (r"python C:\Users\jane\x.py --out D:\y", r"python C:\Users\user-1\x.py --out D:\y"),
        ("in /home/jane and /usr/lib", "in /home/user-1 and /usr/lib"),
        ("/home/jane or data/x", "/home/user-1 or data/x"),
        ("(/home/jane)", "(/home/user-1)"),
        ("/home/jane: no such file", "/home/user-1: no such file"),
        ("/home/$USER/x", "/home/$USER/x"),
        ("/home/../x", "/home/../x"),
        (r"\\.\pipe\docker_engine", r"\\.\pipe\docker_engine"),
        ("https://api.example/users/123", "https://host-1/users/123"),
    ],
)
def test_the_sentence_after_a_home_folder_stays(text: str, safe: str) -> None:
    assert shown(text) == safe


def test_a_short_name_of_an_account_is_found_in_a_sentence() -> None:
    shows = shown("True for ana; Banana and anaconda stay\nrender:x:992:ana")
    assert shows == "True for user-1; Banana and anaconda stay\nrender:x:992:user-1"


def test_a_name_with_a_blank_that_is_known_from_elsewhere_is_found_in_a_sentence() -> None:
    shows = shown(r"see C:\Users\jane doe\x: what C:\Users\jane doe holds")
    assert shows == r"see C:\Users\user-1\x: what C:\Users\user-1 holds"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="C:\\/ Users%20home'\">,.=jané\n$;", max_size=200))
def test_any_text_keeps_its_lines_and_its_order(text: str) -> None:
    spans = list(owners(text, {"jan jan"}))
    assert all(begin < end <= len(text) and "\n" not in text[begin:end] for begin, end in spans)
    assert spans == sorted(spans)


def test_a_long_hostile_line_is_read_to_its_end() -> None:
    for text in ("C:\\Users\\" * 5_000, "/home/" * 10_000, "C:\\Users\\" + "a " * 50_000, "\\" * 50_000):
        list(owners(text))


def test_a_variable_and_a_device_share_a_placeholder() -> None:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", name="of /home/olga/x")
    report = Report(backend="acme", source="acme", devices=(device,))
    environment = Environment(variables=(("NCCL_X", "/home/olga/lib"),))
    result = redacted(Snapshot(environments=(environment,), reports=(report,)))
    assert result.environments[0].variables == (("NCCL_X", "/home/user-1/lib"),)
    assert result.reports[0].devices[0].name == "of /home/user-1/x"


def test_a_host_is_replaced_in_its_long_and_its_short_form() -> None:
    assert shown("node-17.lab.example node-17 node-17b", host="node-17.lab.example") == "host-1 host-2 node-17b"


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


def test_what_a_vendor_calls_identifying_is_replaced_and_keeps_boards_apart() -> None:
    boards = [
        AmdDevice(
            id=f"amd:{n}", index=n, backend="amd", vendor="AMD", kind="gpu", unique_id=unique, uuid=f"odd {unique:x}"
        )
        for n, unique in enumerate((0x2B10_77AA_0F0F_1122, 0x2B10_77AA_0F0F_1122, 0x9911_2233_4455_6677))
    ]
    found = redacted(Snapshot(reports=(Report(backend="amd", source="sysfs", devices=tuple(boards)),)))
    safe = [d for d in found.reports[0].devices if isinstance(d, AmdDevice)]
    assert [d.unique_id for d in safe] == [1, 1, 2]
    assert [d.uuid for d in safe] == ["uuid-1", "uuid-1", "uuid-2"]
    assert redacted(found) == found


def test_whose_a_process_is_is_replaced_and_stays_one() -> None:
    process = RunningProcess(
        pid=71,
        user="olga",
        command=("python3", "/home/olga/x.py", "--api-key", "abcdef0123456789", "--lr", "0.1"),
        container="0123456789abcdef" * 4,
        container_name="olgas-run",
        engine="docker",
        pod="berg-train-7",
        pod_namespace="kube-system",
        job="4711",
    )
    held = Holdings(holders=(Holder(backend="nvidia", device="nvidia:0", process=process, nodes=("/dev/nvidia0",)),))
    shown_holdings = redacted(Snapshot(holdings=held)).holdings
    assert shown_holdings is not None
    (holder,) = shown_holdings.holders
    assert holder == Holder(
        backend="nvidia",
        device="nvidia:0",
        nodes=("/dev/nvidia0",),
        process=replace(
            process,
            user="user-1",
            command=("python3", "/home/user-1/x.py", "--api-key", "<redacted>", "--lr", "0.1"),
            container="container-1",
            container_name="container-name-1",
            pod="pod-1",
        ),
    )
