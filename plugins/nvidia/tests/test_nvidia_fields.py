"""What is read of a GPU is judged: each field of its record is asked for by a check, a rule or a question."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from accel_nvidia.model import EccCount, NvidiaDevice, NvLink

PLUGIN = Path(__file__).parents[1] / "accel_nvidia"
CORE = Path(__file__).parents[3] / "src" / "accel"
ROWS = Path(__file__).parents[3] / "specs" / "nvidia" / "checks"
_RECORDS = (NvidiaDevice, NvLink, EccCount)
_ASKERS = ("around", "health", "cuda_order", "visibility")
_JUDGES = ("checks", "diagnose", "facts/rules", "resolver", "apps/render")

ONLY_SHOWN = {  # what a person or another program reads, in a report or in JSON: no value of it is a fault by itself
    **dict.fromkeys(("brand", "board_id", "minor_number", "gsp_firmware_version"), "who the board is"),
    **dict.fromkeys(
        ("mig_profile", "addressing_mode", "driver_model"), "how it is set up; each value is a healthy one"
    ),
    "memory_utilization_percent": "the load",
    **dict.fromkeys(("multiprocessors", "from_specs"), "what it can compute, and who told"),
    **dict.fromkeys(("compute_slices", "compute_share", "memory_share", "vgpus"), "how the board is divided"),
    **dict.fromkeys(("bar1_total_bytes", "bar1_used_bytes"), "the window to its memory, as the platform set it"),
    **dict.fromkeys(("ecc_corrected_volatile", "ecc_corrected_aggregate", "remapped_rows_corrected"), "mended errors"),
    **dict.fromkeys(("inforom_version", "fabric_cluster_uuid", "fabric_clique_id"), "who the board is, and with whom"),
    **dict.fromkeys(("pcie_sent_bytes", "pcie_received_bytes"), "what it has moved"),
    **dict.fromkeys(("nvlink_sent_bytes", "nvlink_received_bytes"), "what it has moved"),
    **dict.fromkeys(("corrected_volatile", "corrected_aggregate", "pcie_corrected_errors"), "mended errors"),
    **dict.fromkeys(("pcie_nonfatal_errors", "pcie_fatal_errors"), "the kernel reports each, with what it was"),
    "shutdown_celsius": "the limits below it are judged",
    **dict.fromkeys(("remote_pci_address", "to_switch"), "the wiring"),
}


def _sources() -> Iterator[str]:
    for folder in (PLUGIN / "checks", PLUGIN / "rules", *(CORE / name for name in _JUDGES)):
        yield from (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    yield from (path.read_text(encoding="utf-8") for path in PLUGIN.glob("*.py") if path.stem in _ASKERS)
    yield from (path.read_text(encoding="utf-8") for path in ROWS.glob("*.yaml"))


@pytest.fixture(scope="module")
def asked() -> str:
    return "\n".join(_sources())


@pytest.mark.parametrize("name", [field.name for kind in _RECORDS for field in fields(kind)])
def test_a_field_is_judged_or_said_to_be_only_shown(name: str, asked: str) -> None:
    judged = re.search(rf"[.\"']{name}\b", asked) is not None
    assert judged != (name in ONLY_SHOWN)


def test_what_is_only_shown_is_a_field() -> None:
    known = {field.name for kind in _RECORDS for field in fields(kind)}
    assert set(ONLY_SHOWN) <= known
