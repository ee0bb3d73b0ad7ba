"""Reader rules: YAML that says how a tool's output is read."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.text.layouts.layout import Read, ReaderRule, reader_rule
from accel.text.layouts.layout import read as each_read
from accel.text.layouts.mistakes import rule_mistakes
from accel.text.layouts.quantity import quantity
from accel.text.layouts.tool import record_stated

ROOT = Path(__file__).parent.parent.parent
HEAD = {"backend": "acme", "vendor": "Acme", "kind": "npu"}
FACTS = {
    "index": "index",
    "name": "name",
    "memory_total_bytes": {"from": "total", "unit": "MiB"},
    "temperature_celsius": {"from": "celsius", "unit": "C"},
    "health": {"from": "state", "values": {"OK": "ok", "Failed": "critical"}},
}
LAYOUTS: dict[str, tuple[dict[str, Any], str]] = {
    "rows": (
        {"rows": r"^dev(?P<index>\d+) (?P<name>\S+) (?P<total>\S+) (?P<celsius>\S+) (?P<state>\w+)$"},
        "ACME\ndev0 X1 65536 61 OK\ndev1 X1 N/A - Failed\n",
    ),
    "rows over two lines": (
        {"rows": r"^dev(?P<index>\d+) (?P<name>\S+)\n +(?P<total>\S+) (?P<celsius>\S+) (?P<state>\w+)$"},
        "ACME\ndev0 X1\n   65536 61 OK\ndev1 X1\n   N/A - Failed\n",
    ),
    "sections": (
        {"sections": r"Device (?P<index>\d+)"},
        "ACME\nDevice 0\n  Name : X1\n  Memory\n    Total : 65536\n  Heat : 61\n  State : OK\n"
        "Device 1\n  Name : X1\n  Memory\n    Total : N/A\n  Heat : -\n  State : Failed\n",
    ),
    "columns": (
        {"columns": r"\*idx +name +total +celsius +state"},
        "ACME\n*idx name total celsius state\n0 X1 65536 61 OK\n1 X1 N/A - Failed\n",
    ),
    "columns between bars": (
        {"columns": r"\| *idx *\|.*", "between": "|"},
        "ACME\n| idx | Name | Total | Celsius | State |\n|  0  | X1 | 65536 | 61 | OK |\n"
        "| 1 | X1 | N/A |  | Failed |\n",
    ),
    "table": (
        {
            "table": {
                "title": "ACME",
                "own": r"\| Dev +Name \| Bus",
                "head": r"\| Dev +Name",
                "columns": {
                    "Bus": "{bus}",
                    "Mem": r"(?P<total>\S+)",
                    "Temp": r"(?P<celsius>\S+)",
                    "State": r"(?P<state>\S+)",
                    "Dev": r"(?P<index>\d+)",
                    "Name": r"(?P<name>\S+)",
                },
            }
        },
        "ACME\n| Dev Name | Bus          | Mem   |\n|          | Temp         | State |\n|=====|\n"
        "| 0   X1   | 00:01.0      | 65536 |\n|          | 61           | OK    |\n"
        "| 1   X1   | 00:02.0      | N/A   |\n|          | -            | Failed |\n",
    ),
    "csv": (
        {"csv": True},
        "ACME\nindex, name, total, celsius, state\n0, X1, 65536, 61, OK\n1, X1, N/A, -, Failed\n",
    ),
    "json": (
        {"json": "data.devices"},
        '# ACME\n{"data": {"devices": [{"id": 0, "name": "X1", "memory": {"total": 65536}, "heat": 61, "state": "OK"},'
        ' {"id": 1, "name": "X1", "memory": {"total": "N/A"}, "heat": null, "state": "Failed"}]}}\n',
    ),
}
NAMES = {  # of the facts' values, where a layout has its own
    "sections": {"name": "name", "total": "memory/total", "celsius": "heat", "state": "state"},
    "columns": {"index": "idx"},
    "columns between bars": {"index": "idx"},
    "json": {"index": "id", "total": "memory.total", "celsius": "heat"},
}


def read(rule: ReaderRule, text: str) -> Read | None:
    return next(each_read(rule, text), None)


def stated(layout: str, **changes: Any) -> dict[str, Any]:
    form, example = LAYOUTS[layout]
    names = NAMES.get(layout, {})
    facts: dict[str, Any] = {
        field: names.get(fact, fact)
        if isinstance(fact, str)
        else {**fact, "from": names.get(fact["from"], fact["from"])}
        for field, fact in FACTS.items()
    }
    gives = [
        {"index": 0, "name": "X1", "memory_total_bytes": 2**36, "temperature_celsius": 61, "health": "ok"},
        {"index": 1, "memory_total_bytes": None, "temperature_celsius": None, "health": "critical"},
    ]
    return {"name": "acme", "signs": ["ACME"], **form, "facts": facts, "example": example, "gives": gives, **changes}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_reads_the_same_facts(layout: str) -> None:
    assert list(rule_mistakes(stated(layout), HEAD)) == []
    found = read(reader_rule(stated(layout), HEAD), LAYOUTS[layout][1])
    assert found is not None
    assert [d.id for d in found.devices] == ["acme:0", "acme:1"]
    assert found.devices[0].kind == "npu"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_cut_text_gives_the_devices_that_are_whole_and_no_others(layout: str) -> None:
    rule, text = reader_rule(stated(layout), HEAD), LAYOUTS[layout][1]
    whole = read(rule, text)
    assert whole is not None
    for end in range(len(text)):
        found = read(rule, text[:end])
        assert found is None or {d.id for d in found.devices} <= {d.id for d in whole.devices}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.text(max_size=400))
def test_a_foreign_text_gives_nothing_and_breaks_nothing(layout: str, text: str) -> None:
    assert read(reader_rule(stated(layout), HEAD), text) is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_not_known_of_a_device_is_said_to_be_missing(layout: str) -> None:
    text = LAYOUTS[layout][1].replace("Failed", "Sleepy")
    found = read(reader_rule(stated(layout), HEAD), text)
    assert found is not None
    assert {(gap.device, gap.fact): gap.reason for gap in found.gaps} == {
        ("acme:1", "memory_total_bytes"): "acme does not say so",
        ("acme:1", "temperature_celsius"): "acme does not say so",
        ("acme:1", "health"): "no rule reads what acme says: Sleepy",
    }


def test_a_device_that_a_tool_prints_twice_is_one() -> None:
    text = LAYOUTS["rows"][1]
    found = read(reader_rule(stated("rows"), HEAD), text + text)
    assert found is not None
    assert len(found.devices) == 2


def sections_of(text: str, facts: dict[str, Any], **more: Any) -> Read | None:
    rule = {"name": "acme", "signs": ["Device"], "sections": r"Device(?: (?P<slot>\d+))?", "facts": facts, **more}
    stating = {"tools": [{"command": ["acme"], "fields": {"errors": {"type": "count"}}}], **HEAD}
    return read(reader_rule({**rule, "example": "", "gives": []}, HEAD, record_stated(stating)), text)


def test_a_fact_may_be_joined_matched_and_found_under_several_names() -> None:
    facts = {
        "pci_address": "{bus/domain}:{bus/number}:00.0",
        "pci_id": {"from": "device id", "match": "0x(....)(....)", "join": "{2}:{1}"},
        "memory_total_bytes": [{"from": "big", "unit": "GiB"}, {"from": "small*", "unit": "MiB"}],
        "errors": {"sum_of": "bad/.*"},
        "health": {"sum_of": "bad/.*", "critical_above": 4},
    }
    text = "Device\n  Device ID : 0x12341E99\n  Small(1) : 512\n  Bus\n    Domain : 0000\n    Number : 3b\n"
    found = sections_of(f"{text}  Bad\n    One : 2\n    Two : 3\n", facts)
    assert found is not None
    (device,) = found.devices
    assert (device.pci_address, device.pci_id) == ("0000:3b:00.0", "1e99:1234")
    assert (device.memory_total_bytes, getattr(device, "errors", None), device.health) == (2**29, 5, "critical")


def test_a_device_with_fields_of_its_own_survives_another_process() -> None:
    found = sections_of("Device 0\n  Errors : 3\n", {"index": "slot", "errors": "errors"})
    assert found is not None
    assert pickle.loads(pickle.dumps(found.devices)) == found.devices
    assert type(pickle.loads(pickle.dumps(found.devices[0]))) is type(found.devices[0])


def test_devices_of_another_maker_are_left_out_and_keep_their_place() -> None:
    text = "".join(f"Device\n  Name : {name}\n  Serial : {n}\n" for n, name in enumerate(("Beta", "Acme", "N/A")))
    found = sections_of(text, {"name": "name", "serial": "serial"}, ours={"name": "Acme.*|N/A"})
    assert found is not None
    assert [(d.index, d.serial) for d in found.devices] == [(1, "1"), (2, "2")]
    assert (
        sections_of(text.replace("Acme", "Beta").replace("N/A", "Beta"), {"name": "name"}, ours={"name": "A.*"}) is None
    )
    assert sections_of(text, {"name": "name"}, only="Gamma") is None


def test_a_place_is_an_index_only_where_the_text_leaves_both_out() -> None:
    facts = {"index": {"from": "minor", "order_without": "name"}, "serial": "serial", "name": "name"}
    found = sections_of("Device\n  Serial : a\nDevice\n  Name : X\nDevice\n  Minor : 7\n  Name : X\n", facts)
    assert found is not None
    assert [(device.index, device.serial) for device in found.devices] == [(0, "a"), (7, None)]


def test_of_several_lines_about_one_device_the_first_is_filled_or_the_last_counts() -> None:
    facts = {"index": "dev", "serial": "sn", "power_watts": {"from": "pwr", "unit": "W"}}
    text = "ACME\nDev Sn Pwr\n0 a -\n0 b 7\n"
    rule = {"name": "acme", "signs": ["ACME"], "columns": "Dev Sn", "facts": facts, "example": "", "gives": []}
    for latest, serial in ((False, "a"), (True, "b")):
        found = read(reader_rule({**rule, "latest": latest, "gaps": False}, HEAD), text)
        assert found is not None
        assert [(device.serial, device.power_watts) for device in found.devices] == [(serial, 7.0)]


@pytest.mark.parametrize(
    ("layout", "changes", "sentence"),
    [
        ("rows", {"csv": True}, "rows and csv"),
        ("rows", {"rows": "("}, "a regular expression"),
        ("rows", {"facts": {**FACTS, "nam": "name"}}, "did you mean name?"),
        ("rows", {"facts": {**FACTS, "name": "nmae"}}, "'nmae' (did you mean name?)"),
        ("rows", {"facts": {**FACTS, "power_watts": {"from": "total", "unit": "MiB"}}}, "one of W, mW, kW"),
        ("rows", {"facts": {**FACTS, "memory_total_bytes": "total"}}, "expected unit"),
        ("rows", {"facts": {**FACTS, "health": "state"}}, "each printed word"),
        ("rows", {"facts": {**FACTS, "name": {"from": "name", "units": "C"}}}, "got units"),
        ("rows", {"driver": {"verson": "x(.)"}}, "did you mean version?"),
        ("rows", {"driver": {"version": "x"}}, "one group, got 0"),
        ("rows", {"signs": ["OTHER"]}, "expected one of them in the example"),
        ("rows", {"gives": []}, "the 2 devices"),
        ("rows", {"gives": [{"index": 0, "name": "X2"}, {}]}, "expected 'X1'"),
        ("rows", {"gives": [{"heat": 1}, {}]}, "a fact of a device"),
        ("json", {"json": 3}, "a path"),
        ("table", {"table": {"title": "ACME"}}, "expected a regular expression"),
        ("rows", {"facts": {**FACTS, "name": {"from": "name", "match": "("}}}, "a regular expression for match"),
    ],
)
def test_a_mistake_in_a_rule_is_named(layout: str, changes: dict[str, Any], sentence: str) -> None:
    said = " ".join(f"{field}: {mistake}" for field, mistake in rule_mistakes(stated(layout, **changes), HEAD))
    assert sentence in said


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("512 MB", "MiB", 512 * 2**20),
        ("512 MB", "GB", 512e6),
        ("1 GiB", "MB", 2**30),
        ("81559MiB", "MiB", 81559 * 2**20),
        ("300 K", "K", 300 - 273.15),
        ("300 K", "MiB", None),
        ("41500 mW", "W", 41.5),
        ("12 W", "%", None),
        ("1e309", "W", None),
        ("N/A", "C", None),
        ("55 degC", "C", 55),
    ],
)
def test_the_rules_unit_tells_the_base_and_the_printed_one_the_prefix(
    text: str, unit: str, value: float | None
) -> None:
    assert quantity(text, unit) == value


def test_the_rule_of_the_page_reads_its_example() -> None:
    page = (ROOT / "docs/data-only-plugin.md").read_text(encoding="utf-8")
    table = yaml.safe_load(re.findall(r"^```yaml file=acme/readers/\S+\n(.*?)^```$", page, re.M | re.S)[0])
    assert [list(rule_mistakes(rule, table)) for rule in table["readers"]] == [[]]
