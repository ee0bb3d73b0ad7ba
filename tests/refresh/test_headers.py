"""Headers are read as C writes them, and a table is told what it lacks, names otherwise or numbers otherwise."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from specs.refresh.headers import compared, lines_of, main, numbered

HEADER = """
/* ACME_ERROR_COMMENTED = 3, */
typedef enum acmeStatus {
    ACME_OK = 0,                 // ACME_ERROR_NOT = 4
    ACME_ERROR_FIRST = 1,
#if ACME_VERSION > 2
    ACME_ERROR_SECOND,
#endif
    ACME_ERROR_HEX = 0x1000 + 2,
    ACME_ERROR_OF_ANOTHER = OTHER_BASE + 1,
    ACME_ERROR_LAST = ACME_ERROR_HEX
} acmeStatus_t;
#define ACME_BASE (-8000)
#define ACME_ERROR_DEFINED (ACME_BASE - 6)
static const int32_t ACME_ERROR_CONSTANT = 507000; // words
"""


def test_enumerators_definitions_and_constants_are_numbered() -> None:
    assert numbered(HEADER) == {
        "ACME_OK": 0,
        "ACME_ERROR_FIRST": 1,
        "ACME_ERROR_SECOND": 2,
        "ACME_ERROR_HEX": 4098,
        "ACME_ERROR_LAST": 4098,
        "ACME_BASE": -8000,
        "ACME_ERROR_DEFINED": -8006,
        "ACME_ERROR_CONSTANT": 507000,
    }


def test_a_table_is_told_what_it_lacks() -> None:
    rows = [
        {"code": "1", "names": ["ACME_ERROR_FIRST"]},
        {"code": "0x1002", "names": ["ACME_ERROR_HEX"]},
        {"code": "-8006", "meaning": "without a name"},
        {"code": "5", "names": ["ACME_ERROR_CONSTANT"]},
    ]
    found = compared({"starts": ["ACME_ERROR_"], "without": ["ACME_ERROR_LA*"]}, rows, [HEADER])
    assert found.lacking == (("ACME_ERROR_SECOND", 2),)
    assert found.renamed == (("ACME_ERROR_DEFINED", -8006),)
    assert found.moved == (("ACME_ERROR_CONSTANT", 507000, "5"),)
    assert list(lines_of("acme", found, True)) == [
        "acme: 3 of 5 names",
        '  - {code: "2", names: ["ACME_ERROR_SECOND"], meaning: ""}',
        "  code -8006 is there, without the name ACME_ERROR_DEFINED",
        "  ACME_ERROR_CONSTANT is 507000, and 5 here",
    ]


def test_a_name_known_by_its_older_number_is_no_fault_where_the_newer_has_a_row() -> None:
    stated = {"starts": ["ACME_ERROR_FIRST"], "older": ["ACME_ERROR_FIRST"]}
    named = {"code": "9", "names": ["ACME_ERROR_FIRST"]}
    assert compared(stated, [named, {"code": "1"}], [HEADER]).moved == ()
    assert compared(stated, [named], [HEADER]).moved == (("ACME_ERROR_FIRST", 1, "9"),)


def test_the_command_compares_the_tables_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "nccl.h").write_text("enum { ncclSystemError = 2, ncclInternalError = 3 };")
    assert main([str(tmp_path)]) == 0
    (tmp_path / "deep" / "nccl.h").write_text("enum { ncclSystemError = 2, ncclInvalidWeather = 77 };")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        "nvidia/errors/nccl: 2 of 2 names\nnvidia/errors/nccl: 1 of 2 names\n  lacks ncclInvalidWeather = 77\n"
    )
