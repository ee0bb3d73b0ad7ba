"""Products that pci.ids lists are known by maker, generation and die where no figures are kept of them."""

import pytest

from accel.apps.cli.specs import run
from accel.names.index import make_index
from accel.names.vocabulary import named_tables
from accel.specs import load
from accel.specs.outlines import NOTE, outline_index, outline_records, packed_outlines, unpacked_outlines

TABLE = {
    "vendor": "nvidia",
    "outlines": [
        {
            "architecture": "kepler",
            "compute_capability": "3.0",
            "die_name": "GK104",
            "products": ["1180,1189 GeForce GTX 6800"],
            "sources": ["pciids"],
            "confidence": "derived",
        },
        {"architecture": "fermi", "products": ["- GRID K999"], "sources": ["lists"], "confidence": "derived"},
    ],
}


def test_a_row_is_a_record_without_figures() -> None:
    first, second = outline_records(TABLE)
    assert (first["name"], first["pci_ids"], first["architecture"]) == (
        "GeForce GTX 6800",
        ["10de:1180", "10de:1189"],
        "kepler",
    )
    assert (second["name"], second["pci_ids"], second["die_name"]) == ("GRID K999", [], None)


@pytest.mark.parametrize(
    ("text", "architectures"),
    [
        ("GeForce GTX 285", {"tesla"}),
        ("GeForce GT 730", {"fermi", "kepler"}),
        ("AMD Radeon HD 7970", {"gcn1"}),
        ("Opal XT [Radeon R7 M265/M365X/M465] [1002:6604]", {"gcn1"}),
        ("Intel(R) HD Graphics 4000", {"gen7"}),
        ("10de:05e3", {"tesla"}),
    ],
)
def test_a_product_without_figures_is_known(text: str, architectures: set[str]) -> None:
    found = load().named(text).chips
    assert {chip.architecture for chip in found} == architectures
    assert {chip.note for chip in found} == {NOTE}
    assert {chip.memory_bytes for chip in found} == {None}


def test_a_record_goes_before_an_outline() -> None:
    found = load().named("10de:2489").chips  # an id that only pci.ids tells, of a product that has a record
    assert [chip.note == NOTE for chip in found] == [False]


def test_every_outline_is_found_by_its_name_and_its_ids() -> None:
    specs = load()
    for vendor in ("nvidia", "amd", "intel"):
        table = specs.table(f"{vendor}/outlines")
        for record in list(outline_records(table))[::40]:
            if any(map(str.isdecimal, record["name"])):
                assert specs.named(record["name"]).chips, record["name"]
            for pci_id in record["pci_ids"][:1]:
                assert specs.named(pci_id).chips, pci_id


def test_the_index_of_outlines_is_the_same_packed() -> None:
    specs = load()
    main = make_index((name, specs.table(name)) for name, _ in named_tables(specs._folders[0].names))
    made = outline_index([("nvidia/outlines", TABLE)], main)
    again = unpacked_outlines(packed_outlines(made), main)
    assert again["names"]["geforce gtx 6800".removeprefix("geforce ")] == [0]
    assert {key: list(again["pci"][key]) for key in again["pci"]} == dict(made["pci"])


def test_the_command_says_that_no_figures_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "Radeon HD 7970"]) == 0
    assert "no figures of it are kept" in " ".join(capsys.readouterr().out.split())
