"""The one door to NVML never raises: what cannot be answered is a gap, in the words of the error table."""

import types
from typing import Any

import pytest
from accel_nvidia.clock_reasons import reasons
from accel_nvidia.health import health
from accel_nvidia.nvml_device import pci_address
from accel_nvidia.nvml_errors import error_code, error_text
from accel_nvidia.nvml_links import fabric_health
from accel_nvidia.nvml_mig import mig_profile
from accel_nvidia.nvml_questions import text
from accel_nvidia.nvml_session import Session

from accel.model.device import Gap
from accel.vendors.contract.backend import Request


class NVMLError(Exception):
    """Of the shape of pynvml's."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


class NVMLLibraryMismatchError(Exception):
    """Of the shape of pynvml's: no NVMLError."""


def raising(error: Exception) -> Any:
    def function(*_: object) -> None:
        raise error

    return function


def session(skip: frozenset[tuple[str, str | None]] = frozenset(), **functions: Any) -> Session:
    return Session(types.SimpleNamespace(**functions), Request(skip=skip))


def test_an_answer_passes_through() -> None:
    assert session(nvmlA=lambda handle, sensor: handle + sensor).ask("nvmlA", 1, 2) == 3


def test_an_error_is_a_gap_and_an_observation_of_its_device() -> None:
    told = session(nvmlA=raising(NVMLError(15)))
    assert told.ask("nvmlA", device="nvidia:3", fact="power_watts") is None
    reason = "NVML error 15 GPU is lost, from nvmlA"
    assert told.gaps == [Gap(fact="power_watts", reason=reason, device="nvidia:3", backend="nvidia", source="nvml")]
    assert told.is_lost("nvidia:3")
    assert not told.is_lost("nvidia:2")
    told.ask("nvmlA", device="nvidia:3", fact="temperature_celsius")
    assert [(e.device, e.code, e.call) for e in told.errors] == [("nvidia:3", "15", "nvmlA")]


@pytest.mark.parametrize("error", [NVMLError(13), NVMLLibraryMismatchError(), AttributeError("nvmlNew"), NVMLError(25)])
def test_a_function_that_is_missing_has_its_older_form_asked(error: Exception) -> None:
    told = session(nvmlNew=raising(error), nvmlOld=lambda: 7)
    assert told.ask("nvmlNew", instead=("nvmlOld", ())) == 7
    assert told.gaps == []


def test_a_question_that_is_refused_is_no_error_for_the_device_may_be_used() -> None:
    told = session(nvmlA=raising(NVMLError(4)))
    told.ask("nvmlA", device="nvidia:0", fact="processes")
    assert [gap.fact for gap in told.gaps] == ["processes"]
    assert told.errors == []


def test_a_function_that_is_missing_without_an_older_form_is_one_gap_for_all_devices() -> None:
    told = session(nvmlNew=raising(NVMLError(13)))
    for device in ("nvidia:0", "nvidia:1"):
        assert told.ask("nvmlNew", device=device, fact="fan_percent") is None
    assert [(gap.fact, gap.device) for gap in told.gaps] == [("fan_percent", None)]
    assert told.errors == []


def test_an_error_of_another_kind_is_told_in_its_own_words() -> None:
    told = session(nvmlA=raising(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")))
    assert told.ask("nvmlA", device="nvidia:0") is None
    assert told.gaps[0].reason.startswith("UnicodeDecodeError: ")


def test_a_skipped_call_is_not_made_and_leaves_no_gap() -> None:
    told = session(frozenset({("nvmlA", "nvidia:0")}), nvmlA=raising(AssertionError("it was made")))
    assert told.ask("nvmlA", device="nvidia:0") is None
    assert told.gaps == []
    told.ask("nvmlA", device="nvidia:1")
    assert "it was made" in told.gaps[0].reason


def test_a_device_is_stuck_after_three_calls_that_never_returned() -> None:
    calls = [(f"nvml{letter}", "nvidia:0") for letter in "ABC"]
    assert session(frozenset(calls)).is_stuck("nvidia:0")
    assert not session(frozenset(calls[:2])).is_stuck("nvidia:0")


def test_every_code_has_words() -> None:
    assert error_text(16) == "GPU requires reset"
    assert error_text(4711) == "NVML code 4711"
    assert error_code(ValueError("of our own")) is None


@pytest.mark.parametrize(
    ("facts", "answered", "expected"),
    [
        ({}, True, "ok"),
        ({}, False, "unknown"),
        ({"recovery_action": "none", "ecc_uncorrected_volatile": 0}, True, "ok"),
        ({"recovery_action": "node-reboot"}, True, "critical"),
        ({"remap_failed": True, "remap_pending": True}, True, "critical"),
        ({"ecc_uncorrected_volatile": 1}, False, "critical"),
        ({"remap_pending": True}, False, "warning"),
        ({"retirement_pending": True}, True, "warning"),
        ({"clock_event_reasons": ("idle", "sw-power-cap")}, True, "ok"),
        ({"clock_event_reasons": ("sw-thermal-slowdown",)}, True, "warning"),
    ],
)
def test_a_device_is_ok_only_if_all_that_would_show_otherwise_was_answered(
    facts: dict[str, Any], answered: bool, expected: str
) -> None:
    assert health(facts, answered) == expected


def test_names_and_masks_are_read_as_nvml_writes_them() -> None:
    assert reasons(0x44) == ("sw-power-cap", "hw-thermal-slowdown")
    assert reasons(0x8001) == ("idle", "0x8000")
    assert pci_address("00000001:0A:00.0") == "0001:0a:00.0"
    assert pci_address("") is None
    assert (text(b"P100 \xff"), text("[N/A]"), text(None)) == ("P100 �", None, None)
    assert mig_profile("NVIDIA H100 80GB HBM3 MIG 1g.10gb+me") == "1g.10gb+me"
    assert mig_profile("NVIDIA A100-SXM4-40GB MIG 1c.2g.10gb") == "1c.2g.10gb"
    assert fabric_health(0b01, 2) == "degraded-bandwidth"
    assert (fabric_health(None, None), fabric_health(0, 3)) == (None, "limited-capacity")
