"""What a report says of a machine: grouped devices, reasons for what is unknown, specs and limits of the product."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from accel.apps.render.report.document import (
    Block,
    Charts,
    Document,
    Fact,
    Facts,
    Fault,
    Fold,
    Group,
    Lines,
    Paragraph,
    Section,
    Sources,
    Table,
)
from accel.apps.render.report.specs import peers
from accel.model.device import Device, Gap
from accel.model.diagnosis import Remedy
from accel.model.environment import Environment, Framework, Package
from accel.model.rates import measure
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry
from accel.specs.matching import matched
from accel.specs.sources import citations
from accel.vendors.contract.check import Check, Problem

Reporter = Callable[..., Document]
GIB = 2**30


def gpu(index: int, **facts: object) -> Device:
    known: dict[str, object] = {
        "name": "NVIDIA H100 80GB HBM3",
        "memory_total_bytes": 80 * GIB,
        "memory_used_bytes": index * 10 * GIB,
        **facts,
    }
    return Device(id=f"nvidia:{index}", index=index, backend="nvidia", vendor="NVIDIA", kind="gpu", **known)  # type: ignore[arg-type]


def machine(*devices: Device, gaps: Iterable[Gap] = (), origin: str = "live", **more: object) -> Snapshot:
    report = Report(
        backend="nvidia",
        source="nvml",
        driver=Driver(version="550.90.07", toolkit_version="12.4"),
        devices=devices,
        gaps=tuple(gaps),
    )
    return Snapshot(origin=origin, taken_at="2026-11-20T23:00:00Z", reports=(report,), **more)  # type: ignore[arg-type]


def inside(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Group | Fold):
            yield from inside(block.blocks)


def section(document: Document, name: str) -> Section:
    return next(part for part in document.sections if part.name == name)


def facts_of(blocks: Iterable[Block]) -> dict[str, Fact]:
    return {row.label: row for block in inside(blocks) if isinstance(block, Facts) for row in block.rows}


def words(document: Document, name: str) -> str:
    """Return all sentences of a section, a line each."""
    said = []
    for block in inside(section(document, name).blocks):
        if isinstance(block, Paragraph):
            said.append(block.text)
        if isinstance(block, Lines):
            said += block.items
    return "\n".join(said)


def test_eight_equal_gpus_are_described_once(reported: Reporter) -> None:
    document = reported(machine(*(gpu(n) for n in range(8))))
    groups = section(document, "devices").blocks
    assert [block.title for block in groups if isinstance(block, Group)] == ["8 × NVIDIA H100 80GB HBM3"]
    table = next(block for block in inside(groups) if isinstance(block, Table))
    assert [row[0] for row in table.rows] == [f"nvidia:{n}" for n in range(8)]
    assert [block.title for block in section(document, "specs").blocks if isinstance(block, Group)] == [
        "H100 SXM5 80GB"
    ]


def test_the_memory_chart_has_a_bar_for_each_device_in_shares_of_its_own_memory(reported: Reporter) -> None:
    document = reported(machine(gpu(0), gpu(4), gpu(8), gpu(9, memory_used_bytes=None)))
    chart = next(b for b in inside(section(document, "devices").blocks) if isinstance(b, Charts)).charts[0]
    assert [(bar.name, bar.value) for bar in chart.bars] == [
        ("nvidia:0", 0.0),
        ("nvidia:4", 0.5),
        ("nvidia:8", 1.0),
        ("nvidia:9", None),
    ]
    assert chart.whole == 1.0
    assert chart.bars[3].text == "unknown of 80.0 GiB"
    assert "nvidia:4 40.0 of 80.0 GiB" in chart.description


def test_partitions_stand_below_their_device_and_are_no_devices_of_their_own(reported: Reporter) -> None:
    document = reported(machine(gpu(0), Device(
        id="nvidia:0/mig1", index=1, backend="nvidia", vendor="NVIDIA", kind="gpu", name="MIG 3g.40gb",
        parent="nvidia:0", memory_total_bytes=40 * GIB,
    )))  # fmt: skip
    groups = [b for b in section(document, "devices").blocks if isinstance(b, Group)]
    assert [group.title for group in groups] == ["1 × NVIDIA H100 80GB HBM3, 1 partition"]
    table = next(block for block in inside(groups) if isinstance(block, Table))
    assert [row[0] for row in table.rows] == ["nvidia:0", "↳ nvidia:0/mig1"]


@pytest.mark.parametrize("parent", ["nvidia:0", "nvidia:1", "nowhere:9"])
def test_a_device_that_is_part_of_itself_or_of_nothing_is_not_lost(reported: Reporter, parent: str) -> None:
    document = reported(machine(gpu(0, parent=parent), gpu(1, parent="nvidia:0")))
    shown = {
        cell
        for block in inside(section(document, "devices").blocks)
        for cell in (
            [row[0] or "" for row in block.rows] if isinstance(block, Table)
            else [row.value or "" for row in block.rows] if isinstance(block, Facts)
            else []
        )
    }  # fmt: skip
    assert {"nvidia:0", "nvidia:1"} <= {cell.removeprefix("↳ ") for cell in shown}


def test_what_is_unknown_says_why_and_is_never_zero(reported: Reporter) -> None:
    gap = Gap(fact="power_watts", reason="the driver answers: not permitted", device="nvidia:0", backend="nvidia")
    document = reported(machine(gpu(0, memory_used_bytes=None), gaps=[gap]))
    text = words(document, "devices")
    assert "power (the driver answers: not permitted)" in text
    assert "health" in text
    assert "temperature" in text
    assert facts_of(section(document, "devices").blocks)["memory used"].value == "unknown of 80.0 GiB"


def test_the_reason_of_the_whole_source_is_given_where_a_device_has_none(reported: Reporter) -> None:
    gap = Gap(fact="health", reason="nvmlInit failed", backend="nvidia")
    assert "health (nvmlInit failed)" in words(reported(machine(gpu(0), gaps=[gap])), "devices")


def test_a_reason_of_another_vendor_is_not_taken(reported: Reporter) -> None:
    gap = Gap(fact="health", reason="npu-smi failed", backend="ascend")
    assert "npu-smi failed" not in words(reported(machine(gpu(0), gaps=[gap])), "devices")


def found(severity: str = "error", **facts: object) -> Check:
    def run(*_: object) -> Iterator[Problem]:
        yield Problem(title="The board is on fire", **facts)  # type: ignore[arg-type]

    return Check(code="ZZ001", name="on-fire", layer="hardware", run=run, severity=severity)  # type: ignore[arg-type]


def test_the_verdict_names_what_is_broken_first(reported: Reporter) -> None:
    remedy = Remedy(text="Put it out.", command="sudo water", action="service")
    document = reported(machine(gpu(0)), checks=[found(remedies=(remedy,))])
    assert document.verdict == "1 error: The board is on fire"
    assert document.tone == "bad"
    assert document.sections[0].name == "findings"
    fault = document.sections[0].blocks[0]
    assert isinstance(fault, Fault)
    assert [(step.command, step.who) for step in fault.steps] == [("sudo water", "needs service or replacement")]


def test_a_note_is_no_fault_and_does_not_colour_the_verdict_as_one(reported: Reporter) -> None:
    document = reported(machine(gpu(0)), checks=[found("info")])
    assert document.verdict == "No fault found. The board is on fire"
    assert document.tone == "note"


def test_too_little_knowledge_is_not_called_healthy(reported: Reporter) -> None:
    document = reported(Snapshot(origin="empty.txt"), checks=[])
    assert document.tone == "warning"
    assert document.verdict == "Undecided: too little is known for any check"


def test_a_machine_without_accelerators_has_a_short_report(reported: Reporter) -> None:
    document = reported(Snapshot(taken_at="2026-11-20T23:00:00Z"), checks=[])
    assert [part.name for part in document.sections] == ["findings", "devices", "versions", "gaps", "made"]
    assert "No accelerator was seen" in words(document, "devices")


def test_procurement_finds_memory_rates_power_and_their_sources(reported: Reporter, registry: Registry) -> None:
    document = reported(machine(gpu(0)))
    specs = section(document, "specs")
    facts = facts_of(specs.blocks)
    assert facts["memory"].value == "80.0 GiB HBM3"
    assert facts["power (TDP)"].value == "700 W"
    rates = next(block for block in inside(specs.blocks) if isinstance(block, Table))
    assert ("bf16 matrix, sums in fp32", "989 TFLOPS") in rates.rows
    sources = next(block for block in inside(specs.blocks) if isinstance(block, Sources))
    chip = registry.specs.chip("H100 SXM5")
    assert chip is not None
    labels = [item.label for item in sources.items]
    assert "NVIDIA H100 data sheet" in labels
    assert not set(labels) & set(chip.sources)
    read = [item for item in sources.items if item.address.startswith("https://")]
    assert len(read) == len(chip.sources)


def test_a_product_of_which_a_main_figure_is_not_known_says_unknown(reported: Reporter, registry: Registry) -> None:
    chip = next(
        c for c in registry.specs.chips("ascend") if c.tdp_watts is None and registry.specs.chip(c.name, "ascend")
    )
    device = Device(id="ascend:0", index=0, backend="ascend", vendor="Huawei", kind="npu", name=chip.name)
    power = facts_of(section(reported(machine(device)), "specs").blocks)["power (TDP)"]
    assert (power.value, power.why) == (None, "not in the sources")


def test_the_restrictions_give_the_answer_the_arithmetic_and_the_notice(reported: Reporter) -> None:
    text = words(reported(machine(gpu(0)), day="2023-12-01"), "restrictions")
    assert "U.S. export licence: needed." in text
    assert "TPP = " in text
    assert "Not legal advice." in text


def test_the_day_decides_which_rules_are_held_against_the_chip(reported: Reporter) -> None:
    before = reported(machine(gpu(0)), day="2022-01-01")
    assert "licence: not needed by these rules" in words(before, "restrictions")


def test_restrictions_can_be_left_out_and_the_report_says_so(reported: Reporter) -> None:
    document = reported(machine(gpu(0)), day=None)
    assert "restrictions" not in [part.name for part in document.sections]
    assert "--no-restrictions" in words(document, "made")


def test_an_unknown_product_is_not_given_the_specs_of_another(reported: Reporter) -> None:
    document = reported(machine(gpu(0, name="NVIDIA H9999 Turbo")))
    assert facts_of(section(document, "specs").blocks) == {}
    assert "no product with this name" in words(document, "specs")


def test_a_name_of_several_products_shows_them_side_by_side_and_their_licence(reported: Reporter) -> None:
    document = reported(machine(gpu(0, name="Tesla V100-PCIE...", memory_total_bytes=None)))
    table = next(block for block in section(document, "specs").blocks if isinstance(block, Table))
    sizes = {row[0]: row[1] for row in table.rows}
    assert sizes == {"Tesla V100 PCIe 16GB": "16.0 GiB", "Tesla V100 PCIe 32GB": "32.0 GiB"}
    text = words(document, "restrictions")
    assert "is the name of 2 products, and for all of them it is undecided whether a licence is needed" in text
    assert "Not legal advice." in text


@pytest.mark.parametrize(
    ("mebibytes", "chip"),
    [(16160, "Tesla V100 PCIe 16GB"), (32510, "Tesla V100 PCIe 32GB"), (24000, None), (None, None)],
)
def test_a_name_of_several_products_is_told_apart_by_its_memory(
    registry: Registry, mebibytes: int | None, chip: str | None
) -> None:
    memory = None if mebibytes is None else mebibytes * 2**20
    one, others = matched(registry.specs, "Tesla V100-PCIE...", "nvidia", None, memory)
    assert (one.name if one else None) == chip
    assert (others == ()) == (chip is not None)


def test_peers_surround_the_chip_and_none_is_its_twin(registry: Registry) -> None:
    for name in ("H100 SXM5", "RTX 4090", "Tesla T4", "Instinct MI300X", "TPU v5e"):
        chip = registry.specs.find(name)[0]
        by = "bf16" if measure(chip, "bf16") else "fp16"
        found = peers(registry.specs, chip, by)
        speeds = [measure(other, by) or 0.0 for other in found]
        assert 3 <= len(found) <= 6, name
        assert chip.name not in [other.name for other in found]
        assert all(speeds), name
        assert max(speeds) >= (measure(chip, by) or 0.0) >= min(speeds)
        assert all([other.architecture for other in found].count(a) <= 2 for a in {o.architecture for o in found})


def test_every_chip_of_the_database_has_an_address_for_each_source(registry: Registry) -> None:
    bare = [
        f"{chip.name}: {source.key}"
        for chip in registry.specs.chips()
        for source in citations(registry.specs, chip)
        if source.address == source.key
    ]
    assert bare == []


def test_versions_tell_driver_framework_python_and_packages(reported: Reporter) -> None:
    environment = Environment(
        python_version="3.12.4",
        packages=(Package(name="torch", version="2.4.0", variant="cu121"),),
        complete=True,
        frameworks=(Framework(name="torch", version="2.4.0", cuda_version="12.1", available=None),),
    )
    document = reported(machine(gpu(0), environments=(environment,), host=Host(system="linux", kernel="6.8.0")))
    blocks = section(document, "versions").blocks
    tables = {block.caption: block for block in inside(blocks) if isinstance(block, Table)}
    assert tables["Drivers"].rows[0][:2] == ("nvidia", "550.90.07")
    assert tables["Frameworks"].rows[0][:2] == ("torch", "2.4.0")
    assert facts_of(blocks)["Python"].value == "3.12.4"
    assert "torch 2.4.0+cu121" in words(document, "versions")


def test_a_framework_that_nobody_asked_is_not_said_to_see_no_device(reported: Reporter) -> None:
    frameworks = (Framework(name="torch", version="2.4.0", available=True), Framework(name="jax", version="0.4.30"))
    document = reported(machine(gpu(0), environments=(Environment(frameworks=frameworks),)))
    table = next(
        b for b in inside(section(document, "versions").blocks) if isinstance(b, Table) and b.caption == "Frameworks"
    )
    column = table.columns.index("sees a device")
    assert {row[0]: row[column] for row in table.rows} == {"torch": "yes", "jax": None}


def test_the_same_reason_for_many_devices_is_one_row_of_the_gaps(reported: Reporter) -> None:
    gaps = [Gap(fact="power_watts", reason="not permitted", device=f"nvidia:{n}") for n in range(8)]
    table = next(b for b in section(reported(machine(gpu(0), gaps=gaps)), "gaps").blocks if isinstance(b, Table))
    assert table.rows == (("power_watts", "nvidia:0, nvidia:1, nvidia:2, nvidia:3 and 4 more", "not permitted"),)


def test_names_serials_and_folders_are_shown_only_where_they_are_kept(reported: Reporter) -> None:
    device = gpu(0, serial="1650012345678", uuid="GPU-5c1d9a30-7f02-4e6b-9a11-0d2e4c6b8f10")
    snapshot = machine(device, host=Host(name="train-07"), origin="/srv/bob/report.txt")
    assert "1650012345678" not in repr(reported(snapshot))
    assert "train-07" not in repr(reported(snapshot))
    assert "/srv/bob" not in repr(reported(snapshot))
    kept = repr(reported(snapshot, identifiers=True))
    assert all(word in kept for word in ("1650012345678", "GPU-5c1d9a30", "train-07", "/srv/bob"))


def test_sixteen_devices_get_two_charts_of_eight_bars(reported: Reporter) -> None:
    document = reported(machine(*(gpu(n, memory_used_bytes=0) for n in range(16))))
    charts = next(b for b in inside(section(document, "devices").blocks) if isinstance(b, Charts)).charts
    assert [len(chart.bars) for chart in charts] == [8, 8]


def test_a_chart_of_nothing_but_unknown_use_is_not_drawn(reported: Reporter) -> None:
    document = reported(machine(gpu(0, memory_used_bytes=None)))
    assert not [b for b in inside(section(document, "devices").blocks) if isinstance(b, Charts)]


def test_a_device_with_another_memory_than_its_board_is_not_called_the_whole_board(reported: Reporter) -> None:
    document = reported(machine(gpu(0, name=None, pci_id="10de:2330", memory_total_bytes=10 * GIB)))
    product = facts_of(section(document, "devices").blocks)["product"].value
    assert product == (
        "H100 SXM5 80GB; its record has 80.0 GiB, a device here shows 10.0 GiB: a part of it, or another variant"
    )


def test_a_product_that_a_vague_name_can_mean_is_not_taken_for_the_device(reported: Reporter) -> None:
    document = reported(machine(gpu(0, name="Gtx 1060", memory_total_bytes=None)))
    product = str(facts_of(section(document, "devices").blocks)["product"].value)
    assert product.startswith("perhaps ")
    assert {name.removeprefix("GeForce GTX 1060 ") for name in product.removeprefix("perhaps ").split(" or ")} == {
        "3GB",
        "5GB",
        "6GB",
    }
    assert "is the name of 3 products, and for all of them it is undecided" in words(document, "restrictions")
