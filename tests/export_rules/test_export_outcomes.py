"""Known chips come out of the export rules as makers and agencies reported; what is unknown stays undecided."""

from pathlib import Path
from typing import Any

import pytest

from accel.model.errors import BadInput
from accel.specs import Chip, load
from accel.specs.export_rules.evaluate import ExportFinding, export_finding
from accel.specs.export_rules.restrictions import restrictions_of
from accel.specs.export_rules.rules import destination, rules
from accel.specs.restrictions_shape import mistakes
from accel.specs.store import parse

WORKED = parse(str(Path(__file__).with_name("worked.yaml")))
_QUANTITIES = {
    "performance": "processing_performance",
    "density": "performance_density",
    "io": "io_bandwidth",
    "memory": "memory_bandwidth",
}


def judged(chip: Chip, date: str = "2026-06-15", to: str | None = "China") -> ExportFinding:
    specs = load()
    return export_finding(specs, chip, date, destination(specs, to))


def named(name: str) -> Chip:
    chip = load().chip(name)
    assert chip is not None, name
    return chip


def made(**facts: Any) -> Chip:
    known: dict[str, Any] = {
        "name": "Runner 1",
        "vendor": "acme",
        "architecture": "road",
        "kind": "gpu",
        "marketed_for_datacenter": True,
        "die_non_planar": True,
        "pcie_generation": 5,
        "pcie_lanes": 16,
        "memory_bandwidth_bytes_per_second": 10**12,
        "released": "2024-01-01",
    }
    return Chip(**{**known, **facts})


def outcomes(found: ExportFinding) -> dict[str, str]:
    return {rule.rule: rule.outcome for rule in (*found.before, *found.in_force, *found.since)}


@pytest.mark.parametrize("row", WORKED, ids=lambda row: str(row["chip"]))
def test_a_known_chip_has_the_outcome_that_was_reported(row: dict[str, Any]) -> None:
    found = judged(named(row["chip"]))
    for key, name in _QUANTITIES.items():
        bounds = found.quantities.numbers[name]
        if row[key] is None:
            assert not bounds.known, name
        else:
            assert bounds.low == pytest.approx(row[key], rel=0.003), name
    have = outcomes(found)
    assert {key: have[key] for key in row["outcomes"]} == row["outcomes"]
    assert have["3a090-2024"] == have["3a090-2023"]
    now = next(rule for rule in found.in_force if rule.rule == "3a090-2024")
    assert any(item.exception for item in now.classes if item.holds) == row["exception"]


@pytest.mark.parametrize(
    ("name", "date", "to", "licence"),
    [
        ("A100 SXM4 80GB", "2022-06-01", "China", "not needed by these rules"),
        ("A100 SXM4 80GB", "2022-09-01", "China", "needed"),
        ("A100 SXM4 80GB", "2022-11-01", "China", "needed"),
        ("A100 SXM4 80GB", "2022-11-01", "UAE", "not needed by these rules"),
        ("A100 SXM4 80GB", "2024-05-01", "UAE", "needed"),
        ("A100 SXM4 80GB", "2024-05-01", "Germany", "not needed by these rules"),
        ("A100 SXM4 80GB", "2024-05-01", "Israel", "not needed by these rules"),
        ("A800 SXM4 80GB", "2023-10-22", "CN", "not needed by these rules"),
        ("A800 SXM4 80GB", "2023-10-23", "CN", "needed"),
        ("GeForce RTX 4090", "2023-10-30", "CN", "not needed by these rules"),
        ("GeForce RTX 4090", "2023-11-17", "CN", "needed"),
        ("H20 96GB", "2025-04-08", "China", "not needed by these rules"),
        ("H20 96GB", "2025-04-09", "China", "needed"),
        ("H20 96GB", "2025-04-09", "Vietnam", "not needed by these rules"),
        ("Ascend 910B1", "2025-06-01", "Macau", "needed"),
        ("Ascend 910B4", "2024-06-01", "China", "undecided"),
        ("Instinct MI308X", "2023-12-01", "China", "undecided"),
        ("Instinct MI308X", "2025-06-01", "China", "needed"),
        ("RTX PRO 6000D Blackwell Max-Q", "2025-10-01", "China", "undecided"),
        ("H100 SXM5 80GB", "2026-06-15", "US", "not needed by these rules"),
    ],
)
def test_the_answer_is_that_of_the_day_and_the_destination(name: str, date: str, to: str, licence: str) -> None:
    assert judged(named(name), date, to).licence == licence


def test_an_unknown_die_area_is_undecided_and_says_what_would_settle_it() -> None:
    found = judged(made(dense_operations_per_second={"fp16_tensor_acc32": 200 * 10**12}), "2024-06-01")
    assert found.licence == "undecided"
    rule = next(rule for rule in found.in_force if rule.rule == "3a090-2024")
    assert any("at most 541 mm²" in text for text in rule.if_known)


def test_a_known_die_area_decides_at_the_threshold_itself() -> None:
    rates = {"fp16_tensor_acc32": 100 * 10**12}
    at, over = (
        judged(made(dense_operations_per_second=rates, die_area_mm2=area), "2024-06-01") for area in (500.0, 500.01)
    )
    assert outcomes(at)["3a090-2024"] == "3A090.b"
    assert outcomes(over)["3a090-2024"] == "not controlled"


def test_rates_of_plain_units_alone_never_clear_a_chip_with_matrix_units() -> None:
    chip = made(vendor="nvidia", architecture="ampere", dense_operations_per_second={"fp32": 38 * 10**12})
    found = judged(chip, "2024-06-01")
    assert found.licence == "undecided"
    assert found.quantities.numbers["processing_performance"].low == 1216


def test_nothing_known_is_undecided_at_every_rule_that_needs_it() -> None:
    found = judged(made(memory_bandwidth_bytes_per_second=None, pcie_generation=None), "2022-12-01")
    assert found.licence == "undecided"


def test_a_board_of_several_chips_counts_by_the_chip() -> None:
    one = made(dense_operations_per_second={"int8": 150 * 10**12}, die_area_mm2=400)
    four = made(dense_operations_per_second={"int8": 600 * 10**12}, die_area_mm2=400, devices_per_board=4)
    assert (
        judged(one).quantities.numbers["performance_density"] == judged(four).quantities.numbers["performance_density"]
    )


def test_the_arithmetic_and_thin_margins_are_said() -> None:
    found = judged(named("H20 96GB"), "2024-06-01")
    assert any(
        "148.0 tera-operations/s (fp16_tensor_acc32, dense) × 16 bits = 2368" in step for step in found.quantities.steps
    )
    assert any("2368 ÷ 814 mm²" in step for step in found.quantities.steps)
    assert any("TPP 2368 ≥ 2400: 1.3% below" in text for text in found.thin_margins)
    assert "Not legal advice" in found.notice


def test_rules_before_and_since_the_day_are_told() -> None:
    found = judged(named("H20 96GB"), "2024-06-01")
    assert {rule.rule for rule in found.before} >= {"3a090-2022", "3a090-2023"}
    assert {rule.rule for rule in found.since} >= {"letters-2025-04", "review-2026-01"}
    assert all(rule.changed for rule in found.since)


def test_letters_bind_only_the_makers_that_they_name() -> None:
    found = judged(made(memory_bandwidth_bytes_per_second=2 * 10**12, die_area_mm2=800.0), "2025-06-01")
    letter = next(rule for rule in found.in_force if rule.rule == "letters-2025-04")
    assert (letter.outcome, letter.addressed, letter.applies) == ("by letter", False, False)


def test_every_rule_has_sources_dates_and_confidence() -> None:
    for rule in rules(load()):
        assert all(source.startswith("https://") for source in rule.sources), rule.name
        assert rule.sources, rule.name
        assert rule.confidence, rule.name
        assert rule.applies_until is None or rule.applies_from <= rule.applies_until, rule.name


@pytest.mark.parametrize("to", ["China", "UAE", "Germany"])
def test_behind_the_day_up_to_which_the_rules_are_known_the_verdict_is_undecided_since_then(to: str) -> None:
    chip = named("H100 SXM5 80GB")
    until = min(rule.known_until for rule in rules(load()) if rule.known_until)
    known, later = judged(chip, f"{until}-30", to), judged(chip, "2031-01-01", to)
    assert later.licence == "undecided"
    assert later.because.startswith("since 2026-07-01: what was published later is not in this data. Until then: ")
    for before, now in zip(known.in_force, later.in_force, strict=True):
        assert now.outcome == "undecided since 2026-07-01"
        assert now.until_then == before.outcome
        assert now.applies is (None if now.in_scope and now.addressed else False)
        assert before.until_then is None


def test_what_goes_to_the_country_of_the_rules_needs_no_licence_whatever_came_later() -> None:
    assert judged(named("H100 SXM5 80GB"), "2031-01-01", "US").licence == "not needed by these rules"


def test_a_rule_that_ended_stays_as_it_was() -> None:
    found = judged(named("H100 SXM5 80GB"), "2031-01-01")
    assert all(rule.until_then is None for rule in found.before)


def test_a_rule_in_force_without_the_day_up_to_which_it_is_known_is_a_mistake() -> None:
    table = {**load().table("restrictions/export_control"), "quantities": []}
    table["rules"] = [{**rule, "known_until": None} for rule in table["rules"] if not rule.get("applies_until")][:1]
    places = [place for place, *_ in mistakes("restrictions/export_control", table, {"scopes": {}})]
    assert any(place.endswith(".known_until") for place in places)


@pytest.mark.parametrize(
    ("name", "date", "says"),
    [
        ("affiliates-2025", "2026-11-09", "The suspension ended by its own terms"),
        ("affiliates-2025", "2026-11-10", "Known up to 2026-11-09: undecided since 2026-11-10."),
        ("match-act", "2026-04-02", "(bill): H.R. 8170"),
        ("gain-ai-act", "2026-01-01", "(bill): "),
        ("remote-access-security-act", "2026-01-12", "(bill): H.R. 2683"),
        ("chip-security-act", "2026-06-01", "out of the House Foreign Affairs Committee on 2026-03-26"),
        ("china-2025-09", "2025-10-01", "(order): China's internet regulator reportedly ordered"),
        ("china-2025-11", "2026-02-01", "(guidance): "),
    ],
)
def test_a_bill_an_order_and_a_suspension_are_said_as_what_they_are(name: str, date: str, says: str) -> None:
    told = [text for text in judged(named("H20 96GB"), date).not_judged if text.startswith(f"{name} (")]
    assert len(told) == 1
    assert says in told[0]


def test_a_bill_is_not_told_before_it_was_introduced() -> None:
    told = judged(named("H20 96GB"), "2024-06-01").not_judged
    assert not any(text.startswith(("match-act", "gain-ai-act", "china-2025-09")) for text in told)


def test_every_chip_can_be_judged_on_every_day() -> None:
    for chip in load().chips():
        for date in ("2022-09-01", "2023-10-25", "2026-06-15", "2031-01-01"):
            assert judged(chip, date).licence in ("needed", "not needed by these rules", "undecided")


@pytest.mark.parametrize(
    ("date", "to", "says"),
    [
        ("2024-6-1", None, "expected a day of the calendar"),
        ("2024-02-30", None, "expected a day of the calendar"),
        ("2024-02-20", "Chna", "Did you mean China?"),
    ],
)
def test_a_date_or_country_that_cannot_be_read_is_refused(date: str, to: str | None, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        restrictions_of(load(), named("H20 96GB"), date, to)
    assert says in str(caught.value)
