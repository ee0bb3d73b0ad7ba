"""Every PCI id of a record is in pci.ids, or another source is named that has it: accel.specs.listed_ids."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.specs.listed_ids import unlisted_ids

SPECS = Path(__file__).resolve().parents[2] / "specs"


def written(folder: Path, listed: dict[str, str], elsewhere: list[dict[str, str]], ids: list[str]) -> Path:
    tables: dict[str, Any] = {
        "refresh/pci_ids.yaml": {"listed": listed, "elsewhere": elsewhere},
        "nvidia/chips/road.yaml": {"chips": [{"name": "Runner 1", "pci_ids": ids}]},
        "nvidia/outlines.yaml": {
            "vendor": "nvidia",
            "outlines": [
                {"architecture": "road", "products": ["00a0,00a1 Walker"], "sources": ["x"], "confidence": "low"}
            ],
        },
    }
    for name, table in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(table), encoding="utf-8")
    return folder


def test_every_id_of_the_projects_own_records_has_a_source() -> None:
    assert unlisted_ids(str(SPECS)) == []


@pytest.mark.parametrize("number", ["10de:0001", "10de:00a1", "10de:0002"])
def test_an_id_may_be_listed_or_outlined_or_of_another_source(tmp_path: Path, number: str) -> None:
    folder = written(tmp_path, {"10de": "0001"}, [{"id": "10de:0002", "source": "a"}], ["10de:0002", number])
    assert unlisted_ids(str(folder)) == []


def test_an_id_that_no_source_has_is_named(tmp_path: Path) -> None:
    (sentence,) = unlisted_ids(str(written(tmp_path, {"10de": "0001"}, [], ["10de:0001", "10de:0003"])))
    assert sentence.startswith("nvidia/chips/road.yaml: Runner 1: pci_ids: 10de:0003 is not in pci.ids")


def test_a_source_of_an_id_that_no_record_has_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path, {"10de": "0001"}, [{"id": "10de:0009", "source": "a"}], ["10de:0001"])
    assert unlisted_ids(str(folder)) == ["pci_ids.yaml: 10de:0009: no record has this id: leave it out"]


def test_a_folder_without_the_table_has_nothing_to_compare(tmp_path: Path) -> None:
    assert unlisted_ids(str(tmp_path)) == []
