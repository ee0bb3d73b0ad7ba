"""The line of a text from which a reading comes."""

import pytest

from accel.diagnose.located import located
from accel.model.dataclass import replace
from accel.model.diagnosis import Diagnosis, Evidence, Finding

_TEXT = "vllm 0.9.2 on 2.0 GB\n| NVIDIA-SMI 410.104   Driver Version: 410.104 |\ntorch==2.4.0+cu121\njax 0.4\n"


def _line_of(fact: str, value: str) -> int | None:
    finding = Finding(
        code="NV001",
        name="driver-too-old",
        severity="error",
        layer="driver",
        title="t",
        evidence=(Evidence(fact=fact, value=value),),
    )
    return located(replace(Diagnosis(verdict="found"), findings=(finding,)), _TEXT).findings[0].evidence[0].line


@pytest.mark.parametrize(
    ("fact", "value", "line"),
    [
        ("driver", "410.104", 2),
        ("torch's build", "torch 2.4.0+cu121", 3),
        ("jax", "0.4", 4),
        ("cuda", "2.0", None),  # that is of the memory
        ("torch", "2.5.1", None),
        ("remap_failed", "yes", None),
    ],
)
def test_a_reading_is_found_in_the_line_that_has_its_version(fact: str, value: str, line: int | None) -> None:
    assert _line_of(fact, value) == line
