"""A vLLM-like platform over accel's public names answers on every simulated machine."""

import ast
from pathlib import Path

import pytest
from accel_platform import AccelPlatform

import accel
import accel.testing

SOURCE = Path(__file__).parents[2] / "docs" / "integrations" / "accel_platform.py"
ANSWERS = {
    "8xH100": ("cuda", 8, (9, 0), True, False, 989.4e12),
    "l4-no-nvml": ("cuda", 2, (8, 9), True, False, 121e12),
    "mi300x-8": ("cuda", 8, (9, 4, 2), True, True, 1307.4e12),
    "ascend-910b-8": ("npu", 8, None, False, False, 313e12),
    "tpu-v5e-4": ("xla", 4, None, False, False, 197e12),
    "gaudi2-8": ("hpu", 8, None, True, False, 432e12),
    "metax-c500-8": ("cuda", 8, None, False, False, 240e12),
    "gb10": ("cuda", 1, (12, 1), True, False, None),
}


@pytest.mark.parametrize("name", accel.testing.machines())
def test_every_question_of_a_platform_has_an_answer_on_every_machine(name: str) -> None:
    with accel.testing.machine(name):
        it = AccelPlatform()
        everyone = range(it.device_count())
        assert it.device_type
        assert it.dist_backend
        assert it.get_device_name()
        assert len({it.get_device_uuid(one) for one in everyone}) == len(everyone)
        assert it.tuning_key()
        assert isinstance(it.supported_dtypes(), list)
        assert isinstance(it.is_fully_connected(everyone), bool)
        assert it.numa_cpus() is not None
        assert it.nearest_nics() is not None
        assert it.warnings() == []
        free, total = it.mem_get_info()
        assert free is None or total is None or free <= total


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_platform_answers_is_right(name: str) -> None:
    kind, count, capability, fp8, fnuz, flops = ANSWERS[name]
    with accel.testing.machine(name):
        it = AccelPlatform()
        assert (it.device_type, it.device_count(), it.get_device_capability()) == (kind, count, capability)
        assert (it.supports_fp8(), it.is_fp8_fnuz()) == (fp8, fnuz)
        assert it.peak_flops() == (None if flops is None else pytest.approx(flops, rel=0.001))


def test_the_platform_uses_public_names_alone() -> None:
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names] + [
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    ]
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "accel"
    }
    assert [name for name in imported if name.startswith("accel")] == ["accel"]
    assert used <= set(accel.__all__)
    assert len(SOURCE.read_text(encoding="utf-8").splitlines()) < 120
