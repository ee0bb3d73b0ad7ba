"""What others wrote of a fault is not what this machine said."""

import pytest

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.plugins.registry import Registry
from accel.text.hearsay import hearsay


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        ('Docs: "Failed to get X" means that. Then it works', ['"Failed to get X" means that']),
        ("The manual says EJ0002 needs a new module.", ["EJ0002 needs a new module"]),
        ("the docs say X is needed, but I get ImportError", ["X is needed,"]),
        ("文档里写 libatb.so 找不到要装 NNAL，但是我的没有", ["libatb.so 找不到要装 NNAL，"]),
        ("I read that Xid 79 is a dead board\nXid 79", ["Xid 79 is a dead board"]),
        ('If you still get this message, run "sudo rm X".', []),
        ("documentation: https://host/page", ["https://host/page"]),
        ("What was error -8005? Not here.\nnext", ["What was error -8005"]),
        ("# needed because of: cannot allocate memory\nexport A=1", ["because of: cannot allocate memory"]),
        ('If nvidia-smi says "version mismatch", reboot. Mine', ['"version mismatch", reboot']),
        ("If I run nvidia-smi it says version mismatch", []),
        ("On which cards is bf16 not supported?", ["is bf16 not supported"]),
        ("see the Xid table, 79 is a lost GPU", [", 79 is a lost GPU"]),
        ("torch 2.1\nImportError: libatb.so: cannot open shared object file", []),
    ],
)
def test_what_is_repeated_ends_with_its_sentence(text: str, repeated: list[str]) -> None:
    assert [text[start:end].strip() for start, end in hearsay(text)] == repeated


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The doc says \"No module named 'torch_npu'\" appears when it is not installed.", []),
        ("ModuleNotFoundError: No module named 'torch_npu'", ["npu-torch-npu-missing"]),
        (
            "The doc says to install it, but I still get ModuleNotFoundError: No module named 'torch_npu'",
            ["npu-torch-npu-missing"],
        ),
        ('The manual says EJ0002 "The network port is down" needs a new optical module.', []),
    ],
)
def test_nothing_is_found_in_what_is_repeated(text: str, names: list[str]) -> None:
    registry = Registry({})
    found = diagnose(read_texts([("text", text)], registry), registry.specs, registry.checks, registry.rules)
    assert [finding.name for finding in found.findings if finding.severity != "info"] == names
