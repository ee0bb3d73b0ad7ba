"""A chip's technical limits follow from its record; what depends on the machine says so."""

import pytest

from accel.specs import load
from accel.specs.export_rules.technical import Limit, Surroundings, limits


def of(name: str, around: Surroundings | None = None) -> dict[str, Limit]:
    specs = load()
    chip = specs.chip(name)
    assert chip is not None, name
    return {limit.name: limit for limit in limits(specs, chip, around)}


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        (
            "Tesla V100-SXM2-32GB",
            {"no-bf16-before-ampere", "vllm", "no-mig", "open-kernel-modules"},
            {"no-tensor-cores"},
        ),
        ("Tesla T4", {"no-bf16-before-ampere", "flash-attention-2"}, {"turing-without-tensor-cores", "vllm"}),
        ("GeForce GTX 1660 Ti", {"turing-without-tensor-cores", "geforce-no-nvlink"}, {"no-tensor-cores"}),
        ("GeForce GTX 1080 Ti", {"pascal-slow-fp16", "torch-compile"}, {"bitsandbytes"}),
        ("GeForce RTX 4090", {"geforce-no-p2p", "ada-no-nvlink", "geforce-licence", "no-mig"}, {"geforce-no-ecc"}),
        ("GeForce RTX 3090", {"geforce-licence", "slow-fp64"}, {"geforce-no-nvlink", "geforce-no-p2p"}),
        ("A100 SXM4 80GB", {"no-fp8-before-ada", "names-in-names"}, {"no-mig", "no-bf16-before-ampere", "slow-fp64"}),
        ("H100 SXM5", {"int4-matrix-path-gone"}, {"flash-attention-3", "no-gpm", "no-confidential-computing"}),
        ("H800 SXM5 80GB", {"links-cut"}, {"no-mig"}),
        ("H20 96GB", {"names-in-names"}, {"links-cut"}),
        ("GeForce RTX 5090", {"sm120-is-no-sm100", "flash-attention-4"}, {"no-fp4-before-blackwell"}),
        ("B300", {"blackwell-ultra-slow-int8-fp64"}, {"sm120-is-no-sm100"}),
        ("Tesla K80", {"several-devices", "bitsandbytes", "bitsandbytes-int8"}, set()),
        ("Instinct MI300X", {"amd-fp8-fnuz"}, {"amd-bitsandbytes", "amd-no-tf32", "several-devices"}),
        ("Instinct MI250X", {"several-devices"}, {"amd-fp8-fnuz"}),
        ("Instinct MI100", {"amd-flash-attention-2"}, {"amd-bitsandbytes"}),
        ("Atlas 300I Pro", {"ascend-no-bf16", "ascend-no-fp8"}, {"several-devices"}),
        ("Ascend910B3", {"ascend-no-fp8"}, {"ascend-no-bf16"}),
        ("Atlas 300I Duo", {"ascend-300i-duo", "several-devices"}, set()),
        ("TPU v5e", {"tpu-no-fp8"}, set()),
        ("TPU v6e", set(), {"tpu-no-fp8"}),
    ],
)
def test_a_chip_has_its_limits_and_no_others(name: str, has: set[str], lacks: set[str]) -> None:
    sure = {key for key, limit in of(name).items() if limit.applies}
    assert has <= sure
    assert not lacks & sure


def test_what_depends_on_the_machine_is_open_until_the_machine_is_known() -> None:
    assert of("Tesla V100-SXM2-32GB")["driver-after-580"].depends_on == ("the driver",)
    after = of("Tesla V100-SXM2-32GB", Surroundings(driver="590.44.01"))
    assert after["driver-after-580"].applies is True
    assert "driver-after-580" not in of("Tesla V100-SXM2-32GB", Surroundings(driver="580.65.06"))


def test_the_toolkit_and_the_framework_decide_where_they_are_known() -> None:
    old = Surroundings(toolkit="12.6", frameworks={"torch": "2.15.0"})
    assert of("GeForce RTX 5090", old)["blackwell-toolkit"].applies is True
    assert "blackwell-toolkit" not in of("GeForce RTX 5090", Surroundings(toolkit="12.8.1"))
    assert of("Tesla V100-SXM2-32GB", old)["torch-2.15-cu126"].applies is True
    assert "torch-wheels" not in of("Tesla V100-SXM2-32GB", Surroundings(frameworks={}))


def test_a_chip_without_partitions_has_none_of_their_limits() -> None:
    assert "mig-no-p2p" not in of("GeForce RTX 4090")
    assert of("A100 SXM4 80GB")["mig-no-p2p"].applies is None
    assert of("A100 SXM4 80GB", Surroundings(partitioned=True))["mig-no-p2p"].applies is True


def test_the_table_is_whole_and_every_limit_can_be_decided_for_every_chip() -> None:
    specs = load()
    records = specs.table("restrictions/technical")["limits"]
    assert len(records) >= 58
    assert len({record["name"] for record in records}) == len(records)
    for chip in specs.chips():
        for limit in limits(specs, chip):
            assert limit.sources, limit.name
            assert limit.applies is True or limit.depends_on, (chip.name, limit.name)
