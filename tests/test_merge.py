"""Several sources about one machine become one device each."""

from accel.model.device import Device
from accel.model.environment import Environment, Framework, Package
from accel.model.merge import filled, merged_devices
from accel.model.merge_environment import merged_environment
from accel.model.report import Report


def device(index: int = 0, **facts: object) -> Device:
    return Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="gpu", **facts)  # type: ignore[arg-type]


def report(source: str, trust: int, *devices: Device) -> Report:
    return Report(backend="acme", source=source, trust=trust, devices=devices)


def test_the_more_trusted_source_wins_and_the_other_fills_what_it_lacks() -> None:
    text = report("text", 10, device(name="A", power_watts=5.0))
    live = report("live", 90, device(name="B"))
    (merged,), _ = merged_devices([text, live])
    assert (merged.name, merged.power_watts) == ("B", 5.0)


def test_a_zero_is_a_value_and_is_not_filled_over() -> None:
    (merged,), _ = merged_devices(
        [report("a", 90, device(utilization_percent=0.0)), report("b", 10, device(utilization_percent=50.0))]
    )
    assert merged.utilization_percent == 0.0


def test_the_same_address_is_the_same_device_though_the_indices_differ() -> None:
    host = report("host", 60, device(3, pci_address="0000:3b:00.0", name="A"))
    container = report("container", 50, device(0, pci_address="0000:3b:00.0", uuid="GPU-1"))
    (merged,), _ = merged_devices([host, container])
    assert (merged.id, merged.uuid) == ("acme:3", "GPU-1")


def test_different_uuids_are_different_devices_though_the_indices_agree() -> None:
    found, _ = merged_devices([report("a", 60, device(uuid="GPU-1")), report("b", 50, device(uuid="GPU-2"))])
    assert len(found) == 2


def test_sources_that_disagree_about_a_steady_fact_leave_a_gap() -> None:
    a = report("a", 60, device(serial="1", pci_address="0000:01:00.0"))
    b = report("b", 50, device(serial="2", pci_address="0000:01:00.0"))
    (merged,), (gap,) = merged_devices([a, b])
    assert merged.serial == "1"
    assert (gap.fact, gap.device) == ("serial", "acme:0")


def test_the_cpu_stands_last() -> None:
    cpu = Device(id="cpu:0", index=0, backend="cpu", vendor="Intel", kind="cpu")
    found, _ = merged_devices([Report(backend="cpu", source="x", devices=(cpu,)), report("a", 50, device())])
    assert [d.id for d in found] == ["acme:0", "cpu:0"]


def test_filling_twice_changes_nothing_more() -> None:
    once = filled(device(name="A"), device(name="B", serial="1"))
    assert filled(once, device(name="B", serial="1")) == once


def test_environments_keep_all_packages_and_merge_frameworks_by_name() -> None:
    pip = Environment(
        packages=(Package(name="torch", version="2.4.0"),), frameworks=(Framework(name="torch", version="2.4.0"),)
    )
    said = Environment(frameworks=(Framework(name="torch", cuda_version="12.1"),), variables=(("A", "1"),))
    merged = merged_environment([pip, said])
    assert merged.frameworks == (Framework(name="torch", version="2.4.0", cuda_version="12.1"),)
    assert merged.packages == pip.packages
    assert merged.variables == (("A", "1"),)


def test_an_empty_list_of_processes_is_known_and_fills_an_unknown_one() -> None:
    reports = [report("board", 70, device()), report("table", 60, device(processes=()))]
    assert [d.processes for d in merged_devices(reports)[0]] == [()]
