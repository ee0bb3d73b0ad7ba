"""A cloud's type that no table has is told by its family, or by the chip that it names."""

import pytest

from accel.names.machine_types import Family, family_of, said_chips
from accel.specs import load


@pytest.mark.parametrize(
    ("text", "chips", "count"),
    [
        ("gx3d-160x1792x8b300", {"B300 (HGX, Blackwell Ultra)"}, 8),
        ("8A100.176V", {"A100 SXM4 80GB", "A100 SXM4 64GB", "A100 SXM4 40GB", "A100 PCIe 80GB", "A100 PCIe 40GB"}, 8),
        ("a100-80gb.8x", {"A100 SXM4 80GB", "A100 PCIe 80GB"}, 8),
        ("h100-80gb-sxm-ib.8x", {"H100 SXM5 80GB"}, 8),
        ("gpu-l40s-2x", {"L40S"}, 2),
        ("bm-mi300x-8", {"Instinct MI300X"}, 8),
        ("ecs.gn7i-c32g1.64xlarge", {"A10"}, 8),
        ("ecs.gn8v-tee-4x.24xlarge", {"H20 96GB"}, 4),
        ("ecs.pni2.9xlarge", {"A100 SXM4 80GB"}, None),
    ],
)
def test_a_type_without_a_row_tells_its_chips(text: str, chips: set[str], count: int | None) -> None:
    named = load().named(text)
    assert ({chip.name for chip in named.chips}, named.count, named.by) == (chips, count, "machine")


@pytest.mark.parametrize(
    "text", ["A10-7850K", "m5.24xlarge", "t3.medium", "n1-standard-8", "c5.4xlarge", "llama-7b", "p99.8xlarge"]
)
def test_what_is_no_machine_with_a_known_chip_is_none(text: str) -> None:
    assert load().named(text).chips == ()


def test_what_has_no_such_form_is_taken_for_no_type() -> None:
    assert [family_of(text) for text in ("", "x" * 99, "H100", "ecs.gn7i-0x.large")] == [
        None,
        None,
        None,
        Family("gn7i"),
    ]
    assert [list(said_chips(text)) for text in ("", "a b", "x" * 99, "h100", "h100-l40s-8x")] == [[]] * 5
