"""The tables of NVIDIA's fault codes are made of the headers that number them, and by hand where it matters."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from accel.specs.store import parse
from specs.refresh.fault_tables import _words, dcgm_fields, dcgm_results, in_words, main, sxids, xids

SWITCH = """
typedef enum nvswitch_err_type
{
    NVSWITCH_ERR_NO_ERROR = 0x0,
    NVSWITCH_ERR_HW_NPORT_EGRESS = 12000,
    NVSWITCH_ERR_HW_NPORT_EGRESS_PKTROUTEERR = 12002,
    NVSWITCH_ERR_HW_NPORT_EGRESS_SEQIDERR = 12020,
    NVSWITCH_ERR_HW_NPORT_EGRESS_HWRSPERR = 12029,
    NVSWITCH_ERR_HW_NPORT_EGRESS_CREDIT_TIME_OUT_ERR = 12033,
    NVSWITCH_ERR_HW_NPORT_EGRESS_TAGCOUNTERR = 12012,
    NVSWITCH_ERR_HW_NPORT_EGRESS_LAST, /* NOTE: Must be last */
} NVSWITCH_ERR_TYPE;
"""
DRIVER = """
    NVSWITCH_REPORT_CONTAIN(_HW_NPORT_EGRESS_SEQIDERR, "egress", NV_TRUE);
    NVSWITCH_REPORT_NONFATAL(_HW_NPORT_EGRESS_HWRSPERR, "egress");
    NVSWITCH_REPORT_FATAL(_HW_NPORT_EGRESS_CREDIT_TIME_OUT_ERR, "egress", NV_FALSE);
"""
STATED = {
    "groups": [{"codes": [12020], "says": "Always fatal", "severity": "error", "class": "reset", "action": "Reset."}],
    "printed": {
        "fatal": {"says": "Fatal", "severity": "error", "class": "reset", "action": "Reset."},
        "contained": {"says": "Maybe fatal", "severity": "error", "class": "reset", "action": "Reset."},
        "non-fatal": {"says": "Not fatal", "severity": "warning", "class": "admin", "action": "Watch."},
        "word": {"says": "Logged", "severity": "warning", "class": "admin", "action": "Read."},
        "never": {"says": "Never raised", "class": "service", "action": "Ask."},
    },
    "sxids": {12029: {"meaning": "By hand"}},
    "older_xids": {5: "ROBUST_CHANNEL_FIFO_ERROR_RUNOUT_OVERFLOW"},
    "xids": {
        90: {"meaning": "A cache error", "by": "hardware", "class": "reset", "severity": "warning", "action": "-"}
    },
    "unused": {"meaning": "{words} (unused)", "by": "driver", "class": "service", "severity": "warning", "action": "-"},
    "fields": {311: {"meaning": "Uncorrectable errors", "action": "Not 0: reset."}},
    "results": {85: "Rows wait"},
    "grades": {"RESET": {"severity": "error"}, "UNKNOWN": {"severity": "warning"}},
    "result_facts": {85: "row-remap-waits"},
    "categories": {"HARDWARE_MEMORY": "memory", "NONE": ""},
}


def test_an_sxid_is_judged_by_the_guide_then_by_what_the_driver_prints() -> None:
    rows = {row["code"]: row for row in sxids(SWITCH, [DRIVER], STATED, set())}
    assert sorted(rows) == [12002, 12012, 12020, 12029, 12033]
    assert rows[12020]["meaning"] == "Traffic out of a port: sequence id error. Always fatal"
    assert rows[12029] == {
        "code": 12029,
        "names": ["HW_NPORT_EGRESS_HWRSPERR"],
        "meaning": "By hand. Not fatal",
        "class": "admin",
        "severity": "warning",
        "action": "Watch.",
    }
    assert rows[12033]["severity"] == "error"
    assert rows[12002]["severity"] is None


def test_a_name_without_words_is_told() -> None:
    unknown: set[str] = set()
    assert in_words("TAGZZZ_ERR", _words()["words"], unknown) == "tagzzz error"
    assert unknown == {"TAGZZZ"}


def test_an_xid_keeps_its_row_and_one_that_is_lacking_gets_one() -> None:
    header = "#define ROBUST_CHANNEL_GR_EXCEPTION (13)\n#define LTC_ERROR (90)\n#define ROBUST_CHANNEL_LAST_ERROR (90)"
    kept = {"code": 13, "meaning": "Kept", "by": "application"}
    rows = {row["code"]: row for row in xids(header, [kept], STATED)}
    assert rows[13] == {**kept, "names": ["ROBUST_CHANNEL_GR_EXCEPTION"]}
    assert rows[90]["meaning"] == "A cache error"
    assert rows[5]["meaning"] == "Command queue error runout overflow (unused)"


def test_a_field_of_dcgm_bears_all_its_names() -> None:
    header = """
#define DCGM_FI_DEV_ECC_DBE_VOL_TOTAL 311
#define DCGM_FI_DEV_NVLINK_TX_THROUGHPUT_L3 828
#define DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_L3 DCGM_FI_DEV_NVLINK_TX_THROUGHPUT_L3
#define DCGM_FI_LAST_NVSWITCH_FIELD_ID 899
"""
    assert list(dcgm_fields(header, STATED)) == [
        {"code": 311, "names": ["DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"], **STATED["fields"][311]},  # type: ignore[index,dict-item]
        {
            "code": 828,
            "names": ["DCGM_FI_DEV_NVLINK_TX_THROUGHPUT_L3", "DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_L3"],
            "meaning": "NVLink sent throughput (link 3)",
            "action": None,
        },
    ]


def test_a_result_of_dcgm_has_its_grade_and_its_category() -> None:
    header = "typedef enum e { DCGM_FR_OK = 0, DCGM_FR_PENDING_ROW_REMAP = 85, DCGM_FR_ERROR_SENTINEL = 86 } e;"
    source = "DCGM_ERROR_TABLE_ENTRY(DCGM_FR_PENDING_ROW_REMAP, DCGM_ERROR_RESET, DCGM_FR_EC_HARDWARE_MEMORY),"
    assert list(dcgm_results(header, source, STATED)) == [
        {
            "code": 85,
            "names": ["DCGM_FR_PENDING_ROW_REMAP"],
            "meaning": "Rows wait (memory)",
            "severity": "error",
            "states": "row-remap-waits",
        }
    ]


def test_a_folder_without_headers_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "none of the headers is here" in capsys.readouterr().err


def test_the_tables_that_are_kept_were_made_so() -> None:
    """Every row has what its table promises, each code once."""
    for name in ("sxid", "dcgm_fields", "dcgm_results", "recovery_actions", "xid"):
        path = Path(__file__).resolve().parents[2] / f"specs/nvidia/{name}.yaml"
        rows = parse(str(path))["codes"]
        assert len({row["code"] for row in rows}) == len(rows)
        assert [row["code"] for row in rows if not row["meaning"].strip()] == []
