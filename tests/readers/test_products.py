"""Devices out of prose: one a card, and none out of numbers, dates, units, versions, hosts and paths."""

import random
from functools import cache

import pytest

from accel.collect.text import read_texts
from accel.facts.readers.mechanisms.products import recognise
from accel.facts.readers.page import Page
from accel.model.device import Device
from accel.model.observation import Product
from accel.plugins.registry import Registry
from accel.specs import load
from accel.text.clean import clean


@cache
def registry() -> Registry:
    return Registry({})


def devices(text: str) -> list[Device]:
    return [device for report in read_texts((("report", text),), registry()).reports for device in report.devices]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("GPU: rtx2080ti", ["GeForce RTX 2080 Ti"]),
        ("4 GeForce RTX 2080 GPUs", ["GeForce RTX 2080"] * 4),
        ("2x RTX 4090, NCCL 2.18", ["GeForce RTX 4090"] * 2),
        ("Device: 0, GeForce GTX 1080 Ti\nDevice: 1, GeForce GTX 1080 Ti", ["GeForce GTX 1080 Ti"] * 2),
        ("GPU: A100\nI use an A100-SXM4-80GB", ["A100"]),
        ("GPU: RTX 3090, RTX 2080 Ti", ["GeForce RTX 3090", "GeForce RTX 2080 Ti"]),
        ("it works on my V100 and not on the 3090 GPU", []),
        ("NPU: 910B3", ["Ascend 910B3"]),
        ("RX7900XT, ROCm 5.7", ["Radeon RX 7900 XT"]),
        ("onnxruntime 1.22, windows10 22H2, RTX 3070 driver 577", ["GeForce RTX 3070"]),
        ("Setup: RTX 3070", ["GeForce RTX 3070"]),
        ("Requirements: RTX 3070", []),
        ("GPU名称: NVIDIA GeForce RTX 3090", ["GeForce RTX 3090"]),
        ("使用V100的显卡, 微调之后推理报错", ["V100"]),
        ("支持用A100训练", []),
        ("It hangs. RTX 5090, monitor on DisplayPort", ["GeForce RTX 5090"]),
        ("torch.cuda.get_device_name(0): AMD Radeon RX 7900 XT", ["Radeon RX 7900 XT"]),
        ("True NVIDIA A10G", ["A10G"]),
    ],
)
def test_a_card_that_prose_says_is_there_is_one_device(text: str, names: list[str]) -> None:
    found = devices(text)
    assert [device.name for device in found] == names
    assert [device.index for device in found] == list(range(len(names)))


def test_devices_of_prose_are_said_and_of_low_trust() -> None:
    (report,) = [r for r in read_texts((("report", "GPU: RTX 3090"),), registry()).reports if r.devices]
    assert (report.grade, report.trust) == ("said", 10)


def test_what_a_tool_lists_goes_before_prose() -> None:
    listed = "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n"
    assert {device.name for device in devices(f"{listed}\nmy 2080 Ti GPU is another story")} == {
        "NVIDIA GeForce RTX 3090"
    }


UNITS = (
    "MiB",
    "GiB",
    "MB",
    "KB",
    "bytes",
    "B/s",
    "tokens/s",
    "ms",
    "s",
    "us",
    "%",
    "W",
    "MHz",
    "°C",
    "it/s",
    "steps",
    "fps",
)
WORDS = (
    "error",
    "line",
    "step",
    "epoch",
    "loss",
    "version",
    "build",
    "port",
    "pid",
    "size",
    "seed",
    "rank",
    "job",
    "used",
)
MODELS = (
    "1060",
    "1070",
    "1080",
    "1650",
    "1660",
    "2060",
    "2070",
    "2080",
    "3060",
    "3080",
    "3090",
    "4070",
    "4090",
    "5090",
)


def sentences(random_: random.Random) -> str:
    number = random_.choice([random_.choice(MODELS), str(random_.randrange(10, 99999)), f"1{random_.choice(MODELS)}"])
    unit, word = random_.choice(UNITS), random_.choice(WORDS)
    return random_.choice(
        (
            f"{word} {number} {unit}",
            f"{word}={number}",
            f"{word}: {number}{unit}",
            f"found {word} {number}",
            f"{number} {unit} of {random_.randrange(99999)} {unit}",
            f"2024-{random_.randrange(1, 13):02}-12 10:{random_.randrange(60):02}:00,{number} {word}",
            f"Thu Jan {random_.randrange(1, 29)} 00:00:00 {number}",
            f"[{number}/{random_.randrange(99999)}] {word}",
            f"torch=={random_.randrange(3)}.{random_.randrange(9)}.{number}",
            f"driver {number}.{random_.randrange(99)}.{random_.randrange(99):02}",
            f"libcuda.so.{number} {word} 0x{random_.randrange(16**8):08x}",
            f"/data/run-{number}/{word}.log:{number}: {word}",
            f'File "/env/{word}.py", line {number}, in {word}',
            f"{word}_{number} {number}x{number} {number}:{number}",
            f"GPU-{random_.randrange(16**8):08x} {number}{word} {number}",
            f"epoch {number}, loss 0.{number}, lr {number}e-5",
            f"({number}, {number}, 3) {word}[{number}]",
            f"https://example.org/{word}/{number}?a={number}",
            f"node-{number}: {word} {number}, exit code {number}",
        )
    )


def test_no_number_date_unit_version_host_or_path_is_a_device() -> None:
    random_ = random.Random(1)
    text = "\n".join(sentences(random_) for _ in range(4000))
    found = [one for one in recognise(Page(clean(text), load())) if isinstance(one, Product)]
    assert [one.text for one in found] == []
