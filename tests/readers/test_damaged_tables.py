"""What a damaged table tells of a device is that device's own, whatever tool has drawn it."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from damaged import damage, foreign
from single_edits import devices_of

from accel.model.device import Device
from accel.plugins.registry import Registry

_ROOT = Path(__file__).parents[2]
_FOLDERS = [_ROOT / "tests" / "machines", *sorted(_ROOT.glob("plugins/*/tests/machines"))]
_PARTS = 3
_TABLES = 1_500
# Another vendor's table that has lost the lines which name its tool is nvidia-smi's, letter for letter.
_NAMES_ALONE = ("iluvatar", "mthreads", "kunlun", "metax", "apple", "intel", "gaudi")
# Tables whose rows belong together by their order alone: rows that changed places look as if they had not. And a list
# whose broken line is taken for what stands above it.
_NOT_TOLD_APART = ("tpu-info",)


@cache
def _registry() -> Registry:
    return Registry({})


@cache
def _tables() -> tuple[tuple[str, str, dict[str, Device]], ...]:
    paths = [path for folder in _FOLDERS for path in sorted(folder.rglob("*.txt"))]
    read = [(str(path.relative_to(_ROOT)), path.read_text(encoding="utf-8", errors="replace")) for path in paths]
    whole = [(name, text, devices_of(text, _registry())) for name, text in read if text.strip()]
    return tuple(one for one in whole if len(one[2]) > 1 and not any(part in one[0] for part in _NOT_TOLD_APART))


@cache
def _damaged() -> tuple[tuple[int, str], ...]:
    """Return the number and the text of each damaged table, once: chance often does what it did before, or nothing."""
    found = {}
    for number in range(_TABLES):
        name, text, _ = _tables()[number % len(_tables())]
        damaged = damage(text, Random(number))
        if damaged != text:
            found.setdefault((name, damaged), number)
    return tuple((number, damaged) for (_, damaged), number in found.items())


def _mistakes(part: int) -> list[str]:
    told = []
    for number, damaged in _damaged()[part::_PARTS]:
        name, _, before = _tables()[number % len(_tables())]
        after = devices_of(damaged, _registry()) if damaged.strip() else {}
        mistakes = foreign(before, after)
        if any(f"plugins/{vendor}/" in name for vendor in _NAMES_ALONE):
            mistakes = [one for one in mistakes if not one.endswith("came to be")]
        told += [f"{name}, {number}: {mistake}" for mistake in mistakes]
    return told


def test_no_device_of_a_damaged_table_has_a_value_of_another() -> None:
    assert len(_damaged()) > 1_000
    assert _mistakes(0) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, _PARTS))
def test_no_device_of_any_other_damaged_table_has_a_value_of_another(part: int) -> None:
    assert _mistakes(part) == []


TABLE = """
| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
| N/A   27C    P0             72W /  700W |       1MiB /  81559MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
{identity}
| N/A   66C    P0            612W /  700W |   70000MiB /  81559MiB |     99%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""


@pytest.mark.parametrize("identity", ["", "| ??? ERR! # |", "|   1  NVIDIA H1", "|   | |", "�" * 80])
@pytest.mark.parametrize("rule", [True, False])
def test_a_row_without_its_gpu_is_nobodys(identity: str, rule: bool) -> None:
    text = TABLE.format(identity=identity)
    if not rule:
        text = "\n".join(line for line in text.split("\n") if not line.startswith("+--"))
    (device,) = devices_of(text, _registry()).values()
    assert device.temperature_celsius in (27.0, None)
    assert device.memory_used_bytes in (2**20, None)
    if rule:
        assert device.temperature_celsius == 27.0
