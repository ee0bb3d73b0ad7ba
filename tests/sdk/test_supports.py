"""`accel.supports`: three-valued answers by format, unit and build."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import accel
from accel.model.environment import Framework
from accel.specs import load
from accel.specs.number_formats import formats
from accel.specs.store import parse

TABLE = parse(str(Path(__file__).with_name("formats.yaml")))
ANSWERS = {"yes": True, "no": False, "unknown": None}
H100 = accel.Device(
    id="nvidia:0",
    index=0,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    name="NVIDIA H100 80GB HBM3",
    architecture="hopper",
    compute_capability="9.0",
)


@pytest.mark.parametrize(
    ("chip", "dtype", "answers"),
    [
        pytest.param(row["chip"], dtype, said, id=f"{row['chip']}-{dtype}")
        for row in TABLE
        for dtype, said in row["formats"].items()
    ],
)
def test_a_chip_works_in_a_format_with_these_units(chip: str, dtype: str, answers: dict[str, str]) -> None:
    for unit, answer in answers.items():
        assert accel.supports(chip, dtype, None if unit == "native" else unit) is ANSWERS[answer], unit  # type: ignore[arg-type]


def test_device_spec_name_and_record_answer_alike() -> None:
    spec, chip = accel.spec(H100), load().chip("H100 SXM5")
    assert spec is not None
    assert chip is not None
    for dtype in ("bf16", "fp8_e4m3fn", "fp8_e4m3fnuz", "nvfp4", "int4", "tf32"):
        for unit in (None, "storage", "arithmetic", "matrix"):
            said = [accel.supports(of, dtype, unit) for of in (H100, spec, chip, "H100", "NVIDIA H100 80GB HBM3")]  # type: ignore[arg-type]
            assert said[0] is not None
            assert set(said) == {said[0]}, (dtype, unit)


SPELLINGS = [(one.name, spelling) for one in formats(load()) for spelling in (one.name, *one.spellings)]


@pytest.mark.parametrize(("name", "spelling"), SPELLINGS)
def test_every_spelling_means_its_format(name: str, spelling: str) -> None:
    for form in (spelling, spelling.upper(), f"torch.{spelling}", spelling.replace("fp", "fp-")):
        assert accel.supports(H100, form) is accel.supports(H100, name)


class Float8E4M3FN:
    """As ml_dtypes and jax.numpy have it: a type by the name of the format."""


Float8E4M3FN.__name__ = "float8_e4m3fn"


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (SimpleNamespace(name="float16"), "fp16"),  # a numpy.dtype
        (Float8E4M3FN, "fp8_e4m3fn"),
        (type("TorchDtype", (), {"__repr__": lambda self: "torch.bfloat16"})(), "bf16"),
    ],
)
def test_objects_of_frameworks_are_known_by_their_names(dtype: object, name: str) -> None:
    assert accel.supports(H100, dtype) is accel.supports(H100, name) is True
    assert "torch" not in sys.modules or accel.supports(H100, sys.modules["torch"].bfloat16)


@pytest.mark.parametrize(
    ("dtype", "words"),
    [("bf17", "bf16"), ("fp8_e4m4fn", "fp8_e4m3fn"), ("", "Known are"), (float, "no width"), (3.5, "number format")],
)
def test_an_unknown_format_is_bad_input(dtype: object, words: str) -> None:
    with pytest.raises(accel.BadInput, match=words):
        accel.supports(H100, dtype)


def test_an_unknown_unit_is_bad_input() -> None:
    with pytest.raises(accel.BadInput, match="storage, arithmetic, matrix"):
        accel.supports(H100, "bf16", "tensor")  # type: ignore[arg-type]


def test_what_is_not_known_is_never_false() -> None:
    nobody = replace(H100, backend="acme", vendor="Acme", name="Acme One", architecture=None, compute_capability=None)
    assert accel.supports(nobody, "bf16") is None
    assert accel.supports("no such product", "bf16") is None
    assert accel.supports(replace(H100, name=None, architecture=None, compute_capability=None), "bf16") is None


def test_of_turing_the_die_tells_whether_there_are_tensor_cores() -> None:
    facts: dict[str, Any] = {"architecture": "turing", "compute_capability": "7.5"}
    assert accel.supports(replace(H100, name="Tesla T4", **facts), "fp16", "matrix") is True
    assert accel.supports(replace(H100, name="NVIDIA GeForce GTX 1660 Ti", **facts), "fp16", "matrix") is False
    assert accel.supports(replace(H100, name=None, **facts), "fp16", "matrix") is None
    assert accel.supports(replace(H100, name=None, **facts), "bf16", "matrix") is False


@pytest.mark.parametrize(
    ("chip", "build", "answer"),
    [
        ("RTX 5090", ("sm_80", "sm_86", "sm_90"), False),  # a wheel without sm_120
        ("RTX 5090", ("sm_80", "sm_120"), True),
        ("RTX 5090", "8.0 9.0", False),
        ("RTX 5090", "8.0;9.0+PTX", True),  # compiled for it when it is loaded
        ("RTX 4090", ("sm_86",), True),
        ("H100", ("sm_90a",), True),
        ("H100", ("sm_80", "compute_80"), True),
        ("MI300X", ("gfx90a", "gfx942:sramecc+"), True),
        ("MI300X", ("gfx90a",), False),
        ("TPU v5e", ("sm_90",), True),  # whose code is not judged so
        ("H100", (), True),  # nothing is told
        ("RTX 5090", Framework(name="torch", architectures=("sm_80", "sm_90")), False),
        ("RTX 5090", Framework(name="torch", architectures=None), True),
    ],
)
def test_a_build_without_code_for_the_chip_computes_in_nothing(chip: str, build: Any, answer: bool) -> None:
    assert accel.supports(chip, "bf16", build=build) is answer


def test_every_format_that_a_list_names_is_one() -> None:
    known = {one.name for one in formats(load())}
    for vendor in load().vendors:
        for row in (load().table(f"{vendor}/architectures") or {}).get("number_formats") or ():
            for unit in ("storage", "arithmetic", "matrix"):
                assert {name.removeprefix("?") for name in row.get(unit) or ()} <= known, (vendor, row["of"])


def test_an_architecture_alone_tells_what_all_of_it_have_in_common() -> None:
    bare = replace(H100, name=None, compute_capability=None)
    assert accel.supports(bare, "fp8_e4m3fn") is True
    assert accel.supports(replace(bare, architecture="ampere"), "bf16") is True
    assert accel.supports(replace(bare, architecture="ampere"), "fp64", "matrix") is None  # 8.0 alone
    assert accel.supports(replace(bare, architecture="turing"), "bf16") is False
